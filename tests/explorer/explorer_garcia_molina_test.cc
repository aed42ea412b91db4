// The explorer: what it proves of the bully of [GM82], what of the textbooks' bully beside it, and
// that it would notice if the first were wrong.
#include <doctest/doctest.h>

#include "fixture/explored.h"
#include "fixture/played.h"
#include "mutants/garcia_molina_mutants.h"

namespace bully {
namespace {

ExploreOptions bounds_of_gm(std::size_t nodes, unsigned crashes, unsigned restarts) {
  return bounds(nodes, crashes, restarts, algorithm_named("garcia-molina"));
}

TEST_CASE("explorer: no two processes ever name different coordinators, while timeouts are right") {
  check_holds(bounds_of_gm(3, 2, 1));
  check_holds(bounds_of_gm(4, 2, 0));
  check_holds(starting(bounds_of_gm(3, 1, 0)));
}

TEST_CASE("explorer: asynchronous, the same election ends in agreement, and promises no more") {
  const ExploreOptions options = asynchronous(bounds_of_gm(3, 1, 1));
  check_holds(options);
  CHECK(not_promised(options) ==
        std::vector{&properties::same_coordinator, &properties::same_task});
}

TEST_CASE("explorer: a timeout that is wrong breaks the promise, and the script shows it") {
  ExploreOptions options = asynchronous(bounds_of_gm(3, 1, 0));
  options.only = &properties::same_coordinator;
  const ExploreResult result = explored(options);
  REQUIRE(result.violation);
  CHECK(result.violation->property == &properties::same_coordinator);
  const ProtocolMaker make = options.algorithm->make;
  CHECK(play_script(script_of(options, make, result), make).violation_seen);
}

TEST_CASE(
    "explorer: the textbooks' bully never made that promise: timeouts are right, and it fails") {
  ExploreOptions options = bounds(3, 1, 0);
  options.only = &properties::same_coordinator;
  const ExploreResult result = explored(options);
  REQUIRE(result.violation);
  CHECK(result.violation->steps.size() == 2);
}

TEST_CASE(
    "explorer: without FIFO links a task of an election before is taken for the present one") {
  ExploreOptions options = bounds_of_gm(3, 2, 1);
  options.delivery = Delivery::any_order;
  const ExploreResult result = explored(options);
  REQUIRE(result.violation);
  CHECK(result.violation->property == &properties::same_task);
}

TEST_CASE("explorer: each mutation of it is caught, and its counterexample is a script") {
  std::vector<ExploreOptions> all = {bounds_of_gm(3, 2, 1), asynchronous(bounds_of_gm(3, 1, 0)),
                                     starting(bounds_of_gm(3, 1, 0)), bounds_of_gm(3, 3, 2),
                                     bounds_of_gm(4, 2, 1)};
  for (ExploreOptions& options : all) options.max_states = 200'000;
  for (std::size_t i = 0; i < HaltingMutant::names.size(); ++i) {
    CAPTURE(HaltingMutant::names[i]);
    CHECK(is_caught(all, maker_of<HaltingMutant>(static_cast<HaltingMutation>(i))));
  }
}

}  // namespace
}  // namespace bully
