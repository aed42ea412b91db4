// tanenbaum_ring.cc: the list that goes around, and its counts.
#include "election/tanenbaum_ring.h"

#include <algorithm>
#include <utility>

namespace bully {

static constexpr RuleTable list_rules{{
    {"list-begin", "[Tan95]"},
    {"list-adds", "[Tan95]"},
    {"list-comes-back", "[Tan95]"},
    {"list-lap", "[Tan95]"},
    {"list-lap-ends", "[Tan95]"},
}};

static Message with_list(MessageType type, FieldValues::List members) {
  Message message{.type = type};
  message.values.set_list(std::move(members));
  return message;
}

namespace tanenbaum_ring {

static MessageCounts laps(std::size_t n, std::size_t detectors) {
  if (n < 2) return {};
  return {{messages::list_election, n * detectors}, {messages::list_coordinator, n * detectors}};
}

// Each detector sends a list round, and then the result.
static MessageCounts count(const CountedElection& election) {
  return laps(election.processes.size(), election.noticed);
}

static MessageCounts bound(std::size_t n) {
  return laps(n, n);
}

}  // namespace tanenbaum_ring

Algorithm tanenbaum_ring_algorithm() {
  return on_a_ring(
      {.name = "tanenbaum-ring",
       .make = make_protocol<TanenbaumRing>,
       .messages = {messages::list_election, messages::list_coordinator, messages::join},
       .rules = list_rules.all(),
       .count = tanenbaum_ring::count,
       .bound = tanenbaum_ring::bound});
}

// [Tan95] A process that notices that the coordinator is gone builds an ELECTION message with its
// own id, and sends it to its successor.
void TanenbaumRing::begin(Context context) {
  context.fire(list_rules("list-begin"));
  send(with_list(messages::list_election, {id()}), context);
}

// [Tan95] Only processes that have detected the crash send a list.
void TanenbaumRing::take_part(Context /*context*/) {
  become_relay();
}

void TanenbaumRing::on_number(const Message& election, Context context) {
  FieldValues::List members = election.list();
  if (std::ranges::count(members, id()) > 0) {
    // [Tan95] It finds its own id in the list: the message has gone round. Now a COORDINATOR goes
    // round once, with the highest of the list and all members of the new ring.
    context.fire(list_rules("list-comes-back"));
    const NodeId highest = std::ranges::max(members);
    announce(with_list(messages::list_coordinator, std::move(members)).set(fields::leader, highest),
             context);
    return;
  }
  // [Tan95] It adds its own id to the list, and passes it on.
  context.fire(list_rules("list-adds"));
  members.push_back(id());
  send(with_list(messages::list_election, std::move(members)), context);
}

// The first id of a list identifies its lap: the process that began it.
void TanenbaumRing::on_leader(const Message& coordinator, Context context) {
  if (coordinator.list().empty()) return;
  const bool has_passed_on = std::ranges::any_of(said(), [&](const Message& message) {
    return message.type == messages::list_coordinator &&
           message.list().front() == coordinator.list().front();
  });
  // [Tan95] When it has gone round once, it is removed, and everyone goes back to work.
  if (has_passed_on) return context.fire(list_rules("list-lap-ends"));
  // [Tan95] It learns who the coordinator is, and who the members of the new ring are.
  context.fire(list_rules("list-lap"));
  announce(with_list(messages::list_coordinator, coordinator.list())
               .set(fields::leader, *coordinator.get(fields::leader)),
           context);
}

}  // namespace bully
