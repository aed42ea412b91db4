// ring_member.h: the part of a process on a ring that goes beyond the textbook's election.
//
// The literature's ring is complete from the start, and no process ever joins it, leaves it or
// dies [DKR82]. This class adds the needs of a running service, for every election on a ring alike:
// it finds the neighbours, assigns messages to elections and decides when to start one. A class
// derived from it has nothing but the textbook's rules.
//
//   Neighbours: the caller names the clockwise neighbour when an election begins. If that process
//   is gone or hung, it is skipped: the next one clockwise receives all messages of this election
//   that were sent to the skipped one, in the same order.
//   A changed ring: in an election a process receives only from its predecessor. A message from a
//   second one shows that the ring has changed: the election is void, and this process starts
//   another. An election is also void if it sends more messages than any election needs: then no
//   active process is left to end it.
//   Epochs: each election has a number, its epoch, and epochs grow. A message of a newer election
//   makes a process take part in it. A message of an older one is stale, and changes nothing. So
//   does an epoch so far away that it must be forged; but a process that asks to take part believes
//   it, and so does a process that has timed out, if the epoch is the larger.
//   Lives: a process takes part only in elections that began after its own start, so no election
//   has two lives of one process. Its epochs begin at Started::incarnation, above the epoch of
//   every election before: to the new life those are stale. See README.md for the argument.
//   JOIN: a process that starts, comes back or times out does not know the latest epoch. It asks
//   its neighbour, with JOIN, to start an election newer than both know.
//
//         Started         VALUE of a newer epoch        e ≠ d, and e not the largest
//   down ────────► joining ───────────────────► active ─────────────────────► relay
//                     ▲                          ▲  │ the last one              │
//                     │ no LEADER in time        │  └───────────┬───────────────┘
//                     │ (from active and relay)  │              ▼ LEADER
//                     │                          └───── follower, coordinator
//                     └─ the coordinator is deposed ────────────┘
//                                 (it is down or hung: active)
//
// DEVIATION 8: all of this. Without a crash, a join or a doubt about the coordinator it neither
// adds to the textbook's messages nor changes them.
#pragma once

#include <algorithm>

#include "election/algorithm.h"
#include "election/ring_order.h"

namespace bully {

namespace fields {
// VALUE and SECOND: the number that goes round. LEADER: the leader.
inline constexpr Field value{.key = "value", .is_shown = true};
inline constexpr Field leader{.key = "leader", .is_shown = true};
}  // namespace fields

// To the clockwise neighbour.
namespace messages {
// VALUE: the number for which an active process is responsible [DKR82].
inline constexpr MessageKind value{"V", "value", Role::claims, {&fields::value, &fields::epoch}};
// SECOND: the number of the second nearest active neighbour, passed on [DKR82].
inline constexpr MessageKind second{
    "V2", "second", Role::passes_on, {&fields::value, &fields::epoch}};
// LEADER: the announcing lap.
inline constexpr MessageKind leader{
    "L", "leader", Role::spreads, {&fields::leader, &fields::epoch}};
// JOIN: its sender takes part in no election, and asks for an election later than this epoch.
inline constexpr MessageKind join{"J", "join", Role::joins, {&fields::epoch}};
}  // namespace messages

class RingMember : public Protocol {
 public:
  enum class State : std::uint8_t {
    down,         // not started yet
    joining,      // has asked for an election, and takes part in none
    active,       // carries a number that may be the coming leader's
    relay,        // has given way; passes messages on
    follower,     // knows the leader and is not it
    coordinator,  // is the leader
  };

  void handle(const Event& event, const Peers& peers, Actions& actions) final;
  NodeId id() const final { return self_; }
  std::string_view state_name() const final { return states[std::size_t(state_)].name; }
  std::optional<NodeId> coordinator() const final { return coordinator_; }
  // The coordinator; during an election, the clockwise neighbour. So one process watches each.
  std::optional<NodeId> watched() const final { return is_settled() ? coordinator_ : next_; }
  void visit_fields(FieldVisitor& visit) override;

  static constexpr std::array<StateKind, 6> states = {{{"down", StateRole::down},
                                                       {"joining", StateRole::joining},
                                                       {"active", StateRole::asking},
                                                       {"relay", StateRole::relaying},
                                                       {"follower", StateRole::following},
                                                       {"coordinator", StateRole::coordinating}}};

  State state() const { return state_; }
  std::uint64_t latest_election() const final { return epoch_; }

 protected:
  explicit RingMember(NodeId self) : self_(self) {}

  // --- The textbook's part ---

  // An election begins here: this process is active, and sends its first messages.
  virtual void begin(Context context) = 0;
  // An election began elsewhere, and its first message has just arrived here.
  virtual void take_part(Context context) { begin(context); }
  // A message with a number or a list, of an election in which this process takes part.
  virtual void on_number(const Message& message, Context context) = 0;
  // An upper bound on the messages that an election of `n` processes sends on one link.
  virtual std::size_t max_on_link(std::size_t n) const { return n + 2; }
  // A message that names the leader, in an election in which this process takes part.
  virtual void on_leader(const Message& message, Context context);
  // True if a process that knows the leader still handles this message of the same election.
  virtual bool is_for_settled(const Message& /*message*/) const { return false; }

  // The actions that the textbook's part may take.

  // Sends clockwise. The message gets its sender and epoch here.
  void send(MessageType type, NodeId number, Context context);
  void send(Message message, Context context);
  void become_relay() {
    if (state_ == State::active) state_ = State::relay;
  }
  // This process knows the leader: a last lap announces it, with LEADER or with `lap`.
  void announce(NodeId leader, Context context);
  void announce(const Message& lap, Context context);
  const std::vector<Message>& said() const { return said_; }

 private:
  void on(const Started& event, Context context);
  void on(const Preset& event, Context context);
  void on(const Received& event, Context context);
  void on(const PeerGone& event, Context context);
  void on(const Expired& event, Context context);
  void on(const Suspected& event, Context context);
  void on(const PeerFound& /*event*/, Context /*context*/) {}

  void on_join(std::uint64_t epoch, Context context);

  void join(Context context);
  void start_election(std::uint64_t epoch, Context context, bool began_elsewhere = false);
  void begin_as(State state, Context context);
  bool is_news(std::uint64_t epoch) const;
  bool has_said_too_much(Context context) const;
  bool takes_part(const Message& message, Context context);
  void follow(NodeId leader, Context context);
  void win_alone(Context context);
  bool hears(NodeId peer);
  void skip(NodeId peer, Context context);
  std::optional<NodeId> next_after(NodeId after, Context context) const;
  bool is_hung(NodeId id) const { return std::ranges::find(hung_, id) != hung_.end(); }
  bool is_in_election() const { return state_ == State::active || state_ == State::relay; }
  bool is_settled() const { return state_ == State::follower || state_ == State::coordinator; }

  NodeId self_;
  State state_ = State::down;
  std::uint64_t epoch_ = 0;
  std::optional<NodeId> coordinator_;
  std::optional<NodeId> next_;    // the neighbour to send to
  std::optional<NodeId> before_;  // the neighbour that sends
  // All messages sent in this election, to be repeated to the next neighbour.
  std::vector<Message> said_;
  // Processes skipped as hung since this one last followed a coordinator.
  std::vector<NodeId> hung_;
  // It has skipped every other process, and tries each once more; nothing but PeerGone has come
  // since.
  bool second_round_ = false;
  // It has met an epoch far from its own since it last followed a coordinator.
  bool met_far_epoch_ = false;
  // Since it last timed out or followed a coordinator, it has adopted such an epoch in
  // mid-election.
  bool adopted_far_epoch_ = false;
  // The wait doubles with each election in a row that ended without a leader, at most six times.
  static constexpr std::uint8_t max_attempts = 6;
  std::uint8_t attempts_ = 0;
};

// `own`, completed by the common description of elections on a ring: topology, states, rules and
// properties.
Algorithm on_a_ring(Algorithm own);

}  // namespace bully
