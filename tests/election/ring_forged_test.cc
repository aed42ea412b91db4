// ring_forged_test.cc: whatever somebody forges, a ring elects again when he stops.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "election/algorithm.h"
#include "election/ring_member.h"
#include "election/tanenbaum_ring.h"
#include "support/messages.h"

namespace bully {
namespace {

constexpr std::uint64_t last_epoch = std::numeric_limits<std::uint64_t>::max();

// A ring of a few, whose messages arrive in the order of sending.
class SmallRing : public Peers {
 public:
  SmallRing(const Algorithm& algorithm, std::vector<NodeId> ids) : ids_(std::move(ids)) {
    for (const MessageType type : algorithm.messages) {
      if (type->role == Role::claims) claim_ = type;
    }
    for (const NodeId id : ids_) processes_.push_back(algorithm.make(id));
  }

  void give(NodeId id, const Event& event) {
    Actions actions;
    process(id).handle(event, *this, actions);
    for (const Action& action : actions) {
      const auto* send = std::get_if<Send>(&action);
      if (send != nullptr && !muted_.contains(send->to)) under_way_.push_back(*send);
    }
  }
  void give_all(const Event& event) {
    for (const NodeId id : ids_) give(id, event);
  }
  void forge(NodeId to, MessageType type, NodeId from, std::uint64_t number, std::uint64_t epoch) {
    give(to, Received{wire_message(type, from, {}, number, epoch)});
  }
  // A number that goes round, whatever this election calls it.
  void forge_claim(NodeId to, NodeId from, NodeId number, std::uint64_t epoch) {
    forge(to, claim_, from, number, epoch);
  }
  MessageType claim() const { return claim_; }
  void mute(std::set<NodeId> ids) { muted_ = std::move(ids); }
  void remove(const std::set<NodeId>& ids) {
    std::erase_if(ids_, [&](NodeId id) { return ids.contains(id); });
  }
  // Until nothing is under way. False: that never comes.
  bool run() {
    for (int left = 10'000; left > 0 && !under_way_.empty(); --left) {
      const Send next = under_way_.front();
      under_way_.pop_front();
      give(next.to, Received{next.message});
    }
    return under_way_.empty();
  }
  // All that still wait do so in vain, one after the other.
  bool run_until_agreed() {
    for (int rounds = 0; rounds < 5; ++rounds) {
      for (const NodeId id : ids_) {
        if (!run()) return false;
        if (!process(id).coordinator()) give(id, Expired{Timer::coordinator});
      }
    }
    return run() && agreed();
  }
  bool agreed() {
    return std::ranges::all_of(ids_,
                               [&](NodeId id) { return process(id).coordinator() == ids_.back(); });
  }
  // REQUIRES: it was made here.
  Protocol& process(NodeId id) {
    const auto found = std::ranges::find(processes_, id, [](const auto& one) { return one->id(); });
    return **found;
  }
  std::span<const NodeId> ids() const override { return ids_; }

 private:
  std::vector<NodeId> ids_;
  std::set<NodeId> muted_;
  MessageType claim_;
  std::vector<std::unique_ptr<Protocol>> processes_;
  std::deque<Send> under_way_;
};

template <typename Check>
void on_each_ring(Check check) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.topology != Topology::ring) continue;
    CAPTURE(algorithm.name);
    check(algorithm);
  }
}

TEST_CASE("a forged epoch, however large, does not keep a ring from its next election") {
  on_each_ring([](const Algorithm& algorithm) {
    for (const MessageType type : algorithm.messages) {
      for (const std::uint64_t epoch :
           {last_epoch, last_epoch - 1, last_epoch / 2, std::uint64_t{1} << 32U}) {
        CAPTURE(type->code);
        CAPTURE(epoch);
        SmallRing ring(algorithm, {1, 2, 3, 4});
        ring.give_all(Preset{4});
        for (const NodeId to : {2U, 3U}) ring.forge(to, type, to - 1, 2, epoch);
        CHECK(ring.run_until_agreed());
        // Whoever notices: an election is held, and it ends.
        for (const NodeId id : {1U, 2U, 3U}) {
          ring.give(id, Suspected{4, Suspicion::down});
          CHECK(!ring.process(id).coordinator());
          CHECK((ring.run() && ring.agreed()));
        }
        ring.give(2, Started{});
        CHECK((ring.run() && ring.agreed()));
      }
    }
  });
}

TEST_CASE("a process keeps no more forged laps than an election has messages") {
  SmallRing ring(algorithm_named("tanenbaum-ring"), {1, 2, 3, 4});
  ring.give_all(Preset{4});
  Message message{.type = messages::list_election, .from = 1};
  message.values.set_list({1});
  ring.give(2, Received{message.set(fields::epoch, 1)});
  for (NodeId origin = 100; origin < 1'000; ++origin) {
    Message lap{.type = messages::list_coordinator, .from = 1};
    lap.values.set_list({origin});
    ring.give(2, Received{lap.set(fields::leader, 4).set(fields::epoch, 1)});
  }
  std::vector<std::uint64_t> words;
  ring.process(2).save(words);
  CHECK(words.size() < 200);
  CHECK(ring.run_until_agreed());
}

TEST_CASE("a ring that was misled while all of it started counts on from there, and round") {
  on_each_ring([](const Algorithm& algorithm) {
    SmallRing ring(algorithm, {1, 2, 3});
    for (const NodeId id : {1U, 2U, 3U}) ring.give(id, Started{});
    ring.forge_claim(1, 3, 3, last_epoch);
    CHECK(ring.run_until_agreed());
    for (int election = 0; election < 4; ++election) {
      ring.give(1, Suspected{3, Suspicion::down});
      CHECK((ring.run() && ring.agreed()));
    }
    // And one that knows nothing takes part.
    ring.process(2).load([&] {
      std::vector<std::uint64_t> words;
      algorithm.make(2)->save(words);
      return words;
    }());
    ring.give(2, Started{});
    CHECK((ring.run() && ring.agreed()));
  });
}

TEST_CASE(
    "processes that were misled in any way find together again, whenever they lose patience") {
  on_each_ring([](const Algorithm& algorithm) {
    std::mt19937_64 chance(7);
    for (int run = 0; run < 300; ++run) {
      CAPTURE(run);
      const std::vector<NodeId> ids = one_to(2 + chance() % 7);
      SmallRing ring(algorithm, ids);
      ring.give_all(Started{});
      for (const NodeId id : ids) ring.forge_claim(id, id % ids.size() + 1, id, chance());
      CHECK(ring.run());
      for (int waits = 0; waits < 200 && !ring.agreed(); ++waits) {
        const NodeId id = ids[chance() % ids.size()];
        if (!ring.process(id).coordinator()) ring.give(id, Expired{Timer::coordinator});
        CHECK(ring.run());
      }
      CHECK(ring.agreed());
    }
  });
}

// 4 and 8 take what is said to them, and say nothing.
TEST_CASE(
    "an election ends once the processes that prevented it die, however often it failed before") {
  on_each_ring([](const Algorithm& algorithm) {
    std::minstd_rand chance(7);
    for (int run = 0; run < 300; ++run) {
      CAPTURE(run);
      SmallRing ring(algorithm, {1, 2, 3, 4, 5, 6, 7, 8});
      ring.mute({4, 8});
      constexpr std::array<NodeId, 6> live = {1, 2, 3, 5, 6, 7};
      for (const NodeId id : live) ring.give(id, Started{});
      for (int waits = 0; waits < 30; ++waits) {
        CHECK(ring.run());
        ring.give(live.at(chance() % live.size()), Expired{Timer::coordinator});
      }
      CHECK(ring.run());
      ring.remove({4, 8});
      for (const NodeId id : {3U, 7U}) ring.give(id, Suspected{id + 1, Suspicion::down});
      CHECK((ring.run() && ring.agreed()));
    }
  });
}

TEST_CASE("what a process is talked into saying is bounded") {
  on_each_ring([](const Algorithm& algorithm) {
    SmallRing ring(algorithm, {1, 2});
    ring.give_all(Preset{2});
    std::vector<std::uint64_t> words;
    std::size_t most = 0;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      auto& process = dynamic_cast<RingMember&>(ring.process(1));
      Actions actions;
      // 9 is passed on by everyone: it is the highest.
      const std::uint64_t epoch = process.latest_election() + (process.coordinator() ? 1 : 0);
      const Message claim = wire_message(ring.claim(), 9, {}, 9 + i % 2, epoch);
      process.handle(Received{claim}, ring, actions);
      process.save(words);
      most = std::max(most, words.size());
    }
    CHECK(most > 10);
    CHECK(most < 400);
  });
}

}  // namespace
}  // namespace bully
