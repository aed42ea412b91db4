// held_test.cc: what a person does with messages that wait, as a script that plays again.
#include <doctest/doctest.h>

#include <string>

#include "sim/play.h"
#include "stage/held.h"
#include "support/messages.h"

using namespace bully;

namespace {

using Lines = std::vector<std::string>;

// The real processes' part: what they would send, they send.
struct Table {
  explicit Table(Held with) : held(std::move(with)) {}

  // `subject`: what the message is about, as it stands on the wire.
  void send(NodeId from, NodeId to, MessageType type, Number subject = {}) {
    ++last_ticket;
    held.on_sent(wire_message(type, from, last_ticket, subject), to, last_ticket);
  }
  // The place of this message among those that wait.
  std::optional<Held::Ticket> ticket(NodeId from, NodeId to, MessageType type) const {
    for (const Held::Entry& entry : held.waiting()) {
      const bool is_it = entry.message.from == from && entry.to == to && entry.message.type == type;
      if (is_it) return entry.ticket;
    }
    return std::nullopt;
  }
  void deliver(NodeId from, NodeId to, MessageType type) {
    const auto found = ticket(from, to, type);
    REQUIRE(found);
    const Held::Deed deed = held.deliver(*found);
    CHECK(!deed.refused);
    CHECK(deed.tickets == std::vector{*found});
  }

  Held held;
  Held::Ticket last_ticket = 0;
};

Table table(NodeId last) {
  std::vector<NodeId> ids;
  for (NodeId id = 1; id <= last; ++id) ids.push_back(id);
  return Table(Held(default_algorithm(), ids));
}

// Whether a play of this script keeps all that it expects.
bool plays(const std::string& script) {
  const auto read = parse_scenario("held", script);
  REQUIRE(std::holds_alternative<Scenario>(read));
  const auto& scenario = std::get<Scenario>(read);
  SimulatedBackend backend(scenario);
  Listener nobody;
  const Performance performance = play(scenario, backend, nobody);
  return performance.broken == 0 && performance.kept > 0;
}

}  // namespace

TEST_CASE("held: each action is a line, and those of messages that met nobody are added") {
  Table at = table(4);
  Held& held = at.held;
  held.on_end(4, false);
  const Held::Deed suspicion = held.suspect(2);
  REQUIRE(suspicion.orders.size() == 1);
  CHECK(suspicion.orders[0].first == 2);
  CHECK(std::get<Suspected>(suspicion.orders[0].second).peer == 4);
  CHECK(held.awaits_any());
  CHECK(held.waiting().empty());
  at.send(2, 3, messages::election, 4);
  CHECK(!held.awaits_any());
  at.deliver(2, 3, messages::election);
  at.send(3, 2, messages::answer);
  at.send(3, 1, messages::coordinator);
  at.send(3, 2, messages::coordinator);
  const Held::Deed all = held.deliver_all();
  CHECK(all.tickets == std::vector<Held::Ticket>{2, 3, 4});
  CHECK(held.lines() == Lines{"crash 4", "suspect 2", "deliver gone from 4 to 2",
                              "deliver E from 2 to 3", "deliver gone from 4 to 3", "deliver"});
  CHECK(held.script() ==
        "algorithm bully\n"
        "nodes 1..4\n"
        "hold\n"
        "crash 4\n"
        "suspect 2\n"
        "deliver gone from 4 to 2\n"
        "deliver E from 2 to 3\n"
        "deliver gone from 4 to 3\n"
        "deliver\n"
        "expect coordinators 3\n"
        "expect messages E 3 PE 1 C 2 all 6\n");
  CHECK(plays(held.script()));
}

TEST_CASE("held: all are delivered one by one if that makes a process write to the dead") {
  Table at = table(4);
  at.held.on_end(4, false);
  at.held.suspect(1);
  at.send(1, 2, messages::election, 4);
  at.send(1, 3, messages::election, 4);
  CHECK(at.held.deliver_all().tickets == std::vector<Held::Ticket>{1, 2});
  CHECK(at.held.lines() == Lines{"crash 4", "suspect 1", "deliver gone from 4 to 1",
                                 "deliver E from 1 to 2", "deliver gone from 4 to 2",
                                 "deliver E from 1 to 3", "deliver gone from 4 to 3"});
}

TEST_CASE("held: what nothing explains, a process has done by itself") {
  Table at = table(3);
  at.held.on_end(3, false);
  at.send(1, 2, messages::election, 3);  // its monitor suspects
  CHECK(at.held.lines().back() == "deliver gone from 3 to 1");
  CHECK(at.held.drop(*at.ticket(1, 2, messages::election)).tickets.size() == 1);
  CHECK(at.held.expire(2).refused);      // no timer of 2 runs
  at.send(2, 1, messages::coordinator);  // its monitor suspects, too, and it is the highest
  CHECK(at.held.is_explained());
  CHECK(at.held.lines() == Lines{"crash 3", "suspect 1", "deliver gone from 3 to 1",
                                 "drop E from 1 to 2", "suspect 2", "deliver gone from 3 to 2"});
  at.deliver(2, 1, messages::coordinator);
  CHECK(plays(at.held.script()));
}

TEST_CASE("held: a timer that ran out unseen is found with what follows from it") {
  Table at = table(4);
  at.held.on_end(4, false);
  at.held.suspect(1);
  at.send(1, 2, messages::election, 4);
  at.send(1, 3, messages::election, 4);
  at.deliver(1, 3, messages::election);
  at.send(3, 1, messages::answer);
  at.send(3, 1, messages::coordinator);
  at.send(3, 2, messages::coordinator);
  at.deliver(3, 1, messages::answer);
  at.send(1, 2, messages::election);  // it has waited for COORDINATOR long enough
  at.send(1, 3, messages::election);
  CHECK(at.held.is_explained());
  CHECK(at.held.lines()[at.held.lines().size() - 2] == "expire 1 coordinator");
  // Two of one kind on one link: the second is named by its place.
  REQUIRE(at.held.waiting().size() == 5);
  const auto& waiting = at.held.waiting();
  const auto is_to_2 = [](const Held::Entry& entry) {
    return entry.message.from == 1 && entry.to == 2;
  };
  const auto second = std::find_if(waiting.rbegin(), waiting.rend(), is_to_2);
  at.held.drop(second->ticket);
  CHECK(at.held.lines().back() == "drop E from 1 to 2 only 2");
  CHECK(plays(at.held.script()));
}

TEST_CASE("held: a coordinator that nobody saw become one finds a higher process") {
  Table at = table(3);
  at.held.suspect(1);
  at.send(1, 2, messages::election, 3);
  at.send(1, 3, messages::election, 3);
  at.send(1, 2, messages::election, 1);  // its sender was away
  CHECK(at.held.is_explained());
  CHECK(at.held.lines() == Lines{"suspect 1 hung", "expire 1 answer", "suspect 1 deposed"});
  CHECK(plays(at.held.script()));
}

TEST_CASE("held: the example's messages, which do not say why they are sent, are explained") {
  Table at = table(3);
  at.held.on_end(3, false);
  at.held.on_sent({.type = messages::election, .from = 1}, 2, 1);
  CHECK(at.held.is_explained());
  CHECK(at.held.lines() == Lines{"crash 3", "suspect 1", "deliver gone from 3 to 1"});
}

TEST_CASE(
    "held: what cannot be explained is told as a comment, and may be delivered all the same") {
  Table at = table(3);
  at.send(1, 3, messages::answer);
  CHECK(!at.held.is_explained());
  REQUIRE(at.held.waiting().size() == 1);
  CHECK(at.held.deliver_all().tickets == std::vector<Held::Ticket>{1});
  CHECK(at.held.waiting().empty());
  CHECK(at.held.lines() == Lines{"# PE from 1 to 3", "# deliver PE from 1 to 3"});
  CHECK(at.held.script() ==
        "algorithm bully\nnodes 1..3\nhold\n# PE from 1 to 3\n"
        "# deliver PE from 1 to 3\n");
}

TEST_CASE("held: a process that is stopped takes no orders, and one that goes on starts over") {
  Table at = table(3);
  at.held.on_stop(2);
  at.held.on_stop(2);
  CHECK(at.held.lines() == Lines{"pause 2"});
  CHECK(at.held.suspect(2).refused);
  CHECK(at.held.expire(2).refused);
  at.held.on_go_on(2);
  at.send(2, 3, messages::election, 2);
  at.held.on_go_on(3);  // it ran all the time
  CHECK(at.held.lines() == Lines{"pause 2", "resume 2", "pause 3", "resume 3"});
  CHECK(at.held.suspect(9).refused);
  CHECK(plays(at.held.script()));
}

TEST_CASE("held: a stopped process that sends has been continued by another") {
  Table at = table(3);
  at.held.on_stop(2);
  at.send(2, 3, messages::election, 2);
  CHECK(at.held.is_explained());
  CHECK(at.held.lines() == Lines{"pause 2", "resume 2"});
  CHECK(plays(at.held.script()));
}

TEST_CASE(
    "held: messages for a process that ends are lost, and so are those that it did not send") {
  Table at = table(4);
  at.held.on_end(4, false);
  at.held.suspect(1);
  at.send(1, 2, messages::election, 4);
  at.send(1, 3, messages::election, 4);
  at.held.suspect(2);
  at.send(2, 3, messages::election, 4);
  at.deliver(1, 2, messages::election);  // and 2 is killed before it answers
  const Held::Deed end = at.held.on_end(2, false);
  CHECK(end.tickets.empty());
  CHECK(at.held.lines().back() == "drop PE from 2 to 1");
  CHECK(!at.held.awaits_any());
  CHECK(!at.held.runs(2));
  CHECK(at.held.on_end(3, true).tickets == std::vector<Held::Ticket>{2, 3});
  CHECK(at.held.lines().back() == "leave 3");
  at.held.on_start(2);
  at.held.on_start(9);
  const Lines& lines = at.held.lines();
  CHECK(std::ranges::count(lines, "restart 2") == 1);
  CHECK(std::ranges::count(lines, "start 9") == 1);
  CHECK(lines.back() == "deliver gone from 4 to 9");
  CHECK(plays(at.held.script()));
}

TEST_CASE("held: the selection stays with its message, and moves on when that is gone") {
  Table at = table(4);
  at.held.suspect(1);
  for (const NodeId to : std::vector<NodeId>{2, 3, 4}) at.send(1, to, messages::election, 4);
  CHECK(at.held.selected() == 0);
  at.held.move_selection(-1);
  CHECK(at.held.selected() == 0);
  at.held.move_selection(1);
  at.deliver(1, 2, messages::election);
  CHECK(at.held.selected() == 0);
  CHECK(at.held.waiting()[0].to == 3);
  at.held.move_selection(9);
  at.deliver(1, 4, messages::election);
  CHECK(at.held.waiting()[at.held.selected()].to == 3);
  at.deliver(1, 3, messages::election);
  CHECK(at.held.waiting().empty());
  CHECK(at.held.deliver_all().refused);
}

TEST_CASE("held: on a ring, no message may pass an older one") {
  const Algorithm& ring = algorithm_named("chang-roberts");
  Table at(Held(ring, {1, 2, 3, 4}));
  const auto sends = [&](NodeId from, NodeId to, NodeId number) {
    at.held.on_sent(wire_message(messages::value, from, 1, number, 7), to, ++at.last_ticket);
  };
  at.held.on_end(4, false);
  at.held.suspect(3);
  CHECK(at.held.lines().back() == "deliver gone from 4 to 3");
  sends(3, 1, 3);
  at.held.suspect(1);
  sends(1, 2, 1);
  CHECK(!at.held.deliver(1).refused);
  sends(1, 2, 3);
  REQUIRE(at.held.waiting().size() == 2);
  const std::size_t steps = at.held.lines().size();
  CHECK(at.held.deliver(3).refused->key == "play_fifo");
  CHECK(at.held.lines().size() == steps);
  CHECK(!at.held.deliver_all().refused);
  CHECK(at.held.is_explained());
  CHECK(at.held.script().starts_with("algorithm chang-roberts\nnodes 1..4\nhold\n"));
  CHECK(at.held.script().find("expect coordinators") == std::string::npos);
  CHECK(plays(at.held.script()));
}

TEST_CASE("held: only ids that the simulator can have are held") {
  CHECK(Held::can_name({1, 2}));
  CHECK(!Held::can_name({}));
  CHECK(!Held::can_name({1, NodeId{1} << 40}));
}
