// watch_session_terminal_test.cc: `bully watch` over real nodes, in a terminal of its own and
// without one: its session, and what needs more than keys.
#include <doctest/doctest.h>

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "fixture/cluster.h"
#include "fixture/session.h"
#include "fixture/started.h"
#include "node/directory.h"
#include "node/peer_process.h"
#include "support/pseudo_terminal.h"
#include "trace/trace.h"

using namespace bully;

namespace {

Arguments watch_arguments(const Cluster& cluster, const std::vector<std::string>& traces = {}) {
  Arguments words = {"watch", "--dir=" + cluster.directory(), "--interval=50ms", "--lang=en"};
  for (const std::string& trace : traces) words.push_back("--trace=" + trace);
  return words;
}

// "  3  !  words": what the log says of a node.
std::string said_of(NodeId id, const std::string& words) {
  return " " + std::to_string(id) + "  " + words;
}

}  // namespace

TEST_CASE("watch writes into the first trace what its keys have done to a node") {
  Cluster cluster;
  const std::string trace = cluster.scratch("trace");
  const std::string other = cluster.scratch("other");
  cluster.start_and_agree(1, 3);
  PseudoTerminal terminal(watch_arguments(cluster, {trace, other}), 60, 100);
  REQUIRE(terminal.shows("all follow 3"));
  CHECK(terminal.shows_after("S", said_of(3, "!  stopped (SIGSTOP)")));
  CHECK(terminal.shows("two coordinators: 2, 3 (stopped)"));
  CHECK(terminal.shows_after("C", said_of(3, "!  goes on (SIGCONT)")));
  CHECK(terminal.shows("all follow 3"));
  CHECK(terminal.shows_after("K", said_of(3, "✗  crashed (SIGKILL)")));
  CHECK(terminal.shows("all follow 2"));

  check_acts(trace, 3, cluster.pid_of(3));
  CHECK(contents(other).empty());

  std::filesystem::remove(trace);
  std::filesystem::create_directory(trace);  // nobody can write that
  CHECK(terminal.shows_after("kk\033[AK", "no signal sent: open " + trace.substr(0, 30)));
  CHECK(is_running(cluster.pid_of(1)));
  CHECK(is_running(cluster.pid_of(2)));
  CHECK(terminal.end_by("q").exit_code == 0);
}

TEST_CASE("watch goes on with a trace that is emptied, or removed and made again") {
  Cluster cluster;
  const std::string trace = cluster.scratch("watched");
  PseudoTerminal terminal(watch_arguments(cluster, {trace}), 60, 100);
  cluster.start_range(1, 4, {"--trace=" + trace});
  REQUIRE(terminal.shows(said_of(1, "*  follows coordinator 4")));
  // Emptied, with a short line: the nodes' next lines must not fill the file before it is read.
  std::ofstream(trace) << trace_line({.t_ns = monotonic_now().count(),
                                      .node = 4,
                                      .pid = cluster.pid_of(4),
                                      .event = TraceEvent::pause});
  CHECK(terminal.shows(said_of(4, "!  stopped (SIGSTOP)")));
  cluster.kill(4);
  CHECK(terminal.shows(said_of(3, "→  COORDINATOR  to 1")));  // and 2, in this line or the next
  REQUIRE(terminal.shows(said_of(1, "*  follows coordinator 3")));
  cluster.end_all();
  REQUIRE(terminal.shows(said_of(1, "-  leaves")));
  std::filesystem::remove(trace);
  cluster.start_range(7, 8, {"--trace=" + trace});
  CHECK(terminal.shows(said_of(8, "→  COORDINATOR  to 7")));
  CHECK(terminal.shows(said_of(7, "*  follows coordinator 8")));
  CHECK(terminal.end_by("q").exit_code == 0);
}

TEST_CASE("watch follows the size of its window") {
  RunningCluster cluster(1, 2);
  PseudoTerminal terminal(watch_arguments(cluster), 24, 100);
  REQUIRE(terminal.shows("all follow 2"));
  terminal.resize(12, 60);
  const auto fills = [&terminal](std::size_t rows, std::size_t columns) {
    return wait_until([&] {
      const std::vector<std::string>& lines = terminal.lines();
      return lines[0].size() == columns && lines[0].find("all follow 2") == 0 &&
             lines[rows - 1].find("? all keys") != std::string::npos && lines[rows].empty();
    });
  };
  CHECK(fills(12, 60));
  terminal.resize(30, 120);
  CHECK(fills(30, 120));
  CHECK(terminal.end_by("q").exit_code == 0);
}

TEST_CASE("watch ends when it is asked to, though its output is unread") {
  RunningCluster cluster(5);
  PseudoTerminal terminal(watch_arguments(cluster), 24, 80);
  REQUIRE(terminal.shows("all follow 5"));
  terminal.resize(200, 500);
  REQUIRE(wait_until([&] { return terminal.is_full(); }));
  terminal.signal(SIGTERM);
  CHECK(terminal.end_unread().exit_code == 143);
  CHECK(terminal.has_first_settings());

  const std::string trace = cluster.scratch("long");
  for (std::ofstream lines(trace); lines.tellp() < 1 << 20;) {
    lines << start_line(5, 5, 1);
  }
  const Pipe unread = make_pipe("of the test");
  set_blocking(unread.write_end.get());
  Child watcher({.arguments = watch_arguments(cluster, {trace}),
                 .in_child = [&] { dup2(unread.write_end.get(), STDOUT_FILENO); }});
  pollfd room{unread.write_end.get(), POLLOUT, 0};
  CHECK(wait_until([&] { return poll(&room, 1, 0) == 0; }));
  CHECK(watcher.end_by(SIGTERM).exit_code == 143);
}

TEST_CASE(
    "watch follows a trace, message by message; of lines that are no records it says so once") {
  Cluster cluster;
  const std::string trace = cluster.scratch("damaged");
  std::ofstream(trace) << "this is no trace\n";
  cluster.start_and_agree(1, 3, {"--trace=" + trace});
  PseudoTerminal terminal(watch_arguments(cluster, {trace}), 60, 200);
  const std::string damage = trace + ":1: not a JSON object";
  CHECK(terminal.shows("!  " + damage + ": skipped"));
  CHECK(terminal.shows(said_of(3, "→  COORDINATOR  to ")));
  std::ofstream(trace, std::ios::app) << "{\"t\":1}\n{\"t\":2}\n";
  cluster.kill(3);
  CHECK(terminal.shows(said_of(3, "!  crashed")));
  CHECK(terminal.shows(said_of(2, "→  COORDINATOR  to 1")));
  CHECK(terminal.shows(said_of(1, "*  follows coordinator 2")));
  CHECK(count_of(terminal.text(), ": skipped") == 1);
  CHECK(terminal.end_by("q").exit_code == 0);
}

TEST_CASE("watch shows real nodes, signals them by keys, and leaves the terminal as it found it") {
  check_session("tests/terminal/watch.session");
}
