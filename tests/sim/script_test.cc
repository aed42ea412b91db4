// The scenario language, its errors, and every built-in lesson.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/carried.h"
#include "base/layout.h"
#include "fixture/played.h"
#include "sim/player.h"
#include "sim/script.h"
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

struct WrongScript {
  std::string script;
  std::string place;     // line and column
  std::string expected;  // and what was found
};
// `before`: the lines before each.
void check_errors(const std::vector<WrongScript>& all, const std::string& before = "") {
  for (const WrongScript& wrong : all) {
    CAPTURE(wrong.script);
    CHECK(error_in(before + wrong.script) == "f:" + wrong.place + ": expected " + wrong.expected);
  }
}

std::string broken_in(std::string_view script) {
  return play_script(script).broken;
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
  check_errors({
      {"nodes 1..3\ncrash x", "2:7", "a node's id, found 'x'"},
      {"nodes 1..3\ncrash", "2:6", "a node's id, found the end of the line"},
      {"nodes 1..3\ncrash 3 2", "2:9", "the end of the line, found '2'"},
      {"nodes 3..1", "1:7", "a node's id, or a range such as 0..7, found '3..1'"},
      {"nodes 0..100000", "1:7", "a range of at most 100000 ids, found '0..100000'"},
      {"nodes 1\nen: \x1b[2J", "2:5", "text in UTF-8, found '\\x1b'"},
      {"pt: ol\xc3\xa1 \xc2\x9b", "1:10", "text in UTF-8, found '\\xc2\\x9b'"},
      {"en: a\rb\r\nnodes 1", "1:6", "text in UTF-8, found '\\x0d'"},
      {"nodes", "1:6", "a node's id, or a range such as 0..7, found the end of the line"},
      {"nodes 1\nnodes 2", "2:1", "'nodes' only once, found 'nodes'"},
      {"crash 1\nnodes 1", "1:1", "'nodes' before any other step, found 'crash'"},
      {"nodes 1\nseed 4", "2:1", "this setting before 'nodes', found 'seed'"},
      {"seed x", "1:6", "a number, found 'x'"},
      {"title fr: x", "1:7", "a language such as 'en:' or 'pt:', found 'fr:'"},
      {"detector none", "1:10", "any of 'eof', 'off', 'ping', found 'none'"},
      {"protocol raft", "1:10", "any of 'bully', 'naive', found 'raft'"},
      {"delay fixed 5", "1:13", "a duration such as 500ms or 2s, found '5'"},
      {"delay uniform 5ms 1ms", "1:19", "a duration not shorter than the first, found '1ms'"},
      {"delay odd 5ms", "1:7", "any of 'fixed', 'long', 'uniform', found 'odd'"},
      {"timeout tea 5s", "1:9", "any of 'answer', 'coordinator', 'ping', found 'tea'"},
      {"interval pong 5s", "1:10", "'ping', found 'pong'"},
      {"interval ping 0s", "1:15", "an interval above zero, found '0s'"},
  });
}

TEST_CASE("an error in a step names its line, its column and what was expected") {
  check_errors(
      {
          {"loss 5", "2:6", "a percentage such as 5%, found '5'"},
          {"loss 101%", "2:6", "a percentage such as 5%, found '101%'"},
          {"slow 1 20", "2:8", "'by', found '20'"},
          {"slow 1 by x", "2:11", "a factor, found 'x'"},
          {"cut 1 2", "2:7", "'to', found '2'"},
          {"partition 1 2 3", "2:16", "'from', found the end of the line"},
          {"partition 1 3 5..7 from 2 4 6 7", "2:29", "node 6 on only one side, found '6'"},
          {"partition 3 from 3", "2:18", "node 3 on only one side, found '3'"},
          {"cut 2 to 2", "2:10", "a node other than 2, found '2'"},
          {"suspect 1 dead", "2:11", "any of 'deposed', 'down', 'hung', found 'dead'"},
          {"deliver X", "2:9",
           "any of 'ANSWER', 'C', 'COORDINATOR', 'E', 'ELECTION', 'PE', found 'X'"},
          {"expire 1 ping", "2:10", "any of 'answer', 'coordinator', found 'ping'"},
          {"run fast", "2:5", "a duration such as 500ms or 2s, found 'fast'"},
          {"expect peace", "2:8",
           "any of 'coordinator', 'no coordinator', 'coordinators', 'state', "
           "'property', 'messages', found 'peace'"},
          {"expect state waiting 1", "2:22", "'at', found '1'"},
          {"expect messages E x", "2:19", "a number of messages, found 'x'"},
      },
      "nodes 1..3\n");
}

TEST_CASE("a script's words for messages, states and variables are those of its algorithm") {
  check_errors({
      {"algorithm raft", "1:11",
       "any of 'bully', 'chang-roberts', 'dolev-klawe-rodeh', 'garcia-molina', "
       "'hirschberg-sinclair', 'tanenbaum-ring', found 'raft'"},
      {"links slow", "1:7", "any of 'fifo', 'reorder', found 'slow'"},
      {"algorithm dolev-klawe-rodeh\nprotocol naive\nnodes 1..3", "3:1",
       "'protocol naive' only with bully, found 'nodes'"},
  });
  const std::string on_ring = "algorithm dolev-klawe-rodeh\nnodes 1..3\n";
  check_errors({
      {on_ring + "deliver E", "3:9",
       "any of 'J', 'JOIN', 'L', 'LEADER', 'SECOND', 'V', 'V2', 'VALUE', found "
       "'E'"},
      {on_ring + "expect state waiting at 1", "3:14",
       "any of 'active', 'coordinator', 'down', 'follower', 'joining', 'relay', "
       "found 'waiting'"},
      {on_ring + "expect g 4 at 1", "3:8",
       "any of 'd', 'e', 'f', 'coordinator', 'no coordinator', 'coordinators', "
       "'state', 'property', 'messages', found 'g'"},
      {on_ring + "expect d x at 1", "3:10", "a node's id, found 'x'"},
      {on_ring + "ring 1 2 1", "3:6", "each id only once, found '1'"},
  });
}

TEST_CASE("an older script's name of an algorithm is read, and means the one of today") {
  const Scenario scenario = parsed("algorithm ring\nnodes 1..3\nexpect d 1 at 1");
  CHECK(&scenario.algorithm() == find_algorithm("dolev-klawe-rodeh"));
}

TEST_CASE("a ring in a script: the order of processes, their variables, and the cost") {
  const std::string broken = broken_in(
      "algorithm dolev-klawe-rodeh\ndetector off\nnodes 1..5\nleave 5\nring 1 3 2 4\nsuspect "
      "all\nrun\n"
      "expect messages VALUE 12 SECOND 8 LEADER 4 all 24\nexpect messages V 1 all 24\n"
      "expect d 4 e 4 at 4\nexpect f nothing at 1\nexpect d 9 at 2 9\nexpect coordinator 4\n");
  CHECK(broken ==
        "9: expect messages V 1 all 24: sent: V 12 V2 8 L 4 J 0 all 24\n"
        "10: expect d 4 e 4 at 4: 4 has e = 2\n"
        "11: expect f nothing at 1: 1 has f = 4\n"
        "12: expect d 9 at 2 9: 2 has d = 4\n");
}

TEST_CASE("a process that leaves takes its name along") {
  const std::string broken = broken_in(
      "detector off\nnodes 1..4\nleave 3 4\nsuspect 1\nrun\nexpect coordinator 2\n"
      "expect messages E 1 PE 1 C 1\nstart 4\nrun\nexpect coordinator 4\n");
  CHECK(broken == "");
  CHECK(broken_in("nodes 1..3\nleave 3\nexpect coordinator 1 at 3") ==
        "3: expect coordinator 1 at 3: no node is running\n");
}

TEST_CASE("on a FIFO link no message is delivered before an older one") {
  const std::string steps =
      "detector off\nnodes 1..4\nleave 4\nhold\nsuspect 1\ndeliver V from 1 to 2\n"
      "deliver SECOND from 2 to 3\n";
  CHECK(broken_in("algorithm dolev-klawe-rodeh\n" + steps) ==
        "8: deliver SECOND from 2 to 3: the links are FIFO, and an older message has to "
        "arrive first\n");
  CHECK(broken_in("algorithm dolev-klawe-rodeh\nlinks reorder\n" + steps) == "");
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
        "f:2:1: expected a script that does not depend on the algorithm, as dolev-klawe-rodeh "
        "takes the place of bully, found 'nodes'");
  CHECK(error_in("algorithm dolev-klawe-rodeh\nnodes 1 2\nhold", ring) == "no error");
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

TEST_CASE("an expectation that does not hold is told, and the play goes on") {
  const std::string broken = broken_in(
      "detector off\nnodes 1..3\ncrash 3\nsuspect 1\nrun\n"
      "expect coordinator 3\nexpect messages E 1\nexpect state waiting at 2\n"
      "expect coordinators 1\nexpect coordinator 2 at 1 9\n");
  CHECK(broken ==
        "6: expect coordinator 3: 1 follows 2, 2 follows 2\n"
        "7: expect messages E 1: sent: E 3 PE 1 C 1 all 5\n"
        "8: expect state waiting at 2: 2 is coordinator\n"
        "9: expect coordinators 1: these believe they are coordinator: 2\n"
        "10: expect coordinator 2 at 1 9: no node 9 ever started\n");
}

TEST_CASE("an expectation of all is one of stopped nodes too, and names them as the cause") {
  CHECK(broken_in("detector off\nnodes 1..4\npause 2\ncrash 4\nsuspect 3\nrun\n"
                  "expect coordinator 3\nexpect coordinator 3 at 1 3\nexpect no coordinator 4\n"
                  "expect coordinator 3 at 2\nexpect coordinator 4 at 2\n") ==
        "7: expect coordinator 3: 2 is stopped and still follows 4\n"
        "9: expect no coordinator 4: 2 is stopped and still follows 4\n"
        "10: expect coordinator 3 at 2: 2 is stopped and still follows 4\n");
  // One that was stopped while it asked follows no process.
  CHECK(broken_in(
            "detector off\nnodes 1..3\ncrash 3\nhold\nsuspect 1\npause 1\nexpect coordinator 3") ==
        "7: expect coordinator 3: 1 is stopped and follows no process\n");
  // There is something that the expectation is about, if only stopped nodes.
  CHECK(broken_in("nodes 1\npause 1\nexpect coordinator 1") == "");
  CHECK(broken_in("nodes 1\ncrash 1\nexpect coordinator 1") ==
        "3: expect coordinator 1: no node is running\n");
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
    const std::string nodes = line.starts_with("nodes") ? "" : "nodes 0..9\n";
    CHECK(line_of(parsed(nodes + line).steps.back()) == line);
  }
}

TEST_CASE("a step that goes wrong ends the play") {
  CHECK(broken_in("nodes 1\ncrash 2\nexpect coordinator 7") ==
        "2: crash 2: no node 2 ever started\n");
  CHECK(broken_in("nodes 1 2\nhold\ndeliver E") == "3: deliver E: no such message is in flight\n");
  CHECK(broken_in("nodes 1 2\nexpire 1 answer") ==
        "2: expire 1 answer: node 1 has no such timer running\n");
}

TEST_CASE("only a process that runs can be stopped, and only a stopped one goes on") {
  CHECK(broken_in("nodes 1..3\npause 2\npause 2\ncrash 3") ==
        "3: pause 2: node 2 is stopped already\n");
  CHECK(broken_in("nodes 1..3\nresume 2") == "2: resume 2: node 2 is not stopped\n");
  CHECK(broken_in("nodes 1..3\npause 2\nresume 2\nrun\nresume 2") ==
        "5: resume 2: node 2 is not stopped\n");
  CHECK(broken_in("nodes 1..3\ncrash 2\npause 2") == "3: pause 2: node 2 is not running\n");
  CHECK(broken_in("nodes 1..3\npause 2\ncrash 2\nresume 2") ==
        "4: resume 2: node 2 is not running\n");
  CHECK(broken_in("nodes 1..3\npause 4") == "2: pause 4: no node 4 ever started\n");
  CHECK(broken_in("nodes 1..3\npause 2\nresume 2\nrun\npause 2\nresume 2\nrun") == "");
}

TEST_CASE("a script can name one message among several, and one that must not be coordinator") {
  const std::string broken = broken_in(
      "detector off\nnodes 1..3\ncrash 3\nhold\nsuspect 1\nexpire 1 answer\n"
      "expect no coordinator 1 at 2\nexpect no coordinator 1 at 1\n"
      "expect messages at most 2\nexpect messages at most 1\n");
  CHECK(broken ==
        "8: expect no coordinator 1 at 1: 1 follows 1\n"
        "10: expect messages at most 1: sent: E 2 PE 0 C 0 all 2\n");
  const std::string twice =
      "detector off\nnodes 1..2\nhold\nsuspect 1\nexpire 1 answer\nsuspect 1\n";
  CHECK(broken_in(twice + "deliver E to 2 only 2\ndeliver E to 2\n").empty());
  CHECK(broken_in(twice + "deliver E to 2 only 3\n") ==
        "7: deliver E to 2 only 3: no such message is in flight\n");
  CHECK(error_in("nodes 1\ndeliver E only 0") ==
        "f:2:16: expected a position in the queue: 1 is the oldest, found '0'");
}

TEST_CASE("a timer that must be right does not expire while its answer may still come") {
  const std::string asked = "detector off\nnodes 1..2\nhold\nsuspect 1\n";
  CHECK(broken_in(asked + "expire 1 answer duly\n") ==
        "5: expire 1 answer duly: node 1 waits for a message that may still come\n");
  CHECK(broken_in(asked + "drop E\nexpire 1 answer duly\n").empty());
  CHECK(broken_in(asked + "suspect 1\n") ==
        "5: suspect 1: node 1 watches no process that it could suspect\n");
}

}  // namespace bully
