// The invitation election of [GM82]: a test for each sentence of its procedures, and for what is
// added.
#include "election/invitation.h"

#include <doctest/doctest.h>

#include <string>

#include "support/script.h"

namespace bully::test {
namespace {

using State = Invitation::State;

struct One : ProcessOf<Invitation> {
  using ProcessOf::ProcessOf;

  std::string receive(MessageType type, NodeId from, const Group& group, std::uint64_t task = 0) {
    Message message{.type = type, .from = from};
    message.set_group(group);
    if (type == messages::group_ready) message.set(fields::group_task, task);
    if (type == messages::accepted) message.set(fields::in_time);
    return on(Received{message});
  }
  std::string preset(NodeId coordinator) { return on(Preset{coordinator}); }
  State state() { return protocol().state(); }
  Group group() { return protocol().group().value_or(Group{}); }
  std::optional<NodeId> d() { return protocol().variables().at(1).value; }
  std::string up() {
    std::string ids;
    for (const NodeId id : protocol().up()) ids += std::to_string(id);
    return ids;
  }
};

// 3 of 1 to 4 is on its own, having lost 4.
One alone() {
  One one(3, {1, 2, 3, 4});
  one.preset(4);
  one.suspect(4);
  return one;
}

// It has found 2, and has invited it.
One inviting() {
  One one = alone();
  one.on(PeerFound{2});
  one.expire(Timer::answer);
  return one;
}

// 2 has been invited by 3, and says that it accepts.
constexpr Group new_group{3, 7};
One invited() {
  One one(2, {1, 2, 3, 4});
  one.preset(4);
  one.receive(messages::invitation, 3, new_group);
  return one;
}

TEST_CASE("iv: Recovery: a process that was down is a group of one, with a name of its own") {
  One one(3, {1, 2, 3});
  CHECK(one.protocol().group() == std::nullopt);
  CHECK(one.on(Started{.incarnation = 4096}) == "follow 3");
  CHECK(one.fired() == "iv-recovery");
  CHECK(one.state() == State::coordinator);
  CHECK(one.group() == Group{3, 4097});
  CHECK(one.up().empty());
  CHECK(one.d() == 1U);
  CHECK(one.running.empty());
}

TEST_CASE("iv: Timeout: whose coordinator is not there, or disowns it, is on its own again") {
  for (const Suspicion reason : {Suspicion::down, Suspicion::hung, Suspicion::deposed}) {
    One one(3, {1, 2, 3, 4});
    one.preset(4);
    CHECK(one.suspect(4, reason) == "follow 3");
    CHECK(one.fired() == "iv-timeout iv-recovery");
    CHECK(one.group() == Group{3, 2});
  }
  One one = alone();
  CHECK(one.suspect(4).empty());  // it watches that one no longer
  CHECK(one.suspect(3, Suspicion::deposed).empty());
}

TEST_CASE("iv: Check: a coordinator that finds another waits a while, and then merges") {
  One one = alone();
  CHECK(one.on(PeerFound{2}) == "follow 3, start answer");
  CHECK(one.fired() == "iv-check iv-by-rank");
  CHECK(one.state() == State::merging);
  CHECK(one.coordinator() == 3U);  // to all others it is coordinator still
  CHECK(one.on(PeerFound{1}).empty());
  CHECK(one.on(PeerFound{2}).empty());
  CHECK(one.fired().empty());
  CHECK(one.expire(Timer::answer) == "follow nobody, start coordinator, IV>1, IV>2");
  CHECK(one.fired() == "iv-merge");
  const Algorithm algorithm = invitation_algorithm();
  CHECK(algorithm.finds({3, 3}, {1, 1}));
  CHECK(!algorithm.finds({3, 3}, {1, 2}));
  CHECK(!algorithm.finds({3, 3}, {1, std::nullopt}));
  One member(3, {1, 2, 3, 4});
  member.preset(4);
  CHECK(member.on(PeerFound{2}).empty());
}

TEST_CASE("iv: who finds a higher coordinator waits longer, so that the highest merges first") {
  One one = alone();
  const auto waits = [&] {
    const auto* start = std::get_if<StartTimer>(&one.actions.back());
    return start == nullptr ? 0 : start->attempts;
  };
  one.on(PeerFound{2});
  CHECK(waits() == 0);
  one.on(PeerFound{4});
  CHECK(waits() == 3);
}

TEST_CASE("iv: Merge: a new group; those found and the old members are invited") {
  One one(4, {1, 2, 3, 4, 9});
  one.preset(4);
  CHECK(one.up() == "1239");
  one.on(PeerFound{9});
  CHECK(one.expire(Timer::answer) == "follow nobody, start coordinator, IV>9, IV>1, IV>2, IV>3");
  CHECK(one.state() == State::inviting);
  CHECK(one.group() == Group{4, 3});
  CHECK(one.up().empty());
  CHECK(one.protocol().watched() == std::nullopt);
}

TEST_CASE("iv: Accept: counted in while the group is formed, and replied to in any case") {
  One one = inviting();
  const Group group = one.group();
  CHECK(one.receive(messages::accept, 2, group) == "ACR>2");
  CHECK(one.fired() == "iv-up");
  CHECK(std::get<Send>(one.actions.back()).message.has(fields::in_time));
  CHECK(one.up() == "2");
  CHECK(one.receive(messages::accept, 2, group) == "ACR>2");
  CHECK(one.up() == "2");
  CHECK(one.receive(messages::accept, 1, {3, 1}) == "ACR>1");
  CHECK(one.fired() == "iv-too-late");
  CHECK(!std::get<Send>(one.actions.back()).message.has(fields::in_time));
  one.expire(Timer::coordinator);
  CHECK(one.receive(messages::accept, 1, group) == "ACR>1");
  CHECK(one.fired() == "iv-too-late");
  CHECK(one.up() == "2");
}

TEST_CASE("iv: then Ready to each that has accepted, one after the other; then it is coordinator") {
  One one = inviting();
  const Group group = one.group();
  one.receive(messages::accept, 2, group);
  one.receive(messages::accept, 1, group);
  CHECK(one.expire(Timer::coordinator) == "follow nobody, start answer, GR 4>1");
  CHECK(one.fired() == "iv-hand-out");
  CHECK(one.state() == State::reorganization);
  CHECK(one.receive(messages::group_done, 2, group).empty());   // another's
  CHECK(one.receive(messages::group_done, 1, {3, 1}).empty());  // of another group
  CHECK(one.receive(messages::accepted, 1, group).empty());     // to another call
  CHECK(one.receive(messages::group_done, 1, group) == "start answer, GR 4>2");
  CHECK(one.d() == std::nullopt);
  CHECK(one.receive(messages::group_done, 2, group) == "follow 3");
  CHECK(one.fired() == "iv-normal");
  CHECK(one.state() == State::coordinator);
  CHECK(one.up() == "12");
  CHECK(one.d() == 4U);
  CHECK(one.running.empty());
}

TEST_CASE("iv: a reply that does not come voids it: on its own again, in a group that is new") {
  One late = inviting();
  late.receive(messages::accept, 2, late.group());
  late.expire(Timer::coordinator);
  CHECK(late.expire(Timer::answer) == "follow 3");
  CHECK(late.fired() == "iv-on-timeout iv-recovery");
  CHECK(late.group() == Group{3, 4});
  One gone = inviting();
  gone.receive(messages::accept, 2, gone.group());
  gone.expire(Timer::coordinator);
  CHECK(gone.gone(2) == "follow 3");
  CHECK(gone.fired() == "iv-gone iv-recovery");
  One no_reply = invited();
  CHECK(no_reply.expire(Timer::answer) == "follow 2");
  CHECK(no_reply.fired() == "iv-on-timeout iv-recovery");
  One nobody = invited();
  CHECK(nobody.gone(1).empty());
  CHECK(nobody.gone(3) == "follow 2");
  // An invitation that reaches nobody is no news: the others are waited for.
  One others = inviting();
  CHECK(others.gone(2).empty());
}

TEST_CASE("iv: Invitation: s is Election, c and g are the new ones, and it accepts") {
  One one(2, {1, 2, 3, 4});
  one.preset(4);
  CHECK(one.receive(messages::invitation, 3, new_group) == "follow nobody, start answer, AC>3");
  CHECK(one.fired() == "iv-invited");
  CHECK(one.state() == State::invited);
  CHECK(one.group() == new_group);
  CHECK(one.d() == std::nullopt);
}

TEST_CASE("iv: a coordinator passes its invitation on to its members, but not back to its sender") {
  One one(4, {1, 2, 3, 4, 9});
  one.preset(4);
  CHECK(one.receive(messages::invitation, 9, {3, 7}) ==
        "follow nobody, IV>1, IV>2, IV>9, start answer, AC>3");
  CHECK(one.fired() == "iv-invited iv-pass-on");
  CHECK(one.up().empty());
}

TEST_CASE("iv: Invitation: who is not normal declines, silently") {
  One one = invited();
  CHECK(one.receive(messages::invitation, 1, {1, 5}).empty());
  CHECK(one.fired() == "iv-decline");
  CHECK(one.group() == new_group);
  One two = inviting();
  CHECK(two.receive(messages::invitation, 1, {1, 5}).empty());
  CHECK(two.fired() == "iv-decline");
  // A merge that has not begun is given up.
  One three = alone();
  three.on(PeerFound{2});
  CHECK(three.receive(messages::invitation, 2, {2, 5}) == "follow nobody, start answer, AC>2");
  CHECK(three.fired() == "iv-invited");
  One forged = alone();
  CHECK(forged.receive(messages::invitation, 2, {3, 99}).empty());
  CHECK(forged.coordinator() == 3U);
}

TEST_CASE("iv: accepted, it reorganizes, and watches the one that invited it until Ready comes") {
  One one = invited();
  CHECK(one.receive(messages::accepted, 1, new_group).empty());
  CHECK(one.receive(messages::accepted, 3, {3, 6}).empty());
  CHECK(one.receive(messages::accepted, 3, new_group) == "follow nobody");
  CHECK(one.fired() == "iv-accepted");
  CHECK(one.state() == State::reorganization);
  CHECK(one.protocol().watched() == 3U);
  CHECK(one.running.empty());
  CHECK(one.suspect(3, Suspicion::deposed) == "follow 2");
  CHECK(one.fired() == "iv-timeout iv-recovery");
}

TEST_CASE("iv: one that accepted too late is told so, and is on its own again") {
  One one = invited();
  Message reply{.type = messages::accepted, .from = 3};
  CHECK(one.on(Received{reply.set_group(new_group)}) == "follow 2");
  CHECK(one.fired() == "iv-not-counted-in iv-recovery");
}

TEST_CASE("iv: Ready counts only in Reorganization, in its group, from its coordinator") {
  One one = invited();
  CHECK(one.receive(messages::group_ready, 3, new_group, 9) == "GRR>3");
  CHECK(one.fired() == "iv-not-ready");
  one.receive(messages::accepted, 3, new_group);
  CHECK(one.receive(messages::group_ready, 3, {3, 6}, 9) == "GRR>3");
  CHECK(one.fired() == "iv-not-ready");
  CHECK(one.receive(messages::group_ready, 1, new_group, 9) == "GRR>1");
  CHECK(one.fired() == "iv-not-ready");
  CHECK(one.receive(messages::group_ready, 3, new_group, 9) == "follow 3, GRR>3");
  CHECK(one.fired() == "iv-ready");
  CHECK(one.state() == State::normal);
  CHECK(one.d() == 9U);
  // The next task goes on from the last one that it knows of.
  one.suspect(3);
  CHECK(one.d() == 10U);
}

TEST_CASE("iv: no name of a group is used twice, nor by a process that comes back") {
  One one = alone();
  const std::uint64_t first = one.group().count;
  one.on(PeerFound{2});
  one.expire(Timer::answer);
  CHECK(one.group().count == first + 1);
  one.expire(Timer::coordinator);
  CHECK(one.group().count == first + 1);  // nobody came, and it is the same group all along
  one.on(Started{.incarnation = 1U << 20U});
  CHECK(one.group().count == (1U << 20U) + 1);
}

TEST_CASE("iv: one that was stopped goes on as it was, but not in the midst of a merge") {
  One member(2, {1, 2, 3});
  member.preset(3);
  CHECK(member.on(Started{.resumed = true}).empty());
  CHECK(member.coordinator() == 3U);
  One one = inviting();
  CHECK(one.on(Started{.resumed = true}) == "follow 3");
  CHECK(one.fired() == "iv-resumed iv-recovery");
  CHECK(!one.running.contains(Timer::coordinator));
}

TEST_CASE("iv: what it has saved is all of it") {
  One one = inviting();
  one.receive(messages::accept, 2, one.group());
  One twin = one;
  twin.protocol() = one.loaded().protocol();
  CHECK(twin.saved() == one.saved());
  CHECK(twin.expire(Timer::coordinator) == one.expire(Timer::coordinator));
}

TEST_CASE("iv: in the end there is one group, and its coordinator lives") {
  const Algorithm algorithm = invitation_algorithm();
  const auto node = [](NodeId id, std::optional<NodeId> coordinator, Group group) {
    return Snapshot{.id = id,
                    .condition = Condition::running,
                    .state = "normal",
                    .coordinator = coordinator,
                    .group = group};
  };
  const auto is_one = [&](std::vector<Snapshot> nodes) {
    return holds_in_the_end(algorithm, nodes);
  };
  CHECK(is_one({node(1, 2, {2, 1}), node(2, 2, {2, 1})}));
  CHECK(is_one({node(1, 2, {2, 1}), node(2, 2, {2, 1}), crashed_snapshot(3)}));
  CHECK(!is_one({node(1, 1, {1, 1}), node(2, 2, {2, 1})}));
  CHECK(!is_one({node(1, 2, {2, 1}), node(2, 2, {2, 2})}));
  CHECK(!is_one({node(1, 3, {3, 1}), node(2, 3, {3, 1}), crashed_snapshot(3)}));
  CHECK(!is_one({node(1, std::nullopt, {2, 1}), node(2, 2, {2, 1})}));
}

}  // namespace
}  // namespace bully::test
