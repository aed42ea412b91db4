// verdict_convergence_test.cc: wrong protocols whose elections go on for too long, or end too
// early.
#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "fixture/recorded_run.h"
#include "fixture/rules.h"
#include "fixture/said.h"
#include "fixture/scripts.h"
#include "mutants/bully_mutants.h"
#include "mutants/list_mutants.h"
#include "support/skip.h"

using namespace bully;
using namespace bully::recorded;

namespace {

// What check says of a script that is played by nodes with these protocols.
Report judged(const ProtocolMaker& make, const std::string& script) {
  return check_trace(trace_of(played(script, make)));
}

constexpr auto begins = "nodes 1\nstart 2\nrun 1s\nstart 3\nrun 1s\nstart 4\nrun 5s\n";

struct Expected {
  ProtocolMaker make;
  const char* then;
  ViolationKind kind;
  const char* before = "";
};

}  // namespace

TEST_CASE("check: an election that stands still, or is begun anew for ever, or ends untold") {
  using enum Mutation;
  const Expected all[] = {
      {mutants(no_answer_timer), "pause 4\nrun 60s\nresume 4\nrun 5s\n", "stood_still"},
      {mutants(trusts_ghosts), "crash 4\nrun 60s\n", "never_settled"},
      {mutants(trusts_ghosts), "crash 4\nrun 3s\n", "never_settled",
       "interval ping 5ms\ntimeout ping 5ms\n"},
      {mutants(announces_to_nobody), "crash 4\nrun 5s\n", "not_by_rules"},
      {mutants(ends_at_answer), "crash 4\nrun 5s\n", "not_by_rules"},
  };
  for (const Expected& expected : all) {
    CAPTURE(std::string(expected.then));
    CAPTURE(expected.kind.name());
    const std::string script =
        std::string(expected.before) + "detector ping\n" + begins + expected.then;
    const Report report = judged(expected.make, script);
    CHECK(report.verdict == RunVerdict::violated);
    CHECK(std::ranges::count(report.violations, expected.kind, &Violation::kind) > 0);
    for (const Violation& one : report.violations)
      CHECK((one.property == &properties::by_rules || one.property == &properties::ends));
    CHECK(judged({}, script).verdict == RunVerdict::right);
  }
}

TEST_CASE("check: what goes on disturbing nodes gives them the time to agree anew") {
  const std::string script = std::string("detector ping\n") + begins;
  std::string faults;
  // Longer, together, than they may take for one election; and more elections than one may begin.
  for (int i = 0; i < 30; ++i) faults += "crash 4\nrun 1s\nstart 4\nrun 1s\n";
  CHECK(judged({}, script + faults + "run 5s\n").verdict == RunVerdict::right);
  // What waits for a stopped process tells it of all these elections, and then it tells others.
  const std::string stopped = "algorithm dolev-klawe-rodeh\n" + script + "pause 1\n" + faults;
  CHECK(judged({}, stopped + "resume 1\nrun 5s\n").verdict == RunVerdict::right);
}

TEST_CASE("check: while the network is cut, all need not agree, however long that takes") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    const Report report = judged({}, "algorithm " + std::string(algorithm.name) +
                                         "\ndetector ping\nnodes 1..4\n"
                                         "partition 1..2 from 3..4\nrun 60s\nheal\nrun\n");
    CHECK(report.verdict == RunVerdict::right);
  }
}

TEST_CASE("check: processes are no longer cut off from one that has ended") {
  // The messages to 4 that the cut lost stay lost.
  const std::string script = std::string("detector ping\n") + begins +
                             "partition 1..2 from 3..4\nrun 20s\ncrash 4\nheal\nrun 60s\n";
  const Report report = judged(mutants(Mutation::trusts_ghosts), script);
  CHECK(std::ranges::count(report.violations, ViolationKind("never_settled"), &Violation::kind) >
        0);
  CHECK(judged({}, script).verdict == RunVerdict::right);
}

TEST_CASE("check: a cut is over once a message crosses it, or for a dead process") {
  std::vector<Record> records =
      played(std::string("detector ping\n") + begins + "crash 4\nrun 60s\n",
             mutants(Mutation::trusts_ghosts));
  // 1 takes no part, and never sends to 3 again; 2 and 3 elect for ever.
  const auto crash = std::ranges::find(records, TraceEvent::crash, &Record::event);
  const auto is_about_1 = [](const Record& r) { return r.node == 1 || r.from == 1 || r.to == 1; };
  records.erase(std::remove_if(crash, records.end(), is_about_1), records.end());
  std::vector<Record> lost;
  std::vector<std::pair<NodeId, NodeId>> cut;
  SUBCASE("2 sends to 3 again") {
    cut = {{1, 3}, {2, 3}};
  }
  SUBCASE("4 is dead") {
    cut = {{1, 4}};
  }
  for (const auto& [from, to] : cut) {
    Record message = records[first_of(
        records, [](const Record& r) { return r.event == TraceEvent::send && r.to == 3; })];
    message.t_ns = crash->t_ns;
    message.node = message.from = from;
    message.to = to;
    message.pid = static_cast<std::int64_t>(from);
    message.number = 900;
    lost.push_back(message);
    message.event = TraceEvent::lost;
    message.reason = "partition";
    lost.push_back(message);
  }
  records.insert(crash + 1, lost.begin(), lost.end());
  const Report report = judged(records);
  CHECK(std::ranges::count(report.violations, ViolationKind("never_settled"), &Violation::kind) >
        0);
}

TEST_CASE("check: a process waits longer after each election that has timed out") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    for (const std::string loss : {"40%", "100%"}) {
      CAPTURE(loss);
      const Report report = judged({}, "algorithm " + std::string(algorithm.name) +
                                           "\ndetector ping\nnodes 1..4\nloss " + loss +
                                           "\ncrash 4\nrun 120s\nloss 0%\nrun\n");
      CHECK(report.violations.empty());
    }
  }
}

TEST_CASE(
    "check: a process may wait for as long as its rules have said, from its first election on") {
  if (lacks("python3")) return;
  const Place place;
  // It waits 16 to 20 seconds for an answer, for 2 is stopped.
  const std::string program = program_of(
      place,
      with_replaced(contents(example_in_help(place)),
                    {{R"({"start": "answer"})", R"({"start": "coordinator", "attempts": 4})"},
                     {R"(q["timer"] == "answer")", R"(state == "asker")"}}));
  const std::string script = place.written(
      "script", "detector ping\nnodes 1..4\ncrash 1\npause 2\nrun 60s\nresume 2\nrun 60s\n");
  const std::string trace = place.path() / "t.jsonl";
  output_of(place, with_rules(program, {"scenario", script, "--trace=" + trace}));
  check_says(output_of(place, with_rules(program, {"check", trace})), {"RIGHT   algorithm lowest"});
}

TEST_CASE("check: a process that passes on its own list for ever does not act by its rules") {
  const std::string script =
      "algorithm tanenbaum-ring\ndetector off\nnodes 1..4\nsuspect 1 of 4 hung\nrun 1s\n";
  const auto make = [](NodeId self) {
    return std::make_unique<ListMutant>(ListMutation::never_removes, self);
  };
  const Report report = judged(make, script);
  REQUIRE(!report.violations.empty());
  CHECK(report.violations[0].property == &properties::by_rules);
  CHECK(judged({}, script).verdict == RunVerdict::right);
}
