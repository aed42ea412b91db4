// watch_session_terminal_test.cc: `bully watch` over real nodes, in a terminal of its own and
// without one.
#include <doctest/doctest.h>

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "fixture/cluster.h"
#include "node/directory.h"
#include "node/peer_process.h"
#include "support/pseudo_terminal.h"

using namespace bully;

namespace {

Arguments watch_arguments(const Cluster& cluster, const std::vector<std::string>& traces = {}) {
  Arguments words = {"watch", "--dir=" + cluster.directory(), "--interval=50ms", "--lang=en"};
  for (const std::string& trace : traces) words.push_back("--trace=" + trace);
  return words;
}

// What a program may change of a terminal.
bool same_settings(const termios& a, const termios& b) {
  return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_cflag == b.c_cflag &&
         a.c_lflag == b.c_lflag && std::memcmp(a.c_cc, b.c_cc, sizeof a.c_cc) == 0;
}

void check_as_found(PseudoTerminal& terminal) {
  CHECK(same_settings(terminal.settings(), terminal.first_settings()));
  CHECK(!terminal.is_other_screen());
  CHECK(terminal.is_cursor_shown());
}

// "  3  !  words": what the log says of a node.
std::string said_of(NodeId id, const std::string& words) {
  return " " + std::to_string(id) + "  " + words;
}

}  // namespace

TEST_CASE("watch on a terminal shows the nodes, and signals the one that is selected") {
  RunningCluster cluster(1, 3);
  PseudoTerminal terminal(watch_arguments(cluster), 24, 100);
  REQUIRE(terminal.shows("all follow 3"));
  CHECK(terminal.is_other_screen());
  CHECK(!terminal.is_cursor_shown());
  CHECK(terminal.shows(">  3  " + std::to_string(cluster.pid_of(3))));
  CHECK(wait_until([&] { return terminal.lines()[23].starts_with("q quit"); }));

  CHECK(terminal.shows_after("k\033[A", ">  1  "));
  CHECK(terminal.shows_after("j\033[B", ">  3  "));
  CHECK(terminal.shows_after("S",
                             "SIGSTOP sent to 3 (PID " + std::to_string(cluster.pid_of(3)) + ")"));
  CHECK(terminal.shows(said_of(3, "!  does not answer: is it stopped?")));
  CHECK(terminal.shows("two coordinators: 2, 3 (stopped)"));
  CHECK(terminal.shows("stopped, believes it is coordinator"));
  CHECK(terminal.shows_after("C", said_of(3, "!  answers again")));
  CHECK(terminal.shows("all follow 3"));

  CHECK(terminal.shows_after(" ", "PAUSED"));
  CHECK(terminal.shows_after(" p", "SENT E/PE/C/1"));
  CHECK(terminal.text().find("PAUSED") == std::string::npos);

  cluster.kill(3);
  CHECK(terminal.shows(said_of(3, "!  crashed")));
  CHECK(terminal.shows("all follow 2"));
  terminal.press("K");  // nobody is there any more, and perhaps not even the name
  CHECK(wait_until([&] {
    const std::string shown = terminal.text();
    return contains(shown, "no signal sent: process 3 is gone: only its name") ||
           contains(shown, "no signal sent: there is no node 3");
  }));
  CHECK(terminal.end_by("q").exit_code == 0);
}

TEST_CASE("watch starts a killed process again, and draws or explains what the trace tells") {
  Cluster cluster;
  const std::string trace = cluster.scratch("watched");
  cluster.start_and_agree(1, 3, {"--trace=" + trace});
  PseudoTerminal terminal(watch_arguments(cluster, {trace}), 60, 80);
  REQUIRE(terminal.shows("all follow 3"));
  CHECK(terminal.shows_after("R", "3 still runs"));
  CHECK(terminal.shows_after("p", "q quit"));  // an old notice does not outlive the next key
  cluster.kill(3);
  // Asked while it dies, it seems stopped at first, and then it is not started again.
  CHECK(terminal.shows(said_of(3, "!  crashed")));
  CHECK(terminal.shows("all follow 2"));
  CHECK(terminal.shows_after("R", "all follow 3"));
  CHECK(terminal.shows(said_of(2, "*  follows coordinator 3")));
  CHECK(terminal.shows_after("e", "takes its sender as"));
  CHECK(terminal.shows_after("v", "│ follows 3"));
  CHECK(terminal.shows_after("?", "as a space-time diagram"));
  CHECK(terminal.end_by("q").exit_code == 0);
  // What R has started ends with it.
  CHECK(wait_until(
      [&] { return !query_node(Directory(cluster.directory(), false), 3, patience).coordinator; }));
}

TEST_CASE("watch waits for a trace that is not there yet, and makes none") {
  Cluster cluster;
  const std::string trace = cluster.scratch("later");
  cluster.start(1);
  PseudoTerminal terminal(watch_arguments(cluster, {trace}), 24, 300);
  CHECK(terminal.shows("waits for " + trace));
  CHECK(!std::filesystem::exists(trace));
  cluster.start(2, {"--trace=" + trace});
  CHECK(terminal.shows(said_of(2, "→  COORDINATOR  to 1")));
  CHECK(terminal.end_by("q").exit_code == 0);
}

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
  std::filesystem::resize_file(trace, 0);
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
             lines[rows - 1].find("q quit") == 0 && lines[rows].empty();
    });
  };
  CHECK(fills(12, 60));
  terminal.resize(30, 120);
  CHECK(fills(30, 120));
  CHECK(terminal.end_by("q").exit_code == 0);
}

TEST_CASE("watch leaves the terminal as it found it, however it ends") {
  RunningCluster cluster(5);
  struct Ending {
    const char* name;
    int signal;  // 0: the keys
    const char* keys;
    int exit_code;
  };
  for (const Ending& ending :
       {Ending{"q", 0, "q", 0}, Ending{"Ctrl-C", 0, "\003", 0}, Ending{"SIGTERM", SIGTERM, "", 143},
        Ending{"SIGHUP", SIGHUP, "", 129}, Ending{"SIGQUIT", SIGQUIT, "", 131}}) {
    CAPTURE(ending.name);
    PseudoTerminal terminal(watch_arguments(cluster), 24, 80);
    REQUIRE(terminal.shows("all follow 5"));
    CHECK(!same_settings(terminal.settings(), terminal.first_settings()));
    if (ending.signal != 0) terminal.signal(ending.signal);
    CHECK(terminal.end_by(ending.keys).exit_code == ending.exit_code);
    check_as_found(terminal);
  }
}

TEST_CASE("watch ends when it is asked to, though its output is unread") {
  RunningCluster cluster(5);
  PseudoTerminal terminal(watch_arguments(cluster), 24, 80);
  REQUIRE(terminal.shows("all follow 5"));
  terminal.resize(200, 500);
  REQUIRE(wait_until([&] { return terminal.is_full(); }));
  terminal.signal(SIGTERM);
  CHECK(terminal.end_unread().exit_code == 143);
  CHECK(same_settings(terminal.settings(), terminal.first_settings()));

  const std::string trace = cluster.scratch("long");
  for (std::ofstream lines(trace); lines.tellp() < 1 << 20;) {
    lines << R"({"t":1,"node":5,"pid":5,"event":"start"})"
             "\n";
  }
  const Pipe unread = make_pipe("of the test");
  set_blocking(unread.write_end.get());
  Child watcher({.arguments = watch_arguments(cluster, {trace}),
                 .in_child = [&] { dup2(unread.write_end.get(), STDOUT_FILENO); }});
  pollfd room{unread.write_end.get(), POLLOUT, 0};
  CHECK(wait_until([&] { return poll(&room, 1, 0) == 0; }));
  CHECK(watcher.end_by(SIGTERM).exit_code == 143);
}

TEST_CASE("watch leaves the terminal as it found it after an error, and says which") {
  Cluster cluster;
  PseudoTerminal terminal(watch_arguments(cluster), 24, 80);
  REQUIRE(terminal.shows("no node in " + cluster.directory()));
  std::ofstream(cluster.directory()) << '\n';  // a file where the directory should be
  CHECK(terminal.end().exit_code == 1);
  check_as_found(terminal);
  CHECK(terminal.text().find("Not a directory") != std::string::npos);
}

TEST_CASE(
    "watch follows a trace, message by message; of lines that are no records it says so once") {
  Cluster cluster;
  const std::string trace = cluster.scratch("damaged");
  std::ofstream(trace) << "this is no trace\n";
  cluster.start_and_agree(1, 3, {"--trace=" + trace});
  PseudoTerminal terminal(watch_arguments(cluster, {trace}), 60, 200);
  const std::string damage = trace + ":1: not a JSON object";
  CHECK(terminal.shows("!  skips a line of the trace, and any others like it: " + damage));
  CHECK(terminal.shows(said_of(3, "→  COORDINATOR  to ")));
  std::ofstream(trace, std::ios::app) << "{\"t\":1}\n{\"t\":2}\n";
  cluster.kill(3);
  CHECK(terminal.shows(said_of(3, "!  crashed")));
  CHECK(terminal.shows(said_of(2, "→  COORDINATOR  to 1")));
  CHECK(terminal.shows(said_of(1, "*  follows coordinator 2")));
  CHECK(count_of(terminal.text(), "skips a line") == 1);
  CHECK(terminal.end_by("q").exit_code == 0);
}

TEST_CASE("watch waits for a directory that does not exist yet, with and without a terminal") {
  Cluster cluster;
  const std::string output = cluster.scratch("lines");
  Child watcher({.arguments = watch_arguments(cluster), .output = output});
  CHECK(wait_until([&] { return contents(output) == "no node in " + cluster.directory() + '\n'; }));
  PseudoTerminal terminal(watch_arguments(cluster), 24, 100);
  CHECK(terminal.shows("no node in " + cluster.directory()));
  cluster.start(7);
  CHECK(terminal.shows("all follow 7"));
  CHECK(
      wait_until([&] { return contains(contents(output), said_of(7, "+  joins as process 7")); }));
  CHECK(terminal.end_by("q").exit_code == 0);
  CHECK(watcher.end_by(SIGINT).exit_code == 0);
}

TEST_CASE("watch without a terminal writes a line for each change") {
  RunningCluster cluster(1, 3);
  const std::string output = cluster.scratch("lines");
  Child watcher({.arguments = watch_arguments(cluster), .output = output});
  const auto says = [&](const std::string& words) {
    return wait_until([&] { return contains(contents(output), words); });
  };
  CHECK(says(said_of(2, "!  is here (PID " + std::to_string(cluster.pid_of(2)) + ")\n")));
  CHECK(says(said_of(1, "*  follows coordinator 3\n")));
  cluster.kill(3);
  CHECK(says(said_of(3, "!  crashed")));
  CHECK(says(said_of(1, "*  follows coordinator 2\n")));
  CHECK(watcher.end_by(SIGTERM).exit_code == 128 + SIGTERM);
  CHECK(contents(output).find('\033') == std::string::npos);
}
