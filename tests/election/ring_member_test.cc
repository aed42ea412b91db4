// ring_member_test.cc: the exact counts, and what a service needs besides. Each rule is in
// steps_test.cc, and the worst order of many processes in ../sim/experiments_compare_test.cc.

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "election/algorithm.h"
#include "fixture/recorded_run.h"
#include "sim/world.h"
#include "support/messages.h"

namespace bully {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// One election of `ring`, clockwise, whose coordinator has just left; `detector` notices. Returns
// what it took, and checks that all agree.
MessageCounts hold(const Algorithm& algorithm, const std::vector<NodeId>& ring,
                   const std::vector<NodeId>& detectors) {
  World world(recorded::quiet(algorithm));
  std::vector<NodeId> all = ring;
  const NodeId gone = ring.size() + 1;
  all.push_back(gone);
  world.preset(all);
  world.arrange(ring);
  world.crash(gone);
  world.reset_counts();
  for (const NodeId detector : detectors) world.suspect(detector);
  world.run_until_quiescent(seconds(100));
  CHECK(world.agreed());
  return world.delivered();  // what was said to the one that left does not count
}

// What the textbook's count says of all arrangements of n processes.
struct Extremes {
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;
  bool within = true;  // the bound, each type of message
};

// Holds the protocol itself to each count: all of them up to `n_of_all`, then one of `every`.
Extremes extremes_of(const Algorithm& algorithm, std::size_t n, std::size_t n_of_all,
                     std::size_t every) {
  std::vector<NodeId> order = one_to(n);
  const MessageCounts bound = algorithm.bound(n);
  Extremes found;
  std::size_t tried = 0;
  do {
    // The first stands for every rotation.
    const MessageCounts counted = algorithm.count({.processes = order});
    for (const auto& [type, count] : counted) {
      found.within = found.within && count <= bound.of(type);
    }
    found.most = std::max(found.most, election_total(counted));
    found.least = std::min(found.least, election_total(counted));
    if (n <= n_of_all || tried % every == 0) {
      CHECK(hold(algorithm, order, {order[tried % n]}) == counted);
    }
    ++tried;
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return found;
}

TEST_CASE("[DKR82] the bound is tight for 2 to 8 over all arrangements, and the best case is 4n") {
  const Algorithm& ring = *find_algorithm("dolev-klawe-rodeh");
  for (std::size_t n = 2; n <= 8; ++n) {
    CAPTURE(n);
    const Extremes found = extremes_of(ring, n, 5, 97);
    CHECK(found.within);
    CHECK(found.most == election_total(ring.bound(n)));
    CHECK(found.least == 4 * n);
  }
  CHECK(election_total(ring.bound(5)) == 30);
  CHECK(election_total(ring.bound(8)) == 64);
}

TEST_CASE("[DKR82] random arrangements up to 200 take their count, for any detector") {
  const Algorithm& ring = *find_algorithm("dolev-klawe-rodeh");
  std::minstd_rand random(7);
  for (int run = 0; run < 60; ++run) {
    std::vector<NodeId> order = one_to(2 + random() % 199);
    std::ranges::shuffle(order, random);
    std::vector<NodeId> detectors = order;
    detectors.resize(1 + random() % order.size());
    const MessageCounts sent = hold(ring, order, detectors);
    CHECK(sent == ring.count({.processes = order}));
    CHECK(election_total(sent) <= election_total(ring.bound(order.size())));
  }
}

TEST_CASE("[CR79] Chang and Roberts: counts over all arrangements, from 3n - 1 to n(n + 3) / 2") {
  const Algorithm& plain = *find_algorithm("chang-roberts");
  for (std::size_t n = 2; n <= 7; ++n) {
    CAPTURE(n);
    const Extremes found = extremes_of(plain, n, 5, 41);
    CHECK(found.most == n * (n + 3) / 2);
    CHECK(found.most == election_total(plain.bound(n)));
    CHECK(found.least == 3 * n - 1);
  }
}

TEST_CASE("the next one on a ring: by id, or in an order in which some are missing") {
  const FixedPeers by_id = {2, 4, 6};
  for (const auto& [id, next] : {std::pair{2U, 4U}, std::pair{4U, 6U}, std::pair{6U, 2U},
                                 std::pair{5U, 6U}, std::pair{1U, 2U}, std::pair{7U, 2U}}) {
    CHECK(by_id.next_of(id) == next);
  }
  CHECK(FixedPeers({}).next_of(3) == 3);
  CHECK(FixedPeers({3}).next_of(3) == 3);

  const std::vector<NodeId> ring = {1, 5, 3, 2, 4};
  const std::vector<NodeId> there = {1, 2, 3};
  for (const auto& [id, next] : {std::pair{1U, 3U}, std::pair{5U, 3U}, std::pair{3U, 2U},
                                 std::pair{2U, 1U}, std::pair{4U, 1U}, std::pair{9U, 1U}}) {
    CHECK(next_on_ring(ring, there, id) == next);
  }
}

// Two waits for an echo, and what is left of two ping intervals; not one wait for each.
TEST_CASE("DolevKlaweRodeh: many that are stopped cost no more than two of them") {
  for (const std::vector<NodeId>& stopped :
       {std::vector<NodeId>{7, 8}, {5, 6, 7, 8}, {2, 3, 4, 5, 6, 7, 8}}) {
    WorldOptions options;
    options.fifo = true;
    options.algorithm = find_algorithm("dolev-klawe-rodeh");
    World world(options, nullptr, options.algorithm->make);
    world.preset(one_to(8));
    world.run_for(seconds(3));
    for (const NodeId id : stopped) world.pause(id);
    const World::Time before = world.now();
    while (!world.agreed() && world.now() < before + seconds(100)) world.run_for(milliseconds(10));
    CHECK(world.now() - before <= seconds(4) + milliseconds(100));
  }
}

}  // namespace
}  // namespace bully
