// replica_test.cc: processes played once more from their lines: right ones differ nowhere, and
// wrong ones where they take a step that the rules do not take.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "fixture/recorded_run.h"
#include "mutants/table.h"
#include "sim/experiments.h"
#include "support/process.h"

using namespace bully;
using namespace bully::recorded;

namespace {

// The first line that differs from a process's rules, as the judge finds it; empty: none does.
std::string first_difference(const Trace& trace, const Report& report) {
  const auto found =
      std::ranges::find(report.violations, &properties::by_rules, &Violation::property);
  if (found == report.violations.end()) return {};
  const std::size_t line = found->records.back();
  if (found->due != nullptr) CHECK(found->records.size() == 2);  // the event, and what came instead
  return trace.source(line) + ": " + trace_line(trace.records[line]) +
         (found->due == nullptr ? "nothing" : trace_line(*found->due));
}

// Whether a wrong protocol has done anything that the right one, with the same events and peers,
// would not do.
struct Deeds {
  bool differs = false;
  bool differs_visibly = false;  // so that a trace shows it: in all but timers
};

// A wrong protocol, and the right one beside it.
class Compared : public Protocol {
 public:
  Compared(const Algorithm& algorithm, std::unique_ptr<Protocol> wrong, Deeds& deeds)
      : wrong_(std::move(wrong)), right_(algorithm.make(wrong_->id())), deeds_(deeds) {}

  void handle(const Event& event, const Peers& peers, Actions& actions) override {
    Actions right;
    wrong_->handle(event, peers, actions);
    // No line shows a finding that was ignored.
    if (std::holds_alternative<PeerFound>(event) && actions.empty()) return;
    right_->handle(event, peers, right);
    const bool is_same = actions == right && wrong_->watched() == right_->watched();
    const bool looks_the_same =
        shown(actions) == shown(right) && snapshot_of(*wrong_) == snapshot_of(*right_);
    deeds_.differs = deeds_.differs || !is_same || !looks_the_same;
    deeds_.differs_visibly = deeds_.differs_visibly || !looks_the_same;
  }
  NodeId id() const override { return wrong_->id(); }
  std::string_view state_name() const override { return wrong_->state_name(); }
  std::optional<NodeId> coordinator() const override { return wrong_->coordinator(); }
  std::optional<NodeId> watched() const override { return wrong_->watched(); }
  std::uint64_t latest_election() const override { return wrong_->latest_election(); }
  Variables variables() const override { return wrong_->variables(); }
  void visit_fields(FieldVisitor& visit) override { wrong_->visit_fields(visit); }

 private:
  static Actions shown(const Actions& actions) {
    Actions all;
    for (const Action& action : actions) {
      const bool is_shown =
          std::holds_alternative<Send>(action) || std::holds_alternative<Fired>(action);
      if (is_shown) all.push_back(action);
    }
    return all;
  }

  std::unique_ptr<Protocol> wrong_;
  std::unique_ptr<Protocol> right_;
  Deeds& deeds_;
};

}  // namespace

TEST_CASE("replica: a wrong protocol differs exactly in runs in which it did something wrong") {
  std::size_t wrong_runs = 0;
  std::size_t number = 0;
  for (const Algorithm& algorithm : algorithms()) {
    for (const Variant& mutant : mutants_of(algorithm)) {
      if (!is_tried(number++)) continue;
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(algorithm.name);
        CAPTURE(mutant.name);
        CAPTURE(seed);
        Deeds deeds;
        const ProtocolMaker make = [&](NodeId id) {
          return std::make_unique<Compared>(algorithm, mutant.make(id), deeds);
        };
        SweepOptions options = faulty(algorithm, seed);
        options.bound = std::chrono::seconds(5);  // some agree on nothing
        const Trace trace = trace_of(swept(options, seed, make));
        const std::string difference = first_difference(trace, check_trace(trace));
        if (deeds.differs_visibly) CHECK(difference != "");
        if (!deeds.differs) CHECK(difference == "");
        wrong_runs += deeds.differs_visibly ? 1 : 0;
      }
    }
  }
  CHECK(wrong_runs > tried(300));
}

TEST_CASE("replica: a process of a run with faults does what its rules do") {
  for (const Algorithm& algorithm : algorithms()) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      CAPTURE(algorithm.name);
      CAPTURE(seed);
      SweepOptions options = faulty(algorithm, seed);
      options.random_arrangement = seed % 3 == 0;
      if (seed % 4 == 0) options.world.loss_ppm = 10'000;
      if (seed % 5 == 0) options.world.pace = std::chrono::milliseconds(20);
      const Trace trace = trace_of(swept(options, seed));
      const Report report = check_trace(trace);
      CHECK(first_difference(trace, report) == "");
      CHECK(report.tested.at(&properties::by_rules) > 10);
    }
  }
}
