// The election of Hirschberg and Sinclair: its rules sentence by sentence, and that the explorer
// finds each of them missing. What all rings have in common is in ring_rules_test.cc,
// ring_directions_test.cc and explorer_ring_test.cc; the counts are in ring_member_test.cc.

#include "election/hirschberg_sinclair.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "fixture/explored.h"
#include "mutants/probe_mutants.h"
#include "support/process.h"
#include "support/script.h"

namespace bully {
namespace {

using enum Direction;
using Candidate = test::ProcessOf<HirschbergSinclair>;

Event turned(Message message, Direction way) {
  if (way == anticlockwise) message.set(fields::anticlockwise);
  return Received{message};
}
Event probe(Direction way, NodeId from, NodeId value, std::uint64_t left, std::uint64_t epoch = 1) {
  return turned(wire_message(messages::probe, from, {}, value, epoch, left), way);
}
Event reply(Direction way, NodeId from, NodeId value, std::uint64_t epoch = 1) {
  return turned(wire_message(messages::reply, from, {}, value, epoch), way);
}

// Process 3 of the ring 1 to 5, which follows 5; and in election 1, which it has begun.
Candidate member_3() {
  Candidate process(3, {1, 2, 3, 4, 5});
  process.on(Preset{5});
  return process;
}
Candidate process_3() {
  Candidate process = member_3();
  process.suspect(5);
  return process;
}

struct Sentence {
  const char* says;
  Event given;
  std::string fired;
  std::string sent;
  std::string state;
};

void play(Candidate& process, const std::vector<Sentence>& sentences,
          std::set<std::string_view>& seen) {
  for (const Sentence& sentence : sentences) {
    CAPTURE(sentence.says);
    process.on(sentence.given);
    CHECK(process.fired() == sentence.fired);
    CHECK(process.sent() == sentence.sent);
    CHECK(process.state() == sentence.state);
    CHECK(process.loaded().saved() == process.saved());
    process.add_fired(seen);
  }
}

TEST_CASE("Hirschberg and Sinclair: each sentence of the rules") {
  std::set<std::string_view> seen;
  Candidate first = member_3();
  play(first,
       {{"a candidate sends a PROBE both ways, for one process", Suspected{5, Suspicion::down},
         "ring-suspect probe-begin", "HP 3:1>4 HP 3:1<2", "active"},
        {"a lower one is swallowed", probe(clockwise, 2, 2, 1), "probe-swallows", "", "active"},
        {"the first REPLY of a phase", reply(clockwise, 2, 3), "probe-first-reply", "", "active"},
        {"the second one: twice the reach", reply(anticlockwise, 4, 3), "probe-doubles",
         "HP 3:2>4 HP 3:2<2", "active"},
        {"again both", reply(clockwise, 2, 3), "probe-first-reply", "", "active"},
        {"and again twice", reply(anticlockwise, 4, 3), "probe-doubles", "HP 3:4>4 HP 3:4<2",
         "active"},
        {"its own is back: it has gone all round", probe(clockwise, 2, 3, 1), "probe-leader",
         "L 3>4", "coordinator"},
        {"from the other side as well", probe(anticlockwise, 4, 3, 1), "probe-ends", "",
         "coordinator"},
        {"the lap ends", Received{wire_message(messages::leader, 2, {}, 3, 1)}, "ring-lap-ends", "",
         "coordinator"}},
       seen);
  CHECK(first.coordinator() == 3);
  CHECK(first.protocol().variables().front() == Variable{"l", 2});

  Candidate lower = member_3();
  play(
      lower,
      {{"the first news of an election: a candidate before all else", probe(anticlockwise, 4, 4, 2),
        "ring-newer probe-begin probe-passes", "HP 3:1>4 HP 3:1<2 HP 4:1<2", "relay"},
       {"the last one that a PROBE is for replies", probe(anticlockwise, 4, 5, 1), "probe-replies",
        "HR 5>4", "relay"},
       {"a REPLY to another is passed on", reply(clockwise, 2, 4), "probe-passes-reply", "HR 4>4",
        "relay"},
       {"a phase ends by its REPLYs alone", reply(clockwise, 2, 3), "probe-first-reply", "",
        "relay"},
       {"whatever else it has heard", reply(anticlockwise, 4, 3), "probe-doubles",
        "HP 3:2>4 HP 3:2<2", "relay"},
       {"LEADER does not wait", Received{wire_message(messages::leader, 2, {}, 5, 1)}, "ring-lap",
        "L 5>4", "follower"},
       {"for what goes the other way", probe(anticlockwise, 4, 5, 3), "probe-passes", "HP 5:2<2",
        "follower"},
       {"another election", probe(clockwise, 2, 2, 1, 2), "ring-newer probe-begin probe-swallows",
        "HP 3:1>4 HP 3:1<2", "active"}},
      seen);
  for (const Rule* rule : find_algorithm("hirschberg-sinclair")->rules) {
    if (rule->key.starts_with("probe-")) CHECK(seen.contains(rule->key));
  }
}

TEST_CASE("Hirschberg and Sinclair: what is no message of this election changes nothing") {
  auto process = process_3();
  const auto before = process.saved();
  for (const Event& event : {probe(clockwise, 2, 2, 1, 0), reply(clockwise, 2, 3, 0),
                             Event(Received{wire_message(messages::probe, 2, {}, {}, 1, 1)}),
                             Event(Received{wire_message(messages::reply, 2, {}, 3)})}) {
    process.on(event);
    CHECK(process.sent().empty());
    CHECK(process.saved() == before);
  }
}

TEST_CASE("Hirschberg and Sinclair: what a process is talked into saying is bounded") {
  auto process = process_3();
  std::size_t most = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const bool is_back = i % 3 == 0;
    process.on(probe(is_back ? anticlockwise : clockwise, is_back ? 4 : 2, 9,
                     std::numeric_limits<std::uint64_t>::max() - i,
                     process.protocol().latest_election()));
    most = std::max(most, process.saved().size());
  }
  CHECK(process.protocol().latest_election() > 100);
  CHECK(most < 400);
}

std::vector<ExploreOptions> small_rings() {
  const auto small = [](std::vector<NodeId> order, unsigned crashes) {
    return leaderless(on_ring("hirschberg-sinclair", std::move(order), crashes, 0, 60'000));
  };
  return {counted_on_ring(small({1, 3, 2}, 0)), small({1, 2}, 1), small({1, 2, 3}, 1),
          small({1, 4, 3, 2}, 0)};
}

TEST_CASE("explorer: each mutation of Hirschberg and Sinclair is caught, and can be played") {
  for (std::size_t i = 0; i < ProbeMutant::names.size(); ++i) {
    if (!is_tried(i)) continue;
    CAPTURE(ProbeMutant::names[i]);
    const ProtocolMaker make = maker_of<ProbeMutant>(static_cast<ProbeMutation>(i));
    CHECK_FALSE(violated_in(small_rings(), make).empty());
  }
}

}  // namespace
}  // namespace bully
