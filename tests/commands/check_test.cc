// check_test.cc: `bully check` as a program calls it: its exit status says the verdict.
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
#include "sim/experiments.h"
#include "stage/trace_file.h"
#include "trace/trace.h"

using namespace bully;

namespace {

// A right run, as an older version wrote it: 1 and 2 start, and 1 follows 2.
const std::string older_run =
    R"({"t":1000,"node":1,"pid":11,"event":"start"}
{"t":2000,"node":1,"pid":11,"event":"state","state":"coordinator"}
{"t":3000,"node":1,"pid":11,"event":"coordinator","coordinator":1}
{"t":4000,"node":2,"pid":12,"event":"start"}
{"t":5000,"node":2,"pid":12,"event":"state","state":"coordinator"}
{"t":6000,"node":2,"pid":12,"event":"coordinator","coordinator":2}
{"t":7000,"node":2,"pid":12,"event":"send","type":"C","from":2,"to":1,"seq":1}
{"t":8000,"node":1,"pid":11,"event":"receive","type":"C","from":2,"to":1,"seq":1}
{"t":9000,"node":1,"pid":11,"event":"state","state":"follower"}
{"t":10000,"node":1,"pid":11,"event":"coordinator","coordinator":2}
)";

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

TEST_CASE("check names deposed coordinators, and a bound that an ordinary start keeps") {
  const std::string deposed =
      R"({"t":11000,"node":2,"pid":12,"event":"suspect","reason":"deposed","coordinator":2})";
  const std::string page = verdict_on(older_run + deposed + '\n').output;
  CAPTURE(page);
  CHECK(contains(page, "2 was deposed: another that should be coordinator is alive\n"));
  CHECK(!contains(page, "above its own row"));
  CHECK(contains(page, "no process follows a process lower than itself"));
}

TEST_CASE("check suggests an old file where a newer run was appended to a trace") {
  const Scratch scratch;
  const std::string path = scratch.path() + "/trace";
  const auto page = [&] { return run_bully({"check", path, "--lang=en"}).output; };
  run_bully({"scenario", "cdk", "--trace=" + path});
  CHECK(!contains(page(), "old file"));
  const Finished second = run_bully({"scenario", "naive", "--trace=" + path, "--lang=en"});
  CHECK(contains(second.errors, "is not empty: this run is appended to it"));
  CHECK(contains(page(), "From " + path + ":177 on"));
  CHECK(contains(in_one_line(page()), "was a newer run appended to an old file"));
}

TEST_CASE("check says why fewer messages are delivered than sent where a process is dead") {
  const Scratch scratch;
  const std::string path = scratch.path() + "/trace";
  run_bully({"scenario", "best-case", "--trace=" + path});
  const std::string trace = contents(path);
  const std::string refused = "refused by a dead process: 1; so delivered is below sent";
  CHECK(contains(verdict_on(trace).output, refused));
  CHECK(contains(in_one_line(run_bully({"check", path, "--lang=pt-BR"}).output),
                 "recusadas por um processo que não existe mais: 1; por isso há menos entregues"));
  // A message that was lost on the way was not refused.
  REQUIRE(contains(trace, "\"reason\":\"gone\""));
  const std::string lossy = replaced(trace, "\"reason\":\"gone\"", "\"reason\":\"deadline\"");
  CHECK(contains(verdict_on(lossy).output, "            lost "));
  CHECK(!contains(verdict_on(lossy).output, "refused by a dead process"));
}

TEST_CASE("check judges a variant by its own rules, and accuses no other version") {
  const Scratch scratch;
  const std::string path = scratch.path() + "/trace";
  run_bully({"scenario", "naive", "--trace=" + path});
  const std::string trace = contents(path);
  CHECK(verdict_on(trace).output.starts_with("RIGHT   algorithm bully (naive), "));
  const std::string unnamed = replaced(trace, ",\"variant\":\"naive\"", "");
  const Finished verdict = verdict_on(unnamed);
  CHECK(verdict.outcome.exit_code == 1);
  CHECK(contains(verdict.output, "2 sends ANSWER to 1; by its rules it now acts by the rule"));

  const std::string core = "\"core\":" + std::to_string(core_version());
  REQUIRE(contains(trace, core));
  CHECK(verdict_on(replaced(trace, core, "\"core\":1")).output.starts_with("RIGHT "));
  const Finished other = verdict_on(replaced(unnamed, core, "\"core\":1"));
  CHECK(other.outcome.exit_code == 2);
  CHECK(contains(other.output, "another version of bully wrote the lines of these nodes"));
  CHECK(!contains(other.output, "✗"));

  const Finished unknown = verdict_on(replaced(trace, "naive", "clever"));
  CHECK(unknown.outcome.exit_code == 2);
  CHECK(contains(unknown.errors, "variant"));
}

TEST_CASE("check exits with 2 for a trace of an older version, whose rules cannot be checked") {
  const Finished verdict = verdict_on(older_run);
  CAPTURE(verdict.output);
  CHECK(verdict.outcome.exit_code == 2);
  CHECK(contains(verdict.output, "an older version wrote the lines of these nodes"));
  CHECK(contains(verdict.output, "? ends"));
  CHECK(!contains(verdict.output, "✗"));
}

TEST_CASE("check exits with 1 for a run that breaks a property, and names it with its line") {
  const Scratch scratch;
  std::ofstream(scratch.path() + "/script") << "nodes 1..2\nrun\n";
  const std::string trace = scratch.path() + "/trace";
  run_bully({"scenario", scratch.path() + "/script", "--trace=" + trace});
  std::string lines = contents(trace);
  // A receipt that nobody has sent, while both are there.
  const std::size_t end = lines.find("\n", lines.rfind("\"event\":\"coordinator\"")) + 1;
  const std::string time = lines.substr(end, lines.find(',', end) - end);
  lines.insert(end, time +
                        R"(,"node":1,"pid":1,"event":"receive","type":"C","from":2,"to":1,"seq":9})"
                        "\n");
  const Finished verdict = verdict_on(lines);
  CAPTURE(verdict.output);
  CHECK(verdict.outcome.exit_code == 1);
  CHECK(verdict.output.starts_with("VIOLATED "));
  CHECK(contains(verdict.output, "\u2717 sent "));
  CHECK(contains(verdict.output,
                 "trace:" + std::to_string(count_of(lines.substr(0, end), "\n") + 1)));
}

TEST_CASE("check exits with 2 where nothing can be told, and says why") {
  const std::string election_open =
      older_run + R"({"t":11000,"node":1,"pid":11,"event":"state","state":"candidate"})"
                  "\n";
  const Finished open = verdict_on(election_open);
  CAPTURE(open.output);
  CHECK(open.outcome.exit_code == 2);
  CHECK(open.output.starts_with("INCONCLUSIVE "));

  const Finished damaged = verdict_on("this is no trace\n" + older_run);
  CHECK(damaged.outcome.exit_code == 2);
  CHECK(damaged.output.empty());
  CHECK(contains(damaged.errors, "trace:1: not a JSON object"));
}

TEST_CASE("check ends with the rules that a run has shown, and those that it has not") {
  const Scratch scratch;
  const std::string trace = scratch.path() + "/trace";
  run_bully({"scenario", "tanenbaum", "--trace=" + trace});
  const std::string shown = run_bully({"check", trace, "--lang=en"}).output;
  CAPTURE(shown);
  const std::size_t shown_at = shown.find("\nRules that this run has shown: 12 of 22\n");
  const std::size_t not_shown_at = shown.find("\nRules that it has not shown: 10 of 22\n");
  const std::size_t ask_at = shown.find(
      "\n   3 ×  ask              It sends ELECTION to every process with a higher id.\n"
      "                         [Tan95, WP 1]\n");
  const std::size_t gone_at = shown.find("\n        gone             No process is behind");
  REQUIRE(gone_at != std::string::npos);
  CHECK(shown_at < ask_at);
  CHECK(ask_at < not_shown_at);
  CHECK(not_shown_at < gone_at);

  const auto json = parse_json(run_bully({"check", trace, "--json", "--lang=pt-BR"}).output);
  REQUIRE(json);
  const std::vector<Json>& rules = (*json)["rules"].elements;
  REQUIRE(rules.size() == 22);
  CHECK(rules[4]["key"].text == "ask");
  CHECK(rules[4]["fired"].as_unsigned() == 3);
  CHECK(rules[4]["source"].text == "[Tan95, WP 1]");
  CHECK(rules[4]["words"].text == "It sends ELECTION to every process with a higher id.");
  CHECK(rules[15]["fired"].as_unsigned() == 0);
  CHECK(rules[15]["deviation"].as_unsigned() == 1);

  // Two elections on a ring share rules: none of them is named twice.
  for (const std::string algorithm : {"dolev-klawe-rodeh", "chang-roberts"}) {
    const std::string its_trace = trace + '.' + algorithm;
    run_bully({"simulate", "--seed=1", "--algorithm=" + algorithm, "--trace=" + its_trace});
    const std::string verdict = run_bully({"check", its_trace, "--lang=en"}).output;
    CHECK(verdict.starts_with("RIGHT   algorithm " + algorithm + ','));
  }
  const Finished both =
      run_bully({"check", trace + ".dolev-klawe-rodeh", trace + ".chang-roberts", "--lang=pt-BR"});
  CHECK(contains(both.output, " de 25\n"));
}

TEST_CASE("check says if a trace names no rules") {
  const std::string says =
      "\nThe trace names no rules: an older version of this program recorded it";
  CHECK(contains(verdict_on(older_run).output, says));
  CHECK(contains(verdict_on(older_run, {"--json"}).output, "\n \"rules\":null}"));
}

TEST_CASE("check of a real cluster's trace exits with 0") {
  Cluster cluster;
  const std::string trace = cluster.scratch("checked");
  cluster.start_and_agree(1, 3, {"--trace=" + trace});
  cluster.kill_and_agree(3);
  cluster.end_all();
  const Finished finished = run_bully({"check", trace, "--lang=en"});
  CAPTURE(finished.output);
  CHECK(finished.outcome.exit_code == 0);
  CHECK(finished.output.starts_with("RIGHT "));
  CHECK(finished.errors.empty());
  CHECK(run_bully({"check", trace, "--json"}).outcome.exit_code == 0);
}

TEST_CASE("more than a gigabyte of trace is refused at once, with a command that takes a part") {
  const Scratch scratch;
  const std::string run = scratch.path() + "/a run";
  const std::string other = scratch.path() + "/other";
  const std::string part = scratch.path() + "/part.jsonl";
  const std::uintmax_t bytes = simulate(run, "bully", 100);
  std::filesystem::copy(run, other);
  const auto refusal = [&](Arguments arguments, const std::string& most = "1,000") {
    arguments.emplace_back("--lang=en");
    const Finished finished = run_bully(arguments);
    CHECK(finished.outcome.exit_code == 2);
    CHECK(finished.output.empty());
    CHECK(contains(finished.errors,
                   "more than " + most + " MB of trace is too much to read at once"));
    const std::size_t begin = finished.errors.find('`') + 1;
    return finished.errors.substr(begin, finished.errors.find('`', begin) - begin);
  };
  // A small trace in the place of a large one, and so a smaller part.
  const auto take_part = [&](std::string command) {
    std::filesystem::resize_file(run, bytes);
    const std::string most = "1000000000";
    command.replace(command.find(most), most.size(), "20000");
    command = "cd " + scratch.path() + " && (" + command + ") 2>/dev/null";  // a broken pipe
    REQUIRE(std::system(command.c_str()) == 0);
    CHECK(std::filesystem::file_size(part) <= 20'000);
    CHECK(std::filesystem::file_size(part) > 19'000);
    return run_bully({"check", "--lang=en", part});
  };

  // What is added is a hole: it is never read.
  std::filesystem::resize_file(run, std::uintmax_t{20} << 30);
  const std::string command = refusal({"check", run});
  CHECK(refusal({"diagram", run}) == command);
  refusal({"watch", "--dir=" + scratch.path() + "/nodes", "--trace=" + run}, "200");
  const Finished beginning = take_part(command);
  CHECK(beginning.output.starts_with("INCONCLUSIVE"));
  CHECK(!contains(beginning.output, "cut off"));

  std::filesystem::resize_file(run, 1'000'000'001 - bytes);
  take_part(refusal({"check", run, other}));
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
    trace << R"({"t":)" << id << R"(,"node":)" << id << R"(,"pid":1,"event":"start"})" << '\n';
  }
  trace.close();
  const auto errors = [&](const std::string& option) {
    const Finished finished = run_bully({"diagram", "--lang=en", option, path});
    CHECK(finished.outcome.exit_code == (finished.errors.empty() ? 0 : 1));
    return finished.errors;
  };
  CHECK(contains(errors("--election=all"), "a picture of 8000 records would take about "));
  CHECK(contains(errors("--election=all"), "draw one election with --election=K"));
  CHECK(contains(errors("--election=all"), ", or draw a shorter trace"));
  CHECK(errors("--election=1").empty());
}

TEST_CASE("diagram advises to draw one election only if all were to be drawn") {
  const Scratch scratch;
  const std::string path = scratch.path() + "/trace";
  for (const std::string algorithm : {"bully", "dolev-klawe-rodeh"}) {
    CAPTURE(algorithm);
    const std::string format = algorithm == "dolev-klawe-rodeh" ? "ring-svg" : "svg";
    run_bully(
        {"simulate", "--seed=1", "--algorithm=" + algorithm, "--nodes=60", "--trace=" + path});
    const auto advice = [&](const std::string& option) {
      const Finished finished = run_bully({"diagram", path, "--format=" + format, option});
      CHECK(finished.outcome.exit_code == 1);
      CHECK(contains(finished.errors, "too large"));
      return finished.errors;
    };
    const std::string other = algorithm == "dolev-klawe-rodeh" ? "html or ring" : "html or text";
    CHECK(contains(advice("--election=all"), "draw one election with --election=K (K from 1 to "));
    CHECK(contains(advice("--election=all"), "), or choose --format=" + other));
    CHECK(contains(advice("--election=1"), "choose --format=" + other));
    CHECK(!contains(advice("--election=1"), "--election=K"));
    std::filesystem::remove(path);
  }
}

TEST_CASE("check and diagram take less memory than the trace has bytes") {
  const Scratch scratch;
  const std::string path = scratch.path() + "/trace";
  for (const auto& [algorithm, crashes] :
       {std::pair("bully", 2800), std::pair("dolev-klawe-rodeh", 800)}) {
    std::filesystem::remove(path);
    const std::uintmax_t trace_bytes = simulate(path, algorithm, crashes);
    CAPTURE(trace_bytes);
    REQUIRE(trace_bytes > std::uintmax_t{8} << 20);
    const rlim_t program = rlim_t{8} << 20;
    const rlim_t most = program + trace_bytes;
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
