// The explorer: what it proves of bully, and that it would notice if bully were wrong.

#include "explorer/explorer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "fixture/explored.h"
#include "fixture/played.h"
#include "mutants/bully_mutants.h"
#include "support/process.h"

namespace bully {
namespace {

ExploreOptions plain(std::size_t nodes, unsigned crashes, unsigned restarts) {
  ExploreOptions options = bounds(nodes, crashes, restarts);
  options.reduction = nullptr;
  return options;
}

// What [CDK]'s election costs when node `nodes` has crashed and the first detector (none named: 1)
// notices.
unsigned textbook_messages(const ExploreOptions& options) {
  const std::vector<NodeId> left = one_to(options.nodes - 1);
  const NodeId detector = options.detectors.empty() ? 1 : options.detectors.front();
  return static_cast<unsigned>(election_total(bully_algorithm().count({left, detector, true})));
}

ExploreOptions counted(ExploreOptions options) {
  options.max_messages = textbook_messages(options);
  return options;
}

// From the cheapest. Between them, each property is at stake in some.
std::vector<ExploreOptions> small_configurations() {
  std::vector<ExploreOptions> all = {counted(plain(4, 1, 0)), plain(3, 2, 1), plain(4, 2, 0),
                                     starting(plain(3, 0, 0)), asynchronous(plain(3, 1, 0))};
  ExploreOptions arrival = asynchronous(plain(3, 1, 1));
  arrival.delivery = Delivery::arrival_order;
  all.push_back(arrival);
  ExploreOptions pairs = starting(plain(3, 1, 0));
  pairs.delivery = Delivery::pair_order;
  all.push_back(pairs);
  return all;
}

TEST_CASE("explorer: three nodes, two crashes, one restart, asynchronous") {
  check_holds(asynchronous(bounds(3, 2, 1)));
}

TEST_CASE("explorer: small configurations hold, and a reduction changes neither verdict nor end") {
  for (ExploreOptions options : small_configurations()) {
    std::set<std::string> ends;
    std::set<std::string> reduced_ends;
    const ExploreResult plain = check_holds(noting_ends(options, ends));
    options.reduction = options.algorithm->forget_idle_words;
    const ExploreResult reduced = check_holds(noting_ends(options, reduced_ends));
    CHECK(reduced_ends == ends);
    CHECK_FALSE(ends.empty());
    CHECK(reduced.states <= plain.states);
  }
}

// [CDK] (n-k)² + n - 2 messages where the k-th notices alone.
TEST_CASE("explorer: an election costs at most what the textbook says, and may cost all of it") {
  for (NodeId detector = 1; detector <= 3; ++detector) {
    ExploreOptions options = plain(4, 1, 0);
    options.detectors = {detector};
    CHECK(check_holds(counted(options)).messages == textbook_messages(options));
  }
  CHECK(check_holds(counted(plain(4, 1, 0))).messages == 11);
}

// Over small_configurations().
const std::vector<Caught<Mutation>> caught_mutants = {
    {Mutation::no_answer, {&properties::one_coordinator, &properties::highest_wins}},
    {Mutation::no_coordinator_timer, {&properties::highest_live}},
    {Mutation::no_answer_timer, {&properties::highest_live}},
    {Mutation::ignores_suspicion, {&properties::reachable, &properties::progress}},
    {Mutation::ignores_deposed, {&properties::reachable}},
    {Mutation::follows_lower, {&properties::never_lower, &properties::message_count}},
    {Mutation::holds_no_election, {&properties::message_count}},
    {Mutation::announces_to_nobody, {&properties::one_coordinator, &properties::message_count}},
    {Mutation::ignores_coordinator, {&properties::one_coordinator, &properties::message_count}},
    {Mutation::trusts_ghosts, {&properties::reachable, &properties::message_count}},
    {Mutation::asks_nobody, {&properties::one_coordinator, &properties::highest_wins}},
    {Mutation::naive, {&properties::message_count}},
    {Mutation::ends_at_answer, {&properties::highest_wins}},
    {Mutation::silent_restart, {&properties::one_coordinator}},
};

TEST_CASE("explorer: each mutation is caught, and its counterexample is a script that shows it") {
  REQUIRE(caught_mutants.size() == Mutant::names.size());
  std::size_t number = 0;
  for (const Caught<Mutation>& expected : caught_mutants) {
    if (!is_tried(number++)) continue;
    CAPTURE(mistake_name<Mutant>(expected.mutation));
    const ProtocolMaker make = mutants(expected.mutation);
    std::set<const Property*> violated;
    for (ExploreOptions options : small_configurations()) {
      options.max_states = 300'000;
      const ExploreResult result = explore(options, make);
      if (!result.violation) continue;
      violated.insert(result.violation->property);
      // This one cannot even begin in agreement.
      const bool can_agree = expected.mutation != Mutation::ignores_coordinator;
      if (options.beginning == Beginning::agreed && !can_agree) continue;
      check_script(options, make, result);
    }
    check_same(violated, expected.by);
  }
}

TEST_CASE("explorer: a counterexample is a shortest one") {
  // The coordinator's crash alone is enough: the monitors report it for ever, and nobody reacts.
  const ExploreResult result = explore(plain(3, 2, 1), mutants(Mutation::ignores_suspicion));
  REQUIRE(result.violation);
  REQUIRE(result.violation->steps.size() == 1);
  CHECK(result.violation->steps[0].verb == Verb::crash);
  CHECK(result.violation->steps[0].id() == 3);
  CHECK(result.violation->cycle.size() == 1);
}

bool at_most_one_coordinator(const Algorithm&, Nodes nodes) {
  return std::ranges::count_if(
             nodes, [](const Snapshot* node) { return node->coordinator == node->id; }) <= 1;
}

// The script of a counterexample to this property of an algorithm that is bully otherwise.
std::string script_against(const Property& property, ExploreOptions options) {
  Algorithm algorithm = bully_algorithm();
  algorithm.properties = {&property};
  options.algorithm = &algorithm;
  const ExploreResult result = explored(options);
  REQUIRE(result.violation);
  CHECK(result.violation->property == &property);
  return script_of(options, algorithm.make, result);
}

TEST_CASE("explorer: the counterexample of an algorithm's own property expects that to hold") {
  // Where 3 comes back, 2 is coordinator until it hears of it.
  static constexpr Property alone{"alone", Property::Moment::every, at_most_one_coordinator};
  CHECK(script_against(alone, plain(3, 1, 1)).ends_with("\nexpect property alone\n"));
}

TEST_CASE("explorer: a counterexample expects no process to follow the highest that need not") {
  static constexpr Property nobody_leads{
      "nobody-leads", Property::Moment::in_the_end, [](const Algorithm&, Nodes nodes) {
        return std::ranges::none_of(nodes, &Snapshot::is_coordinator);
      }};
  CHECK(script_against(nobody_leads, plain(2, 0, 0))
            .ends_with("\nhold\nrun 60s\nexpect property nobody-leads\n"));
}

TEST_CASE("explorer: a second coordinator is shown, though a message in flight would depose it") {
  ExploreOptions options = plain(2, 1, 1);
  options.timing = Timing::asynchronous;
  options.only = &properties::one_coordinator;
  const std::string script = script_of(options, options.algorithm->make, explored(options));
  CHECK(contains(script, "\nrestart 1\nexpire 1 answer\n"));
  CHECK(play_script(script, options.algorithm->make).violation_seen);
}

TEST_CASE("explorer: bounds of the search are reported as such") {
  ExploreOptions options = plain(3, 2, 1);
  options.max_states = 100;
  const ExploreResult few = explored(options);
  CHECK(few.verdict == Verdict::unfinished);
  CHECK(few.bound == "states");
  options.max_states = 1'000'000;
  const ExploreResult stopped =
      explore(options, options.algorithm->make, [](const ExploreProgress&) { return false; });
  CHECK(stopped.verdict == Verdict::unfinished);
  CHECK(stopped.bound == "interrupted");
}

TEST_CASE("explorer: options out of range are refused") {
  CHECK_THROWS_AS(explored(plain(0, 0, 0)), std::invalid_argument);
  CHECK_THROWS_AS(explored(plain(9, 0, 0)), std::invalid_argument);
  ExploreOptions options = plain(3, 1, 0);
  options.detectors = {4};
  CHECK_THROWS_AS(explored(options), std::invalid_argument);
}

}  // namespace
}  // namespace bully
