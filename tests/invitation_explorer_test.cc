// The explorer: what it proves of the invitation election, without any assumption about time, and
// that it would notice if that were wrong.
#include <doctest/doctest.h>

#include <string>

#include "commands/reports.h"
#include "invitation_mutants.h"
#include "sim/experiments.h"
#include "support/bounds.h"
#include "support/played.h"

namespace bully {
namespace {

ExploreOptions bounds(std::size_t nodes, unsigned crashes, unsigned restarts) {
  return {.nodes = nodes,
          .crashes = crashes,
          .restarts = restarts,
          .delivery = Delivery::pair_order,
          .algorithm = &algorithm_named("invitation")};
}

ExploreOptions cut(ExploreOptions options) {
  options.partitions = 1;
  return options;
}

void check_holds(const ExploreOptions& options) {
  const ExploreResult result = explore(options, options.algorithm->make);
  INFO(explore_report(options, result, {}, Language::english));
  CHECK(result.verdict == Verdict::holds);
  CHECK(not_promised(options).empty());
}

TEST_CASE(
    "explorer: crashes and restarts: in the end there is one group, and never two tasks in it") {
  check_holds(bounds(3, 2, 1));
  check_holds(bounds(4, 2, 0));
  check_holds(starting(bounds(3, 0, 0)));
}

TEST_CASE("explorer: timeouts may be wrong, and all that it promises holds") {
  check_holds(asynchronous(bounds(3, 1, 0)));
}

TEST_CASE("explorer: the network may be cut: both sides go on, and are merged") {
  check_holds(cut(bounds(3, 0, 0)));
  check_holds(cut(bounds(3, 1, 0)));
}

// Whether some election of this many processes never ends.
bool goes_on_for_ever(const ProtocolMaker& make) {
  SweepOptions options;
  options.nodes = 5;
  options.crashes = 2;
  options.restarts = 2;
  options.world.algorithm = &algorithm_named("invitation");
  options.world.loss_ppm = 50'000;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    if (!sweep_one(options, seed, nullptr, make).agreed) return true;
  }
  return false;
}

// Whether some are left behind where a higher process comes and nobody is suspected.
bool leaves_some_behind(const ProtocolMaker& make) {
  WorldOptions options;
  options.detection = Detection::off;
  options.fifo = true;
  options.algorithm = &algorithm_named("invitation");
  World world(options, nullptr, make);
  world.preset(std::array<NodeId, 4>{1, 2, 3, 4});
  world.start(5);
  world.check(5);
  world.run_until_settled(std::chrono::seconds(60));
  return !world.agreed();
}

// Groups are never named twice: what goes on for ever has no state to which it comes back, and is
// seen by the simulator.
TEST_CASE("explorer and simulator: each mutation of it is caught") {
  CHECK(!goes_on_for_ever(algorithm_named("invitation").make));
  CHECK(!leaves_some_behind(algorithm_named("invitation").make));
  for (std::size_t i = 0; i < invitation_mutation_count; ++i) {
    const auto mutation = static_cast<InvitationMutation>(i);
    CAPTURE(mutation_name(mutation));
    const ProtocolMaker make = [mutation](NodeId id) {
      return std::make_unique<InvitationMutant>(mutation, id);
    };
    bool caught = goes_on_for_ever(make) || leaves_some_behind(make);
    for (ExploreOptions options :
         {bounds(3, 2, 1), starting(bounds(3, 1, 0)), asynchronous(bounds(3, 1, 0)),
          asynchronous(bounds(3, 2, 1)), cut(bounds(3, 1, 1))}) {
      if (caught) break;
      options.max_states = 200'000;
      const ExploreResult result = explore(options, make);
      if (!result.violation) continue;
      caught = true;
      const std::string script = counterexample_scenario(options, make, *result.violation);
      CAPTURE(script);
      const Played wrong = play_script(script, make);
      CAPTURE(wrong.broken);
      CHECK(wrong.violation_seen);
      CHECK_FALSE(play_script(script, options.algorithm->make).violation_seen);
    }
    CHECK(caught);
  }
}

}  // namespace
}  // namespace bully
