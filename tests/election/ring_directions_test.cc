// ring_directions_test.cc: a ring round which messages go both ways, apart from any election: who
// is next, and what ring_member.h does for each way alike.
#include <doctest/doctest.h>

#include <vector>

#include "election/ring_member.h"
#include "support/script.h"

namespace bully {
namespace {

using enum Direction;

constexpr MessageKind both{
    "B", "value", Role::claims, {&fields::value, &fields::epoch, &fields::anticlockwise}};

// Sends its id both ways, and passes on what is higher.
class BothWays final : public RingMember {
 public:
  explicit BothWays(NodeId self) : RingMember(self, true) {}

 private:
  void begin(Context context) override {
    for (const Direction way : both_directions) pass(way, id(), context);
  }
  void on_number(const Message& message, Context context) override {
    const NodeId number = *message.get(fields::value);
    if (number > id()) pass(way_of(message), number, context);
  }
  void pass(Direction way, NodeId number, Context context) {
    Message message{.type = both};
    send(way, message.set(fields::value, number), context);
  }
};

// From `from`, who sends it that way.
Event number(Direction way, NodeId from, NodeId value, std::uint64_t epoch = 1) {
  Message message{.type = both, .from = from};
  message.set(fields::value, value).set(fields::epoch, epoch);
  if (way == anticlockwise) message.set(fields::anticlockwise);
  return Received{message};
}

Event leader(NodeId from, NodeId who) {
  return Received{wire_message(messages::leader, from, {}, who, 1)};
}

// Process 3 of the ring 1 to 5 in election 1; it has sent its id both ways.
test::ProcessOf<BothWays> process_3() {
  test::ProcessOf<BothWays> process(3, {1, 2, 3, 4, 5});
  process.on(Preset{5});
  process.suspect(5);
  CHECK(process.sent() == "B 3>4 B 3<2");
  return process;
}

TEST_CASE("the next one on a ring, both ways: by id, or in an order in which some are missing") {
  const test::FixedPeers by_id = {2, 4, 6};
  for (const auto& [id, next, before] :
       {std::tuple{2U, 4U, 6U}, std::tuple{4U, 6U, 2U}, std::tuple{6U, 2U, 4U},
        std::tuple{5U, 6U, 4U}, std::tuple{1U, 2U, 6U}, std::tuple{7U, 2U, 6U}}) {
    CHECK(by_id.next_of(id, clockwise) == next);
    CHECK(by_id.next_of(id, anticlockwise) == before);
  }
  CHECK(test::FixedPeers({}).next_of(3, anticlockwise) == 3);
  CHECK(test::FixedPeers({3}).next_of(3, anticlockwise) == 3);

  const std::vector<NodeId> ring = {1, 5, 3, 2, 4};
  const std::vector<NodeId> there = {1, 2, 3};
  for (const auto& [id, next, before] :
       {std::tuple{1U, 3U, 2U}, std::tuple{5U, 3U, 1U}, std::tuple{3U, 2U, 1U},
        std::tuple{2U, 1U, 3U}, std::tuple{4U, 1U, 2U}, std::tuple{9U, 1U, 2U}}) {
    CHECK(next_on_ring(ring, there, id, clockwise) == next);
    CHECK(next_on_ring(ring, there, id, anticlockwise) == before);
  }
}

TEST_CASE("with two processes both neighbours are the same, and a message tells its way") {
  test::ProcessOf<BothWays> process(1, {1, 2});
  process.on(Preset{2});
  process.on(number(clockwise, 2, 2));
  CHECK(process.sent() == "B 1>2 B 1<2 B 2>2");
  process.on(number(anticlockwise, 2, 2));
  CHECK(process.sent() == "B 2<2");
}

TEST_CASE(
    "a neighbour that is gone is passed over on its side, and the next hears what it was told") {
  auto process = process_3();
  process.on(number(anticlockwise, 4, 9));
  CHECK(process.sent() == "B 9<2");
  process.gone(2);
  CHECK(process.fired() == "ring-passed-over");
  CHECK(process.sent() == "B 3<1 B 9<1");
  process.gone(4);
  CHECK(process.sent() == "B 3>5");
  // One that is a neighbour no longer.
  process.gone(2);
  CHECK(process.sent().empty());
  // Both ways at once, where one process is left.
  process.gone(5);
  CHECK(process.sent() == "B 3>1");
}

TEST_CASE("a process that hears from a distant one first passes over all processes in between") {
  auto process = process_3();
  process.on(number(clockwise, 1, 9));
  CHECK(process.fired() == "ring-closes-up");
  CHECK(process.sent() == "B 3<1 B 9>4");
  // 2 has not been one of the ring, and speaks: the ring has changed.
  process.on(number(clockwise, 2, 9));
  CHECK(process.fired() == "ring-void");
  CHECK(process.protocol().latest_election() == 2);
  CHECK(process.sent() == "B 3>4 B 3<2");
}

TEST_CASE("each side has a neighbour of its own, and a second one there makes an election void") {
  auto process = process_3();
  process.on(number(clockwise, 2, 9));
  process.on(number(anticlockwise, 4, 9));
  CHECK(process.protocol().latest_election() == 1);
  process.on(number(anticlockwise, 5, 9));
  CHECK(process.protocol().latest_election() == 2);
}

TEST_CASE("a process that is hung is passed over both ways, until another election begins") {
  test::ProcessOf<BothWays> process(3, {1, 2, 3, 4, 5});
  process.on(Preset{5});
  process.suspect(5, Suspicion::hung);
  CHECK(process.sent() == "B 3>4 B 3<2");
  process.suspect(2, Suspicion::hung);
  CHECK(process.sent() == "B 3<1");
  process.suspect(4, Suspicion::hung);
  CHECK(process.sent() == "B 3>1");
  // The others do not agree, and hold another before this one is over: everybody is asked again.
  process.on(number(clockwise, 2, 9, 2));
  CHECK(process.sent() == "B 3>4 B 3<2 B 9>4");
  process.suspect(4, Suspicion::hung);
  CHECK(process.sent() == "B 3>5 B 9>5");
}

TEST_CASE("what goes the other way is passed on after LEADER, which did not wait for it") {
  auto process = process_3();
  process.on(number(clockwise, 2, 5));
  process.on(number(anticlockwise, 4, 4));
  process.on(leader(2, 5));
  CHECK(process.coordinator() == 5);
  process.on(number(anticlockwise, 4, 5));
  CHECK(process.sent() == "B 5<2");
  CHECK(process.coordinator() == 5);
  // Not without end: some number would go round for ever.
  for (int i = 0; i < 7; ++i) process.on(number(anticlockwise, 4, 9));
  CHECK(process.protocol().latest_election() == 2);
}

TEST_CASE("LEADER may even come before the first that goes the other way") {
  auto process = process_3();
  process.on(number(clockwise, 2, 5));
  process.on(leader(2, 5));
  process.on(number(anticlockwise, 4, 5));
  CHECK(process.protocol().latest_election() == 1);
  CHECK(process.sent() == "B 5<2");
}

}  // namespace
}  // namespace bully
