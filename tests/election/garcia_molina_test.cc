// The bully election of [GM82]: a test for each sentence of its procedures, and for what is added.
#include "election/garcia_molina.h"

#include <doctest/doctest.h>

#include <string>

#include "support/script.h"

namespace bully::test {
namespace {

using State = GarciaMolina::State;

// With its calls numbered from 0; a number that is not the present call's is named.
struct One : ProcessOf<GarciaMolina> {
  One(NodeId id, std::initializer_list<NodeId> cluster) : ProcessOf(id, cluster) {
    names_rules = true;
  }

  std::string receive(MessageType type, NodeId from, std::uint64_t call = 0,
                      std::uint64_t task = 0) {
    Message message{.type = type, .from = from};
    message.set(fields::call, call);
    if (type == messages::ready) message.set(fields::task, task);
    return on(Received{message});
  }
  State state() { return protocol().state(); }
  std::optional<NodeId> value(std::size_t i) { return protocol().variables().at(i).value; }
  std::optional<NodeId> h() { return value(0); }
  std::optional<NodeId> d() { return value(1); }
  std::optional<NodeId> c() { return value(2); }
};

// Of processes that agree on this coordinator.
One agreed(NodeId self, std::initializer_list<NodeId> all, NodeId coordinator) {
  One one(self, all);
  one.on(Preset{coordinator});
  return one;
}

// 3 of 1 to 4 has lost 4, has found nobody above itself, and halts 2.
One halting() {
  One one = agreed(3, {1, 2, 3, 4}, 4);
  one.suspect(4);
  one.gone(4);
  return one;
}

// 2 and 1 are halted, and 2 is told who is the new coordinator.
One naming() {
  One one = halting();
  one.receive(messages::halted, 2);
  one.receive(messages::halted, 1);
  return one;
}

// 2 of 1 to 4 has been halted by 3.
One halted() {
  One one = agreed(2, {1, 2, 3, 4}, 4);
  one.receive(messages::halt, 3);
  return one;
}

TEST_CASE("gm: AreYouThere is replied to, and starts no election") {
  One one = agreed(3, {1, 2, 3, 4}, 4);
  CHECK(one.receive(messages::are_you_there, 1, 7) == "ATR>1 [gm-there]");
  CHECK(std::get<Send>(one.actions.back()).message.get(fields::call) == 7U);
  CHECK(one.state() == State::normal);
  CHECK(one.coordinator() == 4U);
}

TEST_CASE("gm: Election asks each higher process, one after the other, from the lowest") {
  One one = agreed(2, {1, 2, 3, 4, 5}, 5);
  CHECK(one.suspect(5) ==
        "follow nobody, start answer, AT>3 [gm-timeout gm-follows-nobody gm-ask]");
  CHECK(one.coordinator() == std::nullopt);
  CHECK(one.expire(Timer::answer) == "start answer, AT>4");
  CHECK(one.gone(4) == "start answer, AT>5 [gm-gone]");
  CHECK(one.gone(3).empty());  // that is no news of the present call
}

TEST_CASE("gm: a process gives up silently when a higher one answers, and asks again later") {
  One one = agreed(2, {1, 2, 3, 4}, 4);
  one.suspect(4);
  CHECK(one.receive(messages::here, 3) == "start coordinator [gm-give-up]");
  CHECK(one.state() == State::election);
  CHECK(one.protocol().watched() == std::nullopt);
  CHECK(one.expire(Timer::coordinator) == "follow nobody, start answer, AT>3 [gm-again gm-ask]");
}

TEST_CASE("gm: a process without a higher one halts all lower ones, from the highest") {
  One one = halting();
  CHECK(one.fired() == "gm-gone gm-halt");
  CHECK(one.h() == 3U);
  CHECK(one.receive(messages::halted, 2) == "start answer, HA>1 [gm-up]");
  CHECK(one.state() == State::election);
}

TEST_CASE("gm: a coordinator is named only after all are halted or have not answered") {
  One one = halting();
  one.expire(Timer::answer);
  CHECK(one.receive(messages::halted, 2).empty());  // too late
  CHECK(one.receive(messages::halted, 1, 1) ==
        "follow nobody, start answer, NC>1 [gm-up gm-election-point]");
  CHECK(one.c() == 3U);
  CHECK(one.state() == State::reorganization);
  CHECK(one.coordinator() == std::nullopt);  // it names itself, and follows nobody yet
}

TEST_CASE("gm: all that were halted are told of the new coordinator; then all get the task") {
  One one = naming();
  CHECK(one.receive(messages::noted, 2) == "start answer, NC>1");
  CHECK(one.receive(messages::noted, 1) == "start answer, RD 2>2 [gm-hand-out]");
  CHECK(one.receive(messages::done, 2) == "start answer, RD 2>1");
  CHECK(one.d() == std::nullopt);
  CHECK(one.receive(messages::done, 1) == "follow 3 [gm-normal]");
  CHECK(one.state() == State::coordinator);
  CHECK(one.d() == 2U);
}

TEST_CASE("gm: a halted process that no longer answers voids the election") {
  One one = naming();
  CHECK(one.gone(2) ==
        "follow nobody, start answer, AT>4 [gm-gone gm-on-timeout gm-follows-nobody gm-ask]");
  One late = naming();
  late.receive(messages::noted, 2);
  late.receive(messages::noted, 1);
  CHECK(late.expire(Timer::answer) ==
        "follow nobody, start answer, AT>4 [gm-on-timeout gm-follows-nobody gm-ask]");
}

TEST_CASE("gm: Halt: s becomes Election, h the sender, and an election under way here is aborted") {
  One one = agreed(2, {1, 2, 3, 4}, 4);
  one.suspect(4);
  CHECK(one.receive(messages::halt, 3) == "follow nobody, start coordinator, HAR>3 [gm-halted]");
  CHECK(one.h() == 3U);
  CHECK(!one.running.contains(Timer::answer));
  CHECK(one.receive(messages::here, 3).empty());  // the reply to what it had asked
  CHECK(one.protocol().watched() == 3U);          // it watches the one that halted it
  CHECK(one.suspect(3) == "follow nobody, start answer, AT>3 [gm-timeout gm-ask]");
}

TEST_CASE("gm: NewCoordinator counts only from the one that halted it last") {
  One one = halted();
  CHECK(one.receive(messages::new_coordinator, 4) == "NCR>4 [gm-not-halted-by]");
  CHECK(one.c() == std::nullopt);
  CHECK(one.receive(messages::new_coordinator, 3) == "follow nobody, NCR>3 [gm-new-coordinator]");
  CHECK(one.c() == 3U);
  CHECK(one.state() == State::reorganization);
  CHECK(!one.running.contains(Timer::coordinator));
  CHECK(one.receive(messages::new_coordinator, 3) ==
        "NCR>3 [gm-not-halted-by]");  // it is not in Election any more
}

TEST_CASE("gm: Ready counts only from the one that it names, in Reorganization") {
  One one = halted();
  CHECK(one.receive(messages::ready, 3, 0, 9) == "RDR>3 [gm-not-named-by]");
  one.receive(messages::new_coordinator, 3);
  CHECK(one.receive(messages::ready, 4, 0, 9) == "RDR>4 [gm-not-named-by]");
  CHECK(one.receive(messages::ready, 3, 0, 9) == "follow 3, RDR>3 [gm-ready]");
  CHECK(one.d() == 9U);
  CHECK(one.state() == State::normal);
  CHECK(one.protocol().watched() == 3U);
}

TEST_CASE("gm: Recovery: h is no process, and an election is held") {
  One one = halted();
  CHECK(one.start() == "follow nobody, start answer, AT>3 [gm-recovery gm-ask]");
  CHECK(one.h() == std::nullopt);
  CHECK(one.receive(messages::new_coordinator, 3) == "NCR>3 [gm-not-halted-by]");
}

TEST_CASE("gm: Check: a coordinator that finds a process not normal holds an election") {
  One one = agreed(3, {1, 2, 3}, 3);
  CHECK(one.on(PeerFound{1}) ==
        "follow nobody, follow nobody, start answer, HA>2 [gm-check gm-follows-nobody gm-ask "
        "gm-halt]");
  One other = agreed(2, {1, 2, 3}, 3);
  CHECK(other.on(PeerFound{1}).empty());
  const Algorithm algorithm = garcia_molina_algorithm();
  CHECK(algorithm.finds({3, 3}, {1, std::nullopt}));
  CHECK(!algorithm.finds({3, 3}, {1, 2}));
}

TEST_CASE("gm: Timeout in Reorganization: the coordinator that was named is gone") {
  One one = halted();
  one.receive(messages::new_coordinator, 3);
  CHECK(one.protocol().watched() == 3U);
  CHECK(one.suspect(3) ==
        "follow nobody, start answer, AT>3 [gm-timeout gm-follows-nobody gm-ask]");
}

TEST_CASE("gm: a process holds an election if it doubts the coordinator, or its own office") {
  One member = agreed(2, {1, 2, 3}, 3);
  CHECK(member.suspect(3, Suspicion::deposed) ==
        "follow nobody, start answer, AT>3 [gm-doubt gm-follows-nobody gm-ask]");
  One coordinator = agreed(2, {1, 2, 3}, 2);
  CHECK(coordinator.suspect(2, Suspicion::deposed) ==
        "follow nobody, start answer, AT>3 [gm-doubt gm-follows-nobody gm-ask]");
  One waiting = halted();
  CHECK(waiting.suspect(3, Suspicion::deposed).empty());
  CHECK(waiting.suspect(4).empty());
}

TEST_CASE("gm: only the reply to the present call counts") {
  One one = halting();
  CHECK(one.receive(messages::halted, 1).empty());     // of another
  CHECK(one.receive(messages::here, 2).empty());       // to another call
  CHECK(one.receive(messages::halted, 2, 1).empty());  // of another number
  CHECK(one.receive(messages::halted, 2) == "start answer, HA>1 [gm-up]");
}

TEST_CASE("gm: a call that was given up takes its number along") {
  One one = halting();
  CHECK(one.expire(Timer::answer) == "start answer, HA>1");
  CHECK(std::get<Send>(one.actions.back()).message.get(fields::call) == 1U);
  One aborted = halting();
  aborted.receive(messages::halt, 4);
  aborted.suspect(4);
  CHECK(std::get<Send>(aborted.actions.back()).message.get(fields::call) == 1U);
  // 2 may have died after its reply: what could not be sent to it is another message.
  One doubtful = halting();
  doubtful.receive(messages::are_you_there, 2);
  doubtful.gone(2);
  CHECK(std::get<Send>(doubtful.actions.back()).message.get(fields::call) == 1U);
  // Nor does a new process use the number of an earlier one of its id.
  One back(1, {1, 2});
  back.on(Started{.incarnation = 1000});
  CHECK(std::get<Send>(back.actions.back()).message.get(fields::call) == 1000U);
}

TEST_CASE("gm: no process halts, names or readies a higher one") {
  One one = agreed(2, {1, 2, 3}, 3);
  for (const MessageType type : {MessageType(messages::halt), MessageType(messages::ready),
                                 MessageType(messages::new_coordinator)}) {
    CHECK(one.receive(type, 1).empty());
  }
  CHECK(one.coordinator() == 3U);
  One down(2, {1, 2, 3});
  CHECK(down.receive(messages::halt, 3).empty());
}

TEST_CASE("gm: alone, or after all others, it is coordinator at once") {
  One one(3, {3});
  one.start();
  CHECK(one.state() == State::coordinator);
  CHECK(one.fired() == "gm-recovery gm-ask gm-halt gm-election-point gm-hand-out gm-normal");
  CHECK(one.running.empty());
}

}  // namespace
}  // namespace bully::test
