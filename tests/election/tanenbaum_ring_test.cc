// tanenbaum_ring_test.cc: each sentence of [Tan95] about the ring with a list, in order; what it
// costs; and that it holds in every interleaving.
#include "election/tanenbaum_ring.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "explorer/explorer.h"
#include "fixture/explored.h"
#include "fixture/recorded_run.h"
#include "mutants/list_mutants.h"
#include "sim/world.h"
#include "support/bounds.h"
#include "support/log_text.h"
#include "support/messages.h"
#include "support/script.h"

namespace bully {
namespace {

using List = FieldValues::List;

// A process on a ring of 1 to 4, whose coordinator, 5, it has followed.
struct Process {
  explicit Process(NodeId id) : member(id) { handle(Preset{5}); }

  // What it sends, as on the wire, and the rules by which it acts.
  std::string handle(const Event& event) {
    Actions actions;
    member.handle(event, peers, actions);
    std::string told;
    for (const Action& action : actions) {
      if (const auto* send = std::get_if<Send>(&action)) {
        told += encode(send->message) + " to " + std::to_string(send->to) + "; ";
      }
      if (const auto* fired = std::get_if<Fired>(&action)) {
        told += std::string(fired->rule->key) + "; ";
      }
    }
    return told;
  }
  std::string hear(NodeId from, const std::string& bytes) {
    const auto message = decode(bytes);
    REQUIRE(message);
    REQUIRE(message->from == from);
    return handle(Received{*message});
  }

  test::FixedPeers peers = {1, 2, 3, 4};
  TanenbaumRing member;
};

ExploreOptions options_of(std::size_t nodes, unsigned crashes, unsigned restarts) {
  return bounds(nodes, crashes, restarts, algorithm_named("tanenbaum-ring"));
}

}  // namespace

TEST_CASE("[Tan95] a process that notices sends its successor a list of itself alone") {
  Process two(2);
  CHECK(two.handle(Suspected{5}) == "ring-suspect; list-begin; T;2;;;1;2 to 3; ");
  CHECK(two.member.state() == RingMember::State::active);
}

TEST_CASE("[Tan95] if the successor is down, the message goes to the next one") {
  Process two(2);
  two.handle(Suspected{5});
  CHECK(two.handle(PeerGone{3}) == "ring-passed-over; T;2;;;1;2 to 4; ");
}

TEST_CASE("[Tan95] each adds itself and passes the list on; it begins none of its own") {
  Process three(3);
  CHECK(three.hear(2, "T;2;1;;1;1,2") == "ring-newer; list-adds; T;3;;;1;1,2,3 to 4; ");
  CHECK(three.member.state() == RingMember::State::relay);
}

TEST_CASE("[Tan95] a process that finds its id in the list names the highest and all members") {
  Process two(2);
  two.handle(Suspected{5});
  CHECK(two.hear(1, "T;1;1;;1;2,3,4,1") == "list-comes-back; TC;2;;4;1;2,3,4,1 to 3; ");
  CHECK(two.member.coordinator() == NodeId{4});
  // It is removed when it has gone round once.
  CHECK(two.hear(1, "TC;1;2;4;1;2,3,4,1") == "list-lap-ends; ");
}

TEST_CASE("[Tan95] COORDINATOR tells each process the coordinator, and is passed on") {
  Process four(4);
  four.hear(3, "T;3;1;;1;2,3");
  CHECK(four.hear(3, "TC;3;2;4;1;2,3,4,1") == "list-lap; TC;4;;4;1;2,3,4,1 to 1; ");
  CHECK(four.member.state() == RingMember::State::coordinator);
  CHECK(four.hear(3, "TC;3;3;4;1;2,3,4,1") == "list-lap-ends; ");
}

TEST_CASE("[Tan95] two that notice at once: both lists go all the way, also past one that knows") {
  Process four(4);
  four.hear(3, "T;3;1;;1;2,3");
  four.hear(3, "TC;3;2;4;1;2,3,4,1");
  CHECK(four.hear(3, "T;3;3;;1;3") == "list-adds; T;4;;;1;3,4 to 1; ");
  CHECK(four.hear(3, "TC;3;4;4;1;3,4,1,2") == "list-lap; TC;4;;4;1;3,4,1,2 to 1; ");
  CHECK(four.member.coordinator() == NodeId{4});
}

TEST_CASE("no process follows a missing list, or one that names a lower coordinator") {
  Process four(4);
  four.hear(3, "T;3;1;;1;2,3");
  CHECK(four.hear(3, "TC;3;2;4;1") == "");
  CHECK(four.hear(3, "T;3;2;;1") == "");
  CHECK(four.hear(3, "TC;3;2;3;1;2,3").find("ring-low-leader") != std::string::npos);
  CHECK(!four.member.coordinator());
}

TEST_CASE("k processes that notice at once take 2nk messages, a thousand of them as well") {
  for (const auto& size : {std::pair<NodeId, NodeId>{1000, 1}, {1000, 3}, {8, 8}, {2, 1}}) {
    const auto& [n, k] = size;
    INFO(size.first, ", ", size.second);
    World world(recorded::quiet(algorithm_named("tanenbaum-ring")));
    world.preset(one_to(n + 1));
    world.crash(n + 1);
    for (NodeId id = 1; id <= k; ++id) world.suspect(id);
    world.run_until_quiescent(std::chrono::minutes(10));
    CHECK(world.agreed());
    CHECK(election_total(world.delivered()) == 2 * n * k);
  }
}

TEST_CASE("a list of a thousand ids of seven digits has room in a message, and more has not") {
  Message message{.type = messages::list_election, .from = 9'999'999};
  message.values.set_list(List(1000, 9'999'999));
  CHECK(encode(message.set(fields::epoch, 1)).size() < 8100);
  CHECK(decode(encode(message)) == message);
  message.values.set_list(List(8200, 9'999'999));
  CHECK(is_too_long(message));
  CHECK(decode(encode(message)) == std::nullopt);
}

TEST_CASE("the log says of a process whether its own list goes round") {
  const std::vector<Record> records = {{.node = 2, .event = TraceEvent::state, .state = "active"},
                                       {.node = 2, .event = TraceEvent::state, .state = "relay"}};
  CHECK(log_text(records, Language::english) ==
        "00:00      2  *  active: its message goes round\n"
        "00:00      2  *  relay: passes messages on\n");
}

TEST_CASE("explorer: the ring with a list holds in every interleaving of 3, and of 4") {
  for (const ExploreOptions& options :
       {options_of(3, 2, 1), options_of(3, 1, 0), options_of(4, 1, 0)}) {
    check_holds(options);
  }
}

TEST_CASE("explorer: each mutation of the ring with a list is caught, and can be played") {
  std::vector<ExploreOptions> all = {options_of(3, 0, 0), options_of(2, 1, 0), options_of(3, 1, 0)};
  for (ExploreOptions& options : all) {
    options.beginning = Beginning::leaderless;
    options.max_states = 60'000;
  }
  all[0].detectors = {1};
  all[0].max_messages = 6;  // 2n
  for (const ExploreOptions& options : all) check_holds(options);
  for (std::size_t i = 0; i < ListMutant::names.size(); ++i) {
    CAPTURE(ListMutant::names[i]);
    CHECK(is_caught(all, maker_of<ListMutant>(static_cast<ListMutation>(i))));
  }
}

}  // namespace bully
