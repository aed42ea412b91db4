// The explorer on a ring: what it proves of the service, and that it would notice a mistake.

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "election/chang_roberts.h"
#include "fixture/explored.h"
#include "fixture/played.h"
#include "mutants/mutant.h"
#include "mutants/ring_mutants.h"
#include "support/process.h"

namespace bully {
namespace {

constexpr std::array rings = {"dolev-klawe-rodeh", "chang-roberts"};

// All orders of 1 to n around a ring; each stands for its rotations.
std::vector<std::vector<NodeId>> arrangements(std::size_t n) {
  std::vector<NodeId> order = one_to(n);
  std::vector<std::vector<NodeId>> all;
  do {
    all.push_back(order);
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return all;
}

// No interleaving sends more than the arrangement's count, and some sends as many.
void check_count(const ExploreOptions& options) {
  const ExploreOptions counted = counted_on_ring(options);
  CHECK(check_holds(counted).messages == counted.max_messages);
}

}  // namespace

TEST_CASE("explorer: every arrangement of a ring of 3 and of 4, undisturbed and with one crash") {
  for (const char* name : rings) {
    for (const std::size_t n : {3U, 4U}) {
      for (const std::vector<NodeId>& order : arrangements(n)) {
        CAPTURE(order);
        check_holds(leaderless(on_ring(name, order, 0, 0)));
        check_holds(leaderless(on_ring(name, order, 1, 0)));
      }
    }
  }
}

namespace {

// One that takes part in elections older than its own life.
enum class Forgets : std::uint8_t { its_start };
struct Returner : MutantOf<ChangRoberts, Forgets> {
  explicit Returner(NodeId self) : MutantOf(Forgets::its_start, self) {}
  void handle(const Event& event, const Peers& peers, Actions& actions) override {
    const auto* started = std::get_if<Started>(&event);
    core_.handle(started == nullptr ? event : Started{started->resumed}, peers, actions);
  }
};

}  // namespace

TEST_CASE("explorer: no message of a process elects the next one of its id") {
  const ExploreOptions options = on_ring("chang-roberts", {1, 2, 3}, 3, 3);
  check_holds(options);
  const ProtocolMaker make = [](NodeId id) { return std::make_unique<Returner>(id); };
  const ExploreResult result = explore(options, make);
  REQUIRE(result.violation);
  CHECK(result.violation->property == &properties::one_coordinator);
  check_script(options, make, result);
}

TEST_CASE("explorer: no interleaving of a ring election costs more than its arrangement's count") {
  for (const char* name : rings) {
    for (const std::vector<NodeId>& order : arrangements(4)) {
      CAPTURE(order);
      check_count(leaderless(on_ring(name, order, 0, 0)));
    }
  }
}

TEST_CASE("explorer: a ring that has agreed survives crashes, restarts and a false alarm") {
  for (const char* name : rings) {
    for (const std::vector<NodeId>& order : arrangements(3)) {
      CAPTURE(order);
      check_holds(on_ring(name, order, 1, 0));
      check_holds(on_ring(name, order, 2, 1));
      check_holds(asynchronous(on_ring(name, order, 1, 0)));
      check_holds(starting(on_ring(name, order, 0, 0)));
    }
    check_holds(on_ring(name, {1, 3, 2, 4}, 2, 1));
    check_holds(asynchronous(on_ring(name, {1, 3, 2, 4}, 1, 0)));
  }
}

// Without a bound on what one link carries, relays passed a number round for ever, and the states
// had no end.
TEST_CASE("explorer: nothing goes round a ring for ever, even where no process knows the epoch") {
  check_holds(asynchronous(on_ring("dolev-klawe-rodeh", {1, 2, 3}, 2, 1)));
  check_holds(on_ring("dolev-klawe-rodeh", {1, 2, 3}, 3, 2));
}

TEST_CASE("explorer: a ring whose links are not FIFO announces the wrong leader") {
  for (const std::vector<NodeId>& order : arrangements(4)) {
    CAPTURE(order);
    ExploreOptions options = leaderless(on_ring("dolev-klawe-rodeh", order, 0, 0));
    options.delivery = Delivery::any_order;
    options.max_states = 100'000;
    const ProtocolMaker make = options.algorithm->make;
    const ExploreResult result = explored(options);
    const std::string script = script_of(options, make, result);
    CHECK(result.violation->property == &properties::highest_wins);
    CAPTURE(script);
    CHECK(play_script(script, make).violation_seen);
    // The same script over FIFO links: it is not possible there.
    std::string fifo = script;
    fifo.replace(fifo.find("links reorder"), 13, "links fifo");
    const Played played = play_script(fifo, make);
    CHECK(played.broken.find("links are FIFO") != std::string::npos);
  }
}

namespace {

// From the cheapest. Between them, each property is at stake in some.
std::vector<ExploreOptions> small_rings() {
  std::vector<ExploreOptions> all = {leaderless(on_ring("dolev-klawe-rodeh", {1, 4, 3, 2}, 0, 0)),
                                     leaderless(on_ring("dolev-klawe-rodeh", {1, 2}, 1, 0)),
                                     leaderless(on_ring("dolev-klawe-rodeh", {1, 2, 3}, 1, 0)),
                                     on_ring("dolev-klawe-rodeh", {1, 3, 2}, 2, 1),
                                     starting(on_ring("dolev-klawe-rodeh", {1, 2, 3}, 0, 0)),
                                     asynchronous(on_ring("dolev-klawe-rodeh", {1, 2, 3}, 1, 0)),
                                     leaderless(on_ring("dolev-klawe-rodeh", {1, 3, 2, 4}, 1, 0)),
                                     on_ring("dolev-klawe-rodeh", {1, 2, 3, 4}, 2, 1)};
  for (ExploreOptions& options : all) options.max_states = 60'000;
  all[0] = counted_on_ring(all[0]);
  return all;
}

// Over small_rings().
const std::vector<Caught<RingMutation>> caught_on_ring = {
    {RingMutation::ignores_f,
     {&properties::one_coordinator, &properties::message_count, &properties::highest_wins}},
    {RingMutation::swallows, {&properties::message_count}},
    {RingMutation::announces_to_nobody, {&properties::message_count}},
    {RingMutation::does_not_pass_over, {&properties::reachable}},
    {RingMutation::no_timer, {&properties::highest_live}},
    {RingMutation::no_epoch_check, {&properties::one_coordinator, &properties::highest_wins}},
    {RingMutation::ignores_newer_epochs, {&properties::highest_wins}},
    {RingMutation::ignores_suspicion, {&properties::progress}},
    {RingMutation::ignores_deposed, {&properties::reachable}},
    {RingMutation::ignores_join, {&properties::reachable}},
    {RingMutation::joins_alone, {&properties::one_coordinator}},
};

}  // namespace

TEST_CASE("explorer: each mutation of the ring is caught, and its counterexample plays") {
  REQUIRE(caught_on_ring.size() == RingMutant::names.size());
  std::size_t number = 0;
  for (const Caught<RingMutation>& expected : caught_on_ring) {
    if (!is_tried(number++)) continue;
    CAPTURE(mistake_name<RingMutant>(expected.mutation));
    check_same(violated_in(small_rings(), maker_of<RingMutant>(expected.mutation)), expected.by);
  }
}

}  // namespace bully
