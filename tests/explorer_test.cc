// The explorer: what it proves of bully, and that it would notice if bully were wrong.

#include "sim/explorer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "commands/verify_report.h"
#include "election/bully.h"
#include "mutants.h"
#include "sim/explorer_replay.h"

namespace bully {
namespace {

std::unique_ptr<Protocol> make_bully(NodeId id) {
  return std::make_unique<Bully>(id);
}

ProtocolMaker mutants(Mutation mutation) {
  return [mutation](NodeId id) { return std::make_unique<Mutant>(mutation, id); };
}

ExploreOptions bounds(std::size_t nodes, unsigned crashes, unsigned restarts) {
  ExploreOptions options;
  options.nodes = nodes;
  options.crashes = crashes;
  options.restarts = restarts;
  return options;
}

ExploreOptions asynchronous(ExploreOptions options) {
  options.timing = Timing::asynchronous;
  options.false_alarms = 1;
  return options;
}

ExploreOptions starting(ExploreOptions options) {
  options.beginning = Beginning::starting;
  return options;
}

ExploreOptions counted(ExploreOptions options) {
  options.max_messages = textbook_messages(options);
  return options;
}

// From the cheapest. Between them, each property is at stake in some.
std::vector<ExploreOptions> small_configurations() {
  std::vector<ExploreOptions> all = {counted(bounds(4, 1, 0)), bounds(3, 2, 1), bounds(4, 2, 0),
                                     starting(bounds(3, 0, 0)), asynchronous(bounds(3, 1, 0))};
  ExploreOptions arrival = asynchronous(bounds(3, 1, 1));
  arrival.delivery = Delivery::arrival_order;
  all.push_back(arrival);
  ExploreOptions pairs = starting(bounds(3, 1, 0));
  pairs.delivery = Delivery::pair_order;
  all.push_back(pairs);
  return all;
}

void check_holds(const ExploreResult& result) {
  const std::string report =
      result.violation ? explore_steps_text(*result.violation, Language::english) : result.bound;
  INFO(report);
  CHECK(result.verdict == Verdict::holds);
}

TEST_CASE("explorer: three nodes, two crashes, one restart, synchronous") {
  const ExploreResult result = explore(bounds(3, 2, 1), make_bully);
  check_holds(result);
  CHECK(result.quiescent > 1);
}

TEST_CASE("explorer: three nodes, two crashes, one restart, asynchronous") {
  ExploreOptions options = asynchronous(bounds(3, 2, 1));
  options.reduction = forget_idle_words;
  check_holds(explore(options, make_bully));
}

TEST_CASE("explorer: small configurations hold, and a reduction changes neither verdict nor end") {
  for (ExploreOptions options : small_configurations()) {
    options.list_quiescent = true;
    const ExploreResult plain = explore(options, make_bully);
    options.reduction = forget_idle_words;
    const ExploreResult reduced = explore(options, make_bully);
    check_holds(plain);
    CHECK(reduced.verdict == plain.verdict);
    CHECK(reduced.quiescent_states == plain.quiescent_states);
    CHECK_FALSE(plain.quiescent_states.empty());
    CHECK(reduced.states <= plain.states);
  }
}

// [CDK] (n-k)² + n - 2 messages where the k-th notices alone.
TEST_CASE("explorer: an election costs at most what the textbook says, and may cost all of it") {
  for (NodeId detector = 1; detector <= 3; ++detector) {
    ExploreOptions options = bounds(4, 1, 0);
    options.detectors = {detector};
    options = counted(options);
    const ExploreResult result = explore(options, make_bully);
    check_holds(result);
    CHECK(result.messages == textbook_messages(options));
  }
  const ExploreResult all_detect = explore(counted(bounds(4, 1, 0)), make_bully);
  check_holds(all_detect);
  CHECK(all_detect.messages == 11);
}

TEST_CASE("explorer: each mutation is caught, and its counterexample can be replayed") {
  for (std::size_t i = 0; i < mutation_count; ++i) {
    const auto mutation = static_cast<Mutation>(i);
    CAPTURE(mutation_name(mutation));
    bool caught = false;
    for (ExploreOptions options : small_configurations()) {
      options.max_states = 300'000;
      const ExploreResult result = explore(options, mutants(mutation));
      if (!result.violation) continue;
      caught = true;
      INFO(explore_steps_text(*result.violation, Language::english));
      struct Count : Sink {
        void record(const Record& record) override { ++events[record.event]; }
        std::map<TraceEvent, int> events;
      } seen;
      replay(options, mutants(mutation), result.violation->steps, seen);
      CHECK(seen.events[TraceEvent::start] >= 1);
      break;
    }
    CHECK(caught);
  }
}

TEST_CASE("explorer: a counterexample is a shortest one") {
  // The coordinator's crash alone is enough: the monitors report it for ever, and nobody reacts.
  const ExploreResult result = explore(bounds(3, 2, 1), mutants(Mutation::ignores_suspicion));
  REQUIRE(result.violation);
  REQUIRE(result.violation->steps.size() == 1);
  CHECK(result.violation->steps[0].kind == StepKind::crash);
  CHECK(result.violation->steps[0].node == 3);
  CHECK(result.violation->cycle.size() == 1);
}

TEST_CASE("explorer: bounds of the search are reported as such") {
  ExploreOptions options = bounds(3, 2, 1);
  options.max_states = 100;
  const ExploreResult few = explore(options, make_bully);
  CHECK(few.verdict == Verdict::unfinished);
  CHECK(few.bound == "states");
  options.max_states = 1'000'000;
  const ExploreResult stopped =
      explore(options, make_bully, [](const ExploreProgress&) { return false; });
  CHECK(stopped.verdict == Verdict::unfinished);
  CHECK(stopped.bound == "interrupted");
}

TEST_CASE("explorer: options out of range are refused") {
  CHECK_THROWS_AS(explore(bounds(0, 0, 0), make_bully), std::invalid_argument);
  CHECK_THROWS_AS(explore(bounds(9, 0, 0), make_bully), std::invalid_argument);
  ExploreOptions options = bounds(3, 1, 0);
  options.detectors = {4};
  CHECK_THROWS_AS(explore(options, make_bully), std::invalid_argument);
}

TEST_CASE("explorer: the report names the verdict, and a violation's steps") {
  const ExploreResult good = explore(bounds(3, 1, 0), make_bully);
  const std::string text =
      explore_report(bounds(3, 1, 0), good, std::chrono::milliseconds(10), Language::english);
  CHECK(text.find("holds") != std::string::npos);
  CHECK(text.find("nodes 3") != std::string::npos);
  const ExploreResult bad = explore(bounds(3, 1, 0), mutants(Mutation::ignores_suspicion));
  const std::string complaint =
      explore_report(bounds(3, 1, 0), bad, std::chrono::milliseconds(10), Language::english);
  CHECK(complaint.find("violated") != std::string::npos);
  CHECK(complaint.find("1. 3 crashes") != std::string::npos);
}

}  // namespace
}  // namespace bully
