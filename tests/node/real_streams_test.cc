// real_streams_test.cc: what a process finds as its standard streams, and what becomes of what it
// writes: closed descriptors, and a limit on the size of files.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "fixture/cluster.h"
#include "fixture/said.h"
#include "node/system.h"
#include "support/process.h"

namespace bully {
namespace {

// As `<&- >&- 2>&-` does, or some of them.
std::function<void()> close_streams(unsigned which) {
  return [which] {
    for (int fd = 0; fd < 3; ++fd) {
      if ((which >> fd & 1U) != 0) close(fd);
    }
  };
}

TEST_CASE("Nodes whose standard streams are closed take part, and the trace holds only its lines") {
  for (unsigned which = 1; which < 8; ++which) {
    CAPTURE(which);
    Cluster cluster(quick_waits, close_streams(which));
    check_loss_and_return(cluster);
    cluster.end_all();
    const std::string trace = contents(cluster.scratch("trace"));
    for (std::size_t at = 0; at < trace.size();) {
      const std::size_t end = trace.find('\n', at);
      REQUIRE(end != std::string::npos);
      const std::string line = trace.substr(at, end - at);
      CHECK_MESSAGE((line.starts_with("{\"t\":") && line.ends_with('}')), line);
      at = end + 1;
    }
  }
}

TEST_CASE("A command without standard streams does its work, and says that nobody can read it") {
  const Scratch scratch;
  const std::string trace = scratch.path() + "/trace";
  const std::string nodes = "--dir=" + scratch.path() + "/nodes";
  const std::vector<Arguments> cases = {
      {"simulate", "--seed=7", "--trace=" + trace},
      {"scenario", "dolev-klawe-rodeh", "--trace=" + trace},
      {"verify", "--nodes=2"},
      {"ps", nodes},
      {"compare"},
      {"--help"},
      {"--no-such"},
  };
  const std::set<std::string> judges = {"simulate", "scenario", "verify", "compare"};
  for (const Arguments& arguments : cases) {
    CAPTURE(arguments[0]);
    const auto run = [&](std::function<void()> in_child) {
      std::filesystem::remove(trace);
      const Finished finished = run_bully(arguments, std::move(in_child));
      return std::pair(finished.outcome.exit_code, contents(trace));
    };
    const auto expected = run([] {
      const int null = open("/dev/null", O_RDWR);
      for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
    });
    for (unsigned which = 1; which < 8; ++which) {
      CAPTURE(which);
      const bool has_words = arguments[0] != "--no-such";
      const bool is_unread = has_words && (which & 1U << STDOUT_FILENO) != 0;
      const auto& [code, trace_lines] = run(close_streams(which));
      CHECK(trace_lines == expected.second);
      CHECK(code == (!is_unread ? expected.first : judges.contains(arguments[0]) ? 2 : 1));
    }
  }
}

// As after `ulimit -f`. A test's own files are small.
std::function<void()> limit_files(rlim_t bytes) {
  return [bytes] {
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_DFL);
  };
}

// A pipe with this name, which the test keeps open.
Descriptor open_fifo(const std::string& path) {
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  return Descriptor(open(path.c_str(), O_RDWR | O_CLOEXEC));
}

TEST_CASE("A limit on the size of files ends the trace with its true reason, and no node") {
  for (const rlim_t bytes : {0U, 100U, 1'000U, 8'192U}) {
    CAPTURE(bytes);
    Cluster cluster(quick_waits + Arguments{"--trace-pings"}, limit_files(bytes));
    // The log goes where no limit holds: each node's to a pipe that the test keeps open.
    const Descriptor log = open_fifo(cluster.scratch("log"));
    cluster.start_and_agree(1, 3);
    cluster.kill_and_agree(3);
    std::string said;
    const auto two_have_said_so = [&] {
      said += read_ready(log);
      return count_of(said, "the trace ends here; it cannot be written: File too large") >= 2;
    };
    CHECK_MESSAGE(wait_until(two_have_said_so), said);
    CHECK(count_of(said, "the trace ends") == count_of(said, "File too large"));
    cluster.end_all();
  }
}

TEST_CASE(
    "A node whose log has reached the limit on the size of files goes on, and says so at its end") {
  const Scratch scratch;
  const std::string nodes = scratch.path() + "/nodes";
  Child node({.arguments = {"7", "--dir=" + nodes},
              .output = scratch.path() + "/log",
              .errors = "/dev/null",
              .in_child = limit_files(64)});
  CHECK(wait_until([&] { return std::filesystem::exists(nodes + "/7"); }));
  CHECK(wait_until([&] { return contents(scratch.path() + "/log").size() == 64; }));
  CHECK(is_running(node.pid()));
  CHECK(node.end_by(SIGTERM).exit_code == 1);
}

TEST_CASE(
    "A report or a trace that reaches the limit on the size of files is a failure, and said") {
  const Scratch scratch;
  const std::string trace = scratch.path() + "/trace";
  const std::string file = scratch.path() + "/file";
  const auto check_said = [&](const Arguments& arguments, const std::string& output,
                              const std::string& said, int status = 1) {
    CAPTURE(arguments[0]);
    std::filesystem::remove(trace);
    std::filesystem::remove(file);
    // Its words go to a pipe, which has no size.
    const std::string words = scratch.path() + "/words";
    std::filesystem::remove(words);
    const Descriptor open_words = open_fifo(words);
    Child program(
        {.arguments = arguments, .output = output, .errors = words, .in_child = limit_files(300)});
    CHECK(program.end().exit_code == status);
    check_says(read_ready(open_words), {said, "File too large"});
  };
  const std::string ends = "the trace ends here";
  check_said({"simulate", "--seed=7", "--trace=" + trace}, "/dev/null", ends, 2);
  check_said({"scenario", "dolev-klawe-rodeh", "--trace=" + trace}, "/dev/null", ends, 2);
  check_said({"compare"}, file, "write standard output", 2);
  check_said({"--help"}, file, "write standard output");
  check_said({"simulate", "--seed=7"}, file, "write standard output", 2);
}

}  // namespace
}  // namespace bully
