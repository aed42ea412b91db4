// real_terminal_test.cc: nodes whose output nobody reads: a terminal that hangs, a pipe that is
// full. They go on, and leave when told to.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "fixture/scripts.h"
#include "fixture/stranger.h"
#include "support/pseudo_terminal.h"
#include "terminal/output.h"

namespace bully {
namespace {

std::string numbered(int i) {
  return "line " + std::to_string(i) + " of what a node might say in this test\n";
}

// A pair of ends that takes little: a cooked terminal, or a pipe.
TerminalEnds open_pipe() {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

TEST_CASE("Unread lines are lost whole, and hold up no process") {
  for (const bool terminal : {true, false}) {
    CAPTURE(terminal);
    const TerminalEnds ends = terminal ? open_terminal() : open_pipe();
    const int flags = fcntl(ends.slave.get(), F_GETFL);
    LineOutput output(ends.slave.get());
    constexpr int count = 4'000;
    std::size_t lost = 0;
    std::string shown;
    for (int i = 0; i < count; ++i) {
      const std::size_t lost_now = output.write(numbered(i));
      lost += lost_now;
      if (lost_now > 0 && i % 500 == 0) shown += read_ready(ends.master);
    }
    shown += read_ready(ends.master);
    CHECK(wait_until([&] { return output.write("the last\n") == 0; }));
    shown += read_ready(ends.master);
    CHECK(lost > 0);
    CHECK(fcntl(ends.slave.get(), F_GETFL) == flags);  // who shares it sees no change

    std::erase(shown, '\r');
    std::istringstream lines(shown);
    std::string last;
    std::size_t taken = 0;
    int number = -1;
    for (std::string line; std::getline(lines, line); last = line) {
      int next = 0;
      std::istringstream words(line);
      std::string word;
      if (!(words >> word >> next)) continue;
      CHECK(line + '\n' == numbered(next));
      CHECK(next > number);
      number = next;
      ++taken;
    }
    CHECK(last == "the last");
    CHECK(taken + lost == count);
  }
}

TEST_CASE("A node in an unread terminal goes on, and leaves when told to") {
  Cluster cluster;
  const TerminalEnds ends = open_terminal();
  Child node({.arguments = {"7", "--lang=en", "--dir=" + cluster.directory()},
              .in_child = [slave = ends.slave.get()] { take_terminal(slave); }});
  constexpr std::size_t count = 500;
  REQUIRE(wait_until([&] { return cluster.status_of(7).has_value(); }));
  for (std::size_t i = 0; i < count; ++i) say(cluster, 7, "garbage");
  CHECK(wait_until([&] { return dropped(cluster, 7) == count; }));
  CHECK(contains(read_ready(ends.master), "joins as process 7"));
  // Read again, it says how much was lost.
  CHECK(wait_until([&] {
    say(cluster, 7, "garbage");
    return contains(read_ready(ends.master), "lines that could not be shown in time");
  }));
  fill(ends.slave);
  say(cluster, 7, "garbage");
  CHECK(node.end_by(SIGTERM).exit_code == 0);
}

TEST_CASE("A node starts in a full terminal, although it has something to say before") {
  Cluster cluster;
  const std::string trace = cluster.scratch("trace");
  std::ofstream(trace) << "{}\n";  // of an older run
  const TerminalEnds ends = open_terminal();
  fill(ends.slave);
  Child node({.arguments = {"7", "--dir=" + cluster.directory(), "--trace=" + trace},
              .in_child = [slave = ends.slave.get()] { take_terminal(slave); }});
  CHECK(wait_until([&] { return cluster.status_of(7).has_value(); }));
  CHECK(node.end_by(SIGTERM).exit_code == 0);
}

TEST_CASE("run_cluster.sh in an unread terminal: its nodes agree, and end with it") {
  const Place place;
  const TerminalEnds other = open_terminal();
  const TerminalEnds ends = open_terminal();
  fill(ends.slave, fill(other.slave) - 100);  // a line of the log finds room, and a half
  Child script({.arguments = {"5"}, .binary = run_cluster[0], .in_child = [&] {
                  take_terminal(ends.slave.get());
                  setenv("BULLY_DIR", place.nodes().c_str(), 1);
                  setenv("TMPDIR", place.temporary().c_str(), 1);
                }});
  CHECK(happens([&] { return place.agree(5); }));
  CHECK(script.end_by(SIGTERM).exit_code == 143);
  CHECK(is_empty_session(script.pid()));
  CHECK(place.has_no_socket());
}

TEST_CASE("What a quiet node says is one write for each line") {
  Cluster cluster;
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);  // keeps each write apart
  const Descriptor ours(ends[0]);
  const Descriptor its(ends[1]);
  const auto next = [&] {
    char bytes[1024];
    ssize_t got = 0;
    wait_until([&] { return (got = recv(ours.get(), bytes, sizeof bytes, MSG_DONTWAIT)) > 0; });
    return std::string(bytes, got > 0 ? static_cast<std::size_t>(got) : 0);
  };
  const auto as_errors = [fd = its.get()] { dup2(fd, STDERR_FILENO); };
  const Arguments arguments = {"--dir=" + cluster.directory(), "--quiet", "--lang=en", "7"};
  Child node({.arguments = arguments, .in_child = as_errors});
  REQUIRE(wait_until([&] { return cluster.status_of(7).has_value(); }));
  say(cluster, 7, "V;9;1;9;1");  // of another algorithm
  CHECK(wait_until([&] { return dropped(cluster, 7) == 1; }));
  const std::string said = next();
  CHECK(said.starts_with("bully: "));
  CHECK(said.ends_with("\n"));
  // So is what one that cannot start says.
  Child second({.arguments = arguments, .in_child = as_errors});
  CHECK(second.end().exit_code == 1);
  for (const char* part : {"bind ", "a live process has this id"}) {
    const std::string line = next();
    CHECK(line.starts_with("bully: "));
    CHECK(contains(line, part));
    CHECK(line.ends_with("\n"));
  }
  CHECK(node.end_by(SIGTERM).exit_code == 0);
}

}  // namespace
}  // namespace bully
