// check_settling_test.cc: wrong protocols whose elections go on for too long, or end before the
// winner is known.
#include <doctest/doctest.h>

#include <algorithm>

#include "fixture/recorded_run.h"
#include "list_mutants.h"
#include "mutants.h"
#include "support/script.h"

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
    const ViolationKind kind = expected.kind;
    CAPTURE(kind.name());
    const std::string script =
        std::string(expected.before) + "detector ping\n" + begins + expected.then;
    const Report report = judged(expected.make, script);
    CHECK(report.verdict == RunVerdict::violated);
    CHECK(std::ranges::count(report.violations, kind, &Violation::kind) > 0);
    for (const Violation& each : report.violations) {
      const bool is_rules = each.property == &properties::by_rules;
      CHECK((is_rules || each.property == &properties::ends));
    }
    CHECK(judged({}, script).verdict == RunVerdict::right);
  }
}

TEST_CASE("check: what goes on disturbing nodes gives them the time to agree anew") {
  std::string script = std::string("detector ping\n") + begins;
  // Longer, together, than they may take for one election.
  for (int i = 0; i < 20; ++i) script += "crash 4\nrun 1s\nstart 4\nrun 1s\n";
  CHECK(judged({}, script + "run 5s\n").verdict == RunVerdict::right);
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
