// rules_test.cc: elections whose rules are an outside program, through every command: see
// src/rules.
#include <doctest/doctest.h>
#include <signal.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/carried.h"
#include "base/json.h"
#include "base/layout.h"
#include "election/algorithm.h"
#include "explorer/explorer.h"
#include "fixture/played.h"
#include "fixture/rules.h"
#include "fixture/said.h"
#include "fixture/scripts.h"
#include "fixture/session.h"
#include "node/beyond_posix.h"
#include "support/pattern.h"
#include "support/pseudo_terminal.h"
#include "support/skip.h"
#include "view/exploration_report.h"
#include "words/names.h"

using namespace bully;

namespace {

// The lines about states and transitions of an exploration's report.
std::string size_of(const std::string& report) {
  const std::vector<Matched> found = all_matches(report, "states .*\\n.*transitions .*");
  REQUIRE(!found.empty());
  return found[0][0];
}

std::string size_of_search(const Place& place, const Words& words) {
  const std::string search = output_of(place, words + Words{"--nodes=3"});
  return size_of(search);
}

// Who sent, lost and got what, who stood where and followed whom, as a play recorded it.
std::string happened(const std::string& trace) {
  std::string all;
  for (const std::string& line : lines_in(contents(trace))) {
    const Json json = parse_json(line).value_or(Json());
    const std::string& event = json["event"].text;
    if (event == "start" || event == "rule") continue;
    for (const char* key : {"t", "node", "event", "type", "from", "to", "seq", "state",
                            "coordinator", "reason", "timer"}) {
      all += json[key].text + ' ';
    }
    all += '\n';
  }
  return all;
}

// Whether node 7 could be sent an X of process 8.
bool asks(const Place& place) {
  const Connection question = connect_to(place.nodes() + "/7");
  return send_once(question.descriptor, "X;8");
}

}  // namespace

TEST_CASE("rules: the examples have the built-in's number of states, in either timing") {
  if (lacks("python3")) return;
  const Place place;
  for (const std::string timing : {"synchronous", "asynchronous"}) {
    // A second crash makes four times as many states of it.
    const unsigned crashes = timing == "asynchronous" && !is_soak() ? 1 : 2;
    const Words search = {"verify", "--timing=" + timing, "--crashes=" + std::to_string(crashes)};
    // Without its reduction, which rules from outside do not have.
    ExploreOptions bounds{.nodes = 3, .crashes = crashes, .restarts = 1};
    if (timing == "asynchronous") bounds.timing = Timing::asynchronous;
    const ExploreResult all = explore(bounds, bounds.algorithm->make);
    const std::string built_in = size_of(explore_report(bounds, all, {}, Language::english));
    CHECK(size_of_search(place, with_rules(python_bully, search)) == built_in);
    if (lacks("node")) continue;
    CHECK(size_of_search(place, with_rules("./src/rules/bully.js", search)) == built_in);
  }
}

TEST_CASE("rules: the example plays every lesson on the bully, record by record") {
  if (lacks("python3")) return;
  const Place place;
  std::size_t played = 0;
  for (const CarriedText& lesson : lessons()) {
    const Scenario scenario = parsed(lesson.text);
    if (&scenario.algorithm() != &default_algorithm() || scenario.variant != nullptr) continue;
    ++played;
    CAPTURE(lesson.name);
    std::vector<std::string> records;
    for (const bool is_outside : {false, true}) {
      const std::string trace = place.path() / (is_outside ? "outside" : "inside");
      Words words = {"scenario", std::string(lesson.name), "--trace=" + trace};
      words = is_outside ? with_rules(python_bully, words) : Words{binary_under_test()} + words;
      CHECK(run(place, words).status == 0);
      records.push_back(happened(trace));
      std::filesystem::remove(trace);
    }
    CHECK(records[0] == records[1]);
    CHECK(!records[0].empty());
  }
  CHECK(played > 10);
}

TEST_CASE("rules: each command knows them, and says what is wrong with a program") {
  check_session("tests/rules/rules.session");
}

TEST_CASE("rules: real processes elect, say which rules they follow, and are drawn and judged") {
  if (lacks("python3")) return;
  const Place place;
  const std::string trace = place.path() / "trace";
  std::vector<std::unique_ptr<Command>> nodes;
  for (const std::string id : {"1", "2", "3"}) {
    nodes.push_back(std::make_unique<Command>(
        place, with_rules(python_bully, {id, "--detector=eof", "--trace=" + trace})));
    CHECK(happens([&] { return place.agree(nodes.size()); }));
  }
  CHECK(has_match(run(place, {binary_under_test(), "ps"}).output,
                  "my-bully@[0-9a-f]{8}  coordinator  3"));
  // A program with other bytes has other rules, for all that we know.
  const std::string changed = program_of(place, contents(python_bully) + "# changed\n");
  check_says(output_of(place, with_rules(changed, {"4"}), 1),
             {"the program has changed since that node was started"});
  // The directory names the election, and not its program.
  check_said(run(place, {binary_under_test(), "4"}), 1, {"start it with --algorithm=./PROGRAM"});
  Command lab(place, {binary_under_test(), "lab", "5"});
  CHECK(lab.says(" --algorithm=./PROGRAM 4\n"));
  CHECK(lab.end_by(SIGINT) == 0);

  CHECK(run(place, {binary_under_test(), "kill", "--trace=" + trace}).status == 0);
  CHECK(happens([&] { return place.agree(2); }));
  CHECK(nodes[2]->exit_status() == 128 + SIGKILL);
  for (const std::size_t i : {0U, 1U}) nodes[i]->signal(SIGTERM);
  CHECK(nodes[0]->exit_status() == 0);
  CHECK(nodes[1]->exit_status() == 0);
  for (const auto& node : nodes) CHECK(node->left_no_process());
  check_says(nodes[1]->output(), {"*  COORDINATOR: 2 has won"});

  check_says(in_one_line(output_of(place, {binary_under_test(), "check", trace}, 2)),
             {"name the program with --algorithm=./PROGRAM"});
  const std::string check = output_of(place, with_rules(python_bully, {"check", trace}));
  check_says(check, {"RIGHT   algorithm my-bully, 3 nodes"});
  CHECK(has_match(check, "textbook +– +– +– +–"));
  // Outcomes are judged, not rules: a program that has changed since judges no other way.
  check_says(output_of(place, with_rules(changed, {"check", trace})),
             {"RIGHT   algorithm my-bully"});
  CHECK(contains(run(place, with_rules(python_bully, {"diagram", trace})).output, "3 processes"));
}

TEST_CASE("rules: the election in the help, written from that page alone, is right and runs") {
  if (lacks("python3")) return;
  const Place place;
  const std::string lowest = example_in_help(place);
  CHECK(run(place, {binary_under_test(), "rules", "test", lowest}).status == 0);
  for (const std::string timing : {"synchronous", "asynchronous"}) {
    check_says(output_of(place, with_rules(lowest, {"verify", "--timing=" + timing})),
               {"holds in every run", "✓ lowest-live", "✓ never-higher"});
  }
  CHECK(has_match(output_of(place, with_rules(lowest, {"demo"})), "textbook +– +–"));
}

TEST_CASE("rules: a test that has not met all situations says so, and a whole one does not") {
  if (lacks("python3")) return;
  const Place place;
  const auto tested = [&](const std::string& program) {
    return output_of(place, {binary_under_test(), "rules", "test", program});
  };
  const std::string line = "there are more situations";
  CHECK(!contains(tested(python_bully), line));
  const std::string grows = program_of(
      place, with_replaced(contents(example_in_help(place)),
                           {{"answer[\"actions\"] = do",
                             "answer.update(actions=do, memory=[*(q[\"memory\"] or []), 7])"}}));
  check_says(tested(grows), {line});
}

TEST_CASE("rules: what a program says on standard error is shown, up to a limit") {
  const Place place;
  const std::string loud = program_of(
      place, answering("yes 'look here' | head -n 5000 >&2; echo '{\"state\":\"down\"}'"));
  const Result tested = run(place, {binary_under_test(), "rules", "test", loud});
  check_says(tested.output, {"]: look here\n"});
  CHECK(tested.output.size() < 60'000);
}

TEST_CASE("rules: a node answers pings while its rules think") {
  const Place place;
  const std::string diary = place.path() / "thoughts";
  // It thinks whenever it is asked anything but to start, and notes when.
  const std::string slow =
      program_of(place, answering("case $question in *started*) ;; *) echo begun >>'" + diary +
                                  "'; sleep 0.5; echo over >>'" + diary +
                                  "';; esac\necho '{\"state\":\"chief\",\"coordinator\":7}'"));
  Command node(place, with_rules(slow, {"7"}));
  CHECK(happens([&] { return place.live().size() == 1; }));
  // On a busy machine the thought may be over before all replies have come: then it has another.
  CHECK(happens([&] {
    const std::size_t noted = contents(diary).size();
    if (!asks(place)) return false;
    if (!happens([&] { return contents(diary).size() > noted; })) return false;
    const std::string before = contents(diary);
    for (int i = 0; i < 3; ++i) {
      if (place.live().size() != 1) return false;
    }
    return before.ends_with("begun\n") && contents(diary) == before;
  }));
  CHECK(node.end_by(SIGTERM) == 0);
  CHECK(node.left_no_process());
}

TEST_CASE("rules: a node whose rules fail withdraws its name, says why, and exits with 1") {
  const Place place;
  const std::string failing =
      program_of(place, answering("case $question in *started*) ;; *) exit 5;; esac\n"
                                  "echo '{\"state\":\"chief\",\"coordinator\":7}'"));
  Command node(place, with_rules(failing, {"7"}));
  CHECK(happens([&] { return place.live().size() == 1; }));
  CHECK(asks(place));
  CHECK(node.exit_status() == 1);
  check_says(node.output(), {"ended with status 5", "\"type\":\"X\""});
  CHECK(place.has_no_socket());
}

TEST_CASE("rules: a node that sends to the dead without end says so, and leaves") {
  if (lacks("python3")) return;
  const Place place;
  const auto node = [&](const std::string& id) {
    return std::make_unique<Command>(place, with_rules("./tests/rules/resends.py", {id}));
  };
  const auto first = node("1");
  CHECK(happens([&] { return place.agree(1); }));
  const auto second = node("2");
  CHECK(happens([&] { return place.agree(2); }));
  CHECK(second->end_by(SIGKILL) == 128 + SIGKILL);
  CHECK(first->exit_status() == 1);
  check_says(first->output(), {"this election does not end: 20,005 events", "E 1→2"});
}

TEST_CASE("rules: a program ends with its node, also when that one is killed") {
  if (lacks("python3")) return;
  const Place place;
  Command node(place, with_rules(python_bully, {"7"}));
  CHECK(happens([&] { return place.live().size() == 1; }));
  const std::string pid = std::to_string(node.pid());
  std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
  std::vector<PinnedProcess> started;  // its rules and its monitor, where the system tells
  for (pid_t child = 0; children >> child;) started.emplace_back(child);
  CHECK(node.end_by(SIGKILL) == 128 + SIGKILL);
  for (const PinnedProcess& child : started) CHECK(child.ends_within(patience));
}
