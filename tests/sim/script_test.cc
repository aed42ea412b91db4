// The scenario language, its errors, and every built-in lesson.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/carried.h"
#include "base/layout.h"
#include "base/text.h"
#include "fixture/played.h"
#include "sim/player.h"
#include "sim/script.h"
#include "sim/script_text.h"
#include "support/process.h"
#include "support/sinks.h"
#include "trace/trace.h"
#include "view/errors.h"

namespace bully {
namespace {

std::string error_in(std::string_view text, const Algorithm* instead = nullptr) {
  const auto result = parse_scenario("f", text, instead);
  const auto* error = std::get_if<ScenarioError>(&result);
  return error == nullptr ? "no error" : words_of(*error, Language::english);
}

// Its error, or what does not go as it says, without the name of the file.
std::string result_of(const std::string& script) {
  const std::string error = error_in(script);
  if (error != "no error") return error.substr(std::string("f:").size());
  const std::string broken = play_script(script).broken;
  return broken.empty() ? "holds" : broken.substr(0, broken.size() - 1);
}

}  // namespace

// An error names a lesson and a line: who looks it up finds that line in the lesson's file.
TEST_CASE("every step of a lesson stands at its line of the file") {
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator("src/lessons")) {
    const std::string name = file.path().stem();
    const auto lesson = find_carried(lessons(), name.substr(name.find('-') + 1));
    CAPTURE(name);
    REQUIRE(lesson);
    const std::vector<std::string> lines = lines_in(contents(file.path()));
    for (const Step& step : parsed(*lesson).steps) {
      CAPTURE(step.line);
      const auto line = static_cast<std::size_t>(step.line);
      REQUIRE(line <= lines.size());
      CHECK(lines[line - 1].find(step.text) != std::string::npos);
    }
    ++files;
  }
  CHECK(files == lessons().size());
}

TEST_CASE("every lesson says everything in all languages, in turn") {
  for (const CarriedText& lesson : lessons()) {
    CAPTURE(lesson.name);
    std::set<Language> said;  // since the last step that is not words
    int explained = 0;
    for (const Step& step : parsed(lesson.text).steps) {
      CAPTURE(step.line);
      if (step.verb == Verb::say) {
        said.insert(step.language);
        continue;
      }
      CHECK((said.empty() || said.size() == language_count));
      explained += said.empty() ? 0 : 1;
      said.clear();
      if (step.verb == Verb::frame) {
        for (const std::string& label : step.words) CHECK_FALSE(label.empty());
      }
    }
    CHECK((said.empty() || said.size() == language_count));
    CHECK(explained > 0);
  }
}

TEST_CASE("an error names its line, its column and what was expected") {
  CHECK(error_in("") == "f:1:1: expected a line 'nodes …', found the end of the line");
  // It names all steps that there are.
  CHECK(
      error_in("nodes 1..3\n  crahs 3").starts_with("f:2:3: expected en:, pt: or any of title, "));
  CHECK(error_in("nodes 1..3\n  crahs 3").ends_with(", frame, expect, found 'crahs'"));
  CHECK(error_in("nodes 1\nen: \x1b[2J") ==
        "f:2:5: expected text in UTF-8 without control characters, found '\\x1b'");
  CHECK(error_in("pt: ol\xc3\xa1 \xc2\x9b") ==
        "f:1:10: expected text in UTF-8 without control characters, found '\\xc2\\x9b'");
  CHECK(error_in("en: a\rb\r\nnodes 1") ==
        "f:1:6: expected text in UTF-8 without control characters, found '\\x0d'");
}

TEST_CASE("another algorithm takes a script's place where the script's steps allow it") {
  const Algorithm* ring = find_algorithm("dolev-klawe-rodeh");
  const std::string_view plain = "nodes 1..4\ncrash 4\nrun\nexpect coordinator 3\n";
  const auto result = parse_scenario("f", plain, ring);
  REQUIRE(std::holds_alternative<Scenario>(result));
  const auto& scenario = std::get<Scenario>(result);
  CHECK(&scenario.algorithm() == ring);
  CHECK(scenario.options.is_fifo());
  SimulatedBackend stage(scenario);
  Played played;
  CHECK(play(scenario, stage, played).kept == 1);
  CHECK(stage.world().protocol(3).variables()[0].name == "d");
  CHECK(error_in("nodes 1\nhold", ring) ==
        "f:2:1: expected a step that does not depend on the algorithm, as dolev-klawe-rodeh takes "
        "the place of bully, found 'hold'");
  CHECK(error_in("protocol naive\nnodes 1", ring) ==
        "f:1:1: expected a script that does not depend on the algorithm, as dolev-klawe-rodeh "
        "takes the place of bully, found 'protocol'");
  CHECK(error_in("algorithm dolev-klawe-rodeh\nnodes 1 2\nhold", ring) == "no error");
  CHECK(error_in("\xEF\xBB\xBFnodes 1\r\n", ring) == "no error");  // as an editor writes it
}

TEST_CASE("a frame without a label is a picture too, and labels in two languages are of one") {
  const auto frames_of = [](std::string_view frames) {
    return std::get<Scenario>(parse_scenario("f", "nodes 1 2\n" + std::string(frames)))
               .steps.size() -
           1;
  };
  CHECK(frames_of("frame\nframe\nframe pt: x\n") == 3);
  CHECK(frames_of("frame en: x\nframe pt: x\nframe pt: y\n") == 2);
}

TEST_CASE("the states that a table's row names are those that its protocol takes") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    std::set<std::string_view> seen;
    EachRecord states([&](const Record& record) {
      if (record.event == TraceEvent::state) seen.insert(record.state);
    });
    const WorldOptions options{.algorithm = &algorithm};
    World world(options, &states, algorithm.make);
    for (NodeId id = 1; id <= 4; ++id) world.start(id);
    world.run_until_quiescent(std::chrono::seconds(60));
    world.crash(4);
    world.run_until_quiescent(std::chrono::seconds(60));
    for (const std::string_view state : seen) {
      const auto found = std::ranges::find_if(
          algorithm.states, [&](const StateKind& kind) { return kind.name == state; });
      CHECK(found != algorithm.states.end());
    }
    CHECK(seen.size() > 2);
  }
}

TEST_CASE("a step that happens is written as it is read") {
  const std::vector<std::string> lines = {
      "nodes 1..4",
      "start 9",
      "restart 7",
      "crash 7",
      "leave 1 4..7 9 10",
      "ring 1 3 2 4",
      "pause 7",
      "resume 7",
      "slow 7 by 20",
      "suspect all",
      "suspect all hung",
      "suspect 4",
      "suspect 4 hung",
      "suspect 4 of 7 deposed",
      "check 6",
      "check 6 of 2",
      "partition 0..3 from 4..7",
      "cut 4 to 6",
      "heal",
      "loss 5%",
      "run",
      "run 600ms",
      "run 60s",
      "hold",
      "deliver",
      "deliver ELECTION from 4 to 6 only 2",
      "deliver gone from 7 to 4",
      "drop COORDINATOR from 6 to 4",
      "expire 6 answer",
      "expire 6 coordinator duly",
      "count",
  };
  for (const std::string& line : lines) {
    const std::string nodes = line.starts_with("nodes")  ? ""
                              : line.starts_with("ring") ? "algorithm chang-roberts\nnodes 1..4\n"
                                                         : "nodes 0..9\n";
    CHECK(line_of(parsed(nodes + line).steps.back()) == line);
  }
}

TEST_CASE("each script of wrong.scripts has its error, or breaks these expectations") {
  const std::string arrow = " → ";
  std::size_t scripts = 0;
  for (const std::string& line : lines_in(contents("tests/sim/wrong.scripts"))) {
    const std::size_t mark = line.find(arrow);
    if (line.empty() || line.starts_with('#') || line.starts_with("==")) continue;
    CAPTURE(line);
    REQUIRE(mark != std::string::npos);
    const auto told = [&](std::string part) { return replaced(std::move(part), " / ", "\n"); };
    CHECK(result_of(told(line.substr(0, mark))) == told(line.substr(mark + arrow.size())));
    ++scripts;
  }
  CHECK(scripts > 60);
}

}  // namespace bully
