// real_soak_test.cc: nodes with default options survive random SIGKILLs and returns under old ids,
// twenty of bully, eight on a ring. BULLY_SOAK_ROUNDS and BULLY_SOAK_SEED choose how long, and
// which sequence.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>

#include "fixture/cluster.h"

namespace bully {
namespace {

constexpr std::size_t min_live = 2;
constexpr int max_at_once = 3;
// What all should take. More, up to a test's patience, is told, but fails nothing: the machine may
// be doing something else.
constexpr std::int64_t promised_ms = 3'000;

class Soak {
 public:
  Soak(NodeId nodes, unsigned seed, const Arguments& options = {})
      : cluster_(options), random_(seed) {
    cluster_.start_and_agree(1, nodes);
  }

  // How long it took until all live nodes agreed again.
  std::int64_t round() {
    const int changes = below(max_at_once) + 1;
    for (int i = 0; i < changes; ++i) {
      const bool may_kill = cluster_.live().size() > min_live;
      if (may_kill && (dead_.empty() || below(2) == 0)) {
        kill_one();
      } else if (!dead_.empty()) {
        bring_one_back();
      }
    }
    const Time begin = monotonic_now();
    REQUIRE(cluster_.agrees_in_time());
    return (monotonic_now() - begin) / std::chrono::milliseconds(1);
  }

  // Whether all leave, and nothing of them is left.
  void end() {
    cluster_.end_all();
    CHECK(cluster_.orphan_count() == 0);
    CHECK(cluster_.name_count() == 0);
    CHECK(children_of(getpid()).empty());
  }

 private:
  int below(std::size_t bound) { return static_cast<int>(random_() % bound); }

  // Every other time the coordinator: that is what costs an election.
  void kill_one() {
    const auto live = cluster_.live();
    const auto any = static_cast<std::size_t>(below(live.size()));
    const NodeId id = below(2) == 0 ? live.back() : live[any];
    cluster_.kill(id);
    dead_.insert(id);
  }

  void bring_one_back() {
    const auto id = std::next(dead_.begin(), below(dead_.size()));
    cluster_.start(*id);
    dead_.erase(id);
  }

  Cluster cluster_;
  std::minstd_rand random_;
  std::set<NodeId> dead_;
};

// Plays so many rounds, and tells how long they took.
void soak_for(unsigned rounds, NodeId nodes, const Arguments& options = {}) {
  const unsigned seed = from_environment("BULLY_SOAK_SEED", 1);
  CAPTURE(seed);
  Soak soak(nodes, seed, options);
  std::vector<std::int64_t> times;
  for (unsigned round = 0; round < rounds; ++round) {
    CAPTURE(round);
    times.push_back(soak.round());
    WARN(times.back() < promised_ms);
  }
  soak.end();
  std::ranges::sort(times);
  MESSAGE("seed " << seed << ", " << rounds << " rounds: agreement after "
                  << times[times.size() / 2] << " ms (median), " << times.back() << " ms (worst)");
}

TEST_CASE("Twenty nodes survive random kills and returns, and agree within three seconds") {
  soak_for(from_environment("BULLY_SOAK_ROUNDS", 20), 20);
}

TEST_CASE("Eight nodes on a ring survive random kills and returns") {
  const unsigned rounds = from_environment("BULLY_SOAK_ROUNDS", 10);
  soak_for(rounds, 8, {"--algorithm=dolev-klawe-rodeh"});
  soak_for(rounds, 8, {"--algorithm=dolev-klawe-rodeh", "--detector=eof"});
  soak_for(rounds, 8, {"--algorithm=chang-roberts", "--detector=eof"});
}

}  // namespace
}  // namespace bully
