// check_test.cc: `bully check` and `bully diagram` of traces, by their session, and of some that
// are too long or damaged for one.
#include <doctest/doctest.h>

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/layout.h"
#include "base/text.h"
#include "fixture/cluster.h"
#include "fixture/said.h"
#include "fixture/session.h"
#include "fixture/started.h"
#include "sim/experiments.h"
#include "stage/trace_file.h"
#include "trace/trace.h"

using namespace bully;

namespace {

// What `bully check` says of such a trace.
Finished verdict_on(const std::string& trace, const Arguments& options = {}) {
  const Scratch scratch;
  const std::string path = scratch.path() + "/trace";
  std::ofstream(path) << trace;
  Arguments arguments = {"check", path, "--lang=en"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return run_bully(arguments);
}

// A long run, with so many crashes and as many restarts. Returns the trace's size.
std::uintmax_t simulate(const std::string& path, const std::string& algorithm, int crashes) {
  SweepOptions options{.nodes = 10, .world = {}};
  options.world.algorithm = &algorithm_named(algorithm);
  options.crashes = options.restarts = static_cast<std::uint32_t>(crashes);
  options.faults_last = std::chrono::minutes(10);
  TraceFile trace(path);
  sweep_one(options, 1, &trace);
  return std::filesystem::file_size(path);
}

}  // namespace

TEST_CASE("check exits with 1 for a run that breaks a property, and names it with its line") {
  const Scratch scratch;
  std::ofstream(scratch.path() + "/script") << "nodes 1..2\nrun\n";
  const std::string trace = scratch.path() + "/trace";
  run_bully({"scenario", scratch.path() + "/script", "--trace=" + trace});
  std::string lines = contents(trace);
  // A receipt that nobody has sent, while both are there.
  const std::size_t end = lines.find("\n", lines.rfind("\"event\":\"coordinator\"")) + 1;
  const std::string time = lines.substr(end, lines.find(',', end) - end);
  lines.insert(
      end, time + R"(,"node":1,"pid":1,"n":4,"event":"receive","type":"C","from":2,"to":1,"seq":9})"
                  "\n");
  const Finished verdict = verdict_on(lines);
  CAPTURE(verdict.output);
  CHECK(verdict.outcome.exit_code == 1);
  CHECK(verdict.output.starts_with("VIOLATED "));
  CHECK(contains(verdict.output, "\u2717 sent "));
  CHECK(contains(verdict.output,
                 "trace:" + std::to_string(count_of(lines.substr(0, end), "\n") + 1)));
}

TEST_CASE("more than 300 MB of trace is refused at once, with a command that takes a part") {
  const Scratch scratch;
  const std::string run = scratch.path() + "/a run";
  const std::string other = scratch.path() + "/other";
  const std::string part = scratch.path() + "/part.jsonl";
  const std::uintmax_t bytes = simulate(run, "bully", 100);
  std::filesystem::copy(run, other);
  const auto refusal = [&](Arguments arguments, const std::string& files, const std::string& size) {
    arguments.emplace_back("--lang=en");
    const Finished finished = run_bully(arguments);
    CHECK(finished.outcome.exit_code == 2);
    CHECK(finished.output.empty());
    CHECK(contains(finished.errors, files + " has more than " + size + " MB, and at most 300 MB"));
    const std::size_t begin = finished.errors.find('`') + 1;
    return finished.errors.substr(begin, finished.errors.find('`', begin) - begin);
  };
  // A small trace in the place of a large one, and so a smaller part.
  const auto take_part = [&](std::string command) {
    std::filesystem::resize_file(run, bytes);
    const std::string most = "300000000";
    command.replace(command.find(most), most.size(), "20000");
    command = "cd " + scratch.path() + " && (" + command + ") 2>/dev/null";  // a broken pipe
    REQUIRE(std::system(command.c_str()) == 0);
    CHECK(std::filesystem::file_size(part) <= 20'000);
    CHECK(std::filesystem::file_size(part) > 19'000);
    return run_bully({"check", "--lang=en", part});
  };

  // What is added is a hole: it is never read.
  std::filesystem::resize_file(run, std::uintmax_t{20} << 30);
  const std::string command = refusal({"check", run}, run, "21,474");
  CHECK(refusal({"diagram", run}, run, "21,474") == command);
  refusal({"watch", "--dir=" + scratch.path() + "/nodes", "--trace=" + run}, run, "21,474");
  const Finished beginning = take_part(command);
  CHECK(beginning.output.starts_with("INCONCLUSIVE"));
  CHECK(!contains(beginning.output, "cut off"));

  std::filesystem::resize_file(run, 300'000'001 - bytes);
  take_part(refusal({"check", run, other}, run + ", " + other, "300"));
  std::vector<std::int64_t> times;
  for (const std::string& line : lines_in(contents(part))) {
    times.push_back(parse_trace_line(line).t_ns);
  }
  CHECK(times.size() > 100);
  CHECK(times[0] == times[1]);  // the same line of both
  CHECK(std::ranges::is_sorted(times));
}

TEST_CASE("diagram refuses a picture that would take more than a gigabyte") {
  const Scratch scratch;
  const std::string path = scratch.path() + "/trace";
  std::ofstream trace(path);
  for (int id = 1; id <= 8000; ++id) {
    trace << start_line(static_cast<NodeId>(id), 1, id);
    if (id > 1) continue;
    // The first wins alone: a short election.
    trace << trace_line({.t_ns = 1,
                         .node = 1,
                         .pid = 1,
                         .n = 2,
                         .event = TraceEvent::state,
                         .state = "coordinator"});
    trace << trace_line({.t_ns = 1,
                         .node = 1,
                         .pid = 1,
                         .n = 3,
                         .event = TraceEvent::coordinator,
                         .coordinator = 1});
  }
  trace.close();
  const auto errors = [&](const std::string& option) {
    const Finished finished = run_bully({"diagram", "--lang=en", option, path});
    CHECK(finished.outcome.exit_code == (finished.errors.empty() ? 0 : 1));
    return finished.errors;
  };
  CHECK(contains(errors("--election=all"), "a picture of 8,002 records would take about "));
  CHECK(contains(errors("--election=all"), "draw one election with --election=K"));
  CHECK(contains(errors("--election=all"), ", or draw a shorter trace"));
  CHECK(errors("--election=1").empty());
}

TEST_CASE("check and diagram take at most seven times the memory that the trace has bytes") {
  const Scratch scratch;
  const std::string path = scratch.path() + "/trace";
  for (const auto& [algorithm, crashes] :
       {std::pair("bully", 2800), std::pair("dolev-klawe-rodeh", 800)}) {
    std::filesystem::remove(path);
    const std::uintmax_t trace_bytes = simulate(path, algorithm, crashes);
    CAPTURE(trace_bytes);
    REQUIRE(trace_bytes > std::uintmax_t{8} << 20);
    const rlim_t program = rlim_t{8} << 20;
    const rlim_t most = program + 7 * trace_bytes;
    const auto limit = [most] {
      const rlimit memory{most, most};
      setrlimit(RLIMIT_AS, &memory);
    };
    const Finished checked =
        run_to_end(scratch.path(), {.arguments = {"check", "--lang=en", path}, .in_child = limit});
    CHECK_MESSAGE(contains(checked.output, " lines\n"), checked.errors);
    const Finished drawn = run_to_end(
        scratch.path(), {.arguments = {"diagram", "--election=1", path}, .in_child = limit});
    CHECK_MESSAGE(drawn.outcome.exit_code == 0, drawn.errors);
  }
}

TEST_CASE("check and diagram say what a trace shows, and what to do where it does not tell") {
  check_session("tests/commands/check.session");
}
