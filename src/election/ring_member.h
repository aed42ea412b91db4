// ring_member.h: what a process on a ring does besides the election that the textbook describes.
//
// The literature's ring is there once, whole, and nobody ever joins it, leaves it or dies [DKR82].
// This is the part of a running service that deals with the rest, for every election on a ring
// alike: who the neighbours are, which election a message belongs to, when to hold one. What
// derives from it holds nothing but the textbook's rules.
//
//   The clockwise neighbour is asked of the world when an election begins. If it turns out to be
//   gone or hung, it is passed over: the next one clockwise hears everything that was said to it in
//   this election, in the same order.
//   In an election a process hears only its anticlockwise neighbour. If a second one speaks up, the
//   ring has changed, and the election is void: another is held. It is void as well if more goes
//   round than any election needs: then nobody is active any more who would take it up.
//   Where messages go both ways, all of this holds for each way. And the ring is the same both
//   ways: a process that hears from one further on, first of all on that side, passes over those
//   in between.
//   Elections are told apart by their epoch, a number that grows. A message of a newer one makes a
//   process take part in it; one of an older is stale, and changes nothing. Nor does one so far
//   away that it must be forged; but a process that asks to take part believes it, and one that has
//   waited in vain does so if it is the larger.
//   A process that starts, comes back, or timed out does not know the latest epoch. It asks its
//   neighbour, with JOIN, to hold an election newer than either knows.
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
// DEVIATION 8: all of this. Without a crash, a join or a doubt about the coordinator it adds no
// message to the textbook's, and changes none.
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
// SECOND: that number passed on, of the second nearest active neighbour [DKR82].
inline constexpr MessageKind second{
    "V2", "second", Role::passes_on, {&fields::value, &fields::epoch}};
// LEADER: the announcing lap.
inline constexpr MessageKind leader{
    "L", "leader", Role::spreads, {&fields::leader, &fields::epoch}};
// JOIN: its sender takes part in no election, and asks for one later than this epoch.
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
  // The coordinator; during an election, the clockwise neighbour. Each process is watched by one.
  std::optional<NodeId> watched() const final {
    return is_settled() ? coordinator_ : path(Direction::clockwise).next;
  }
  void visit_fields(FieldVisitor& visit) override;

  static constexpr std::array<StateKind, 6> states = {{{"down", StateRole::down},
                                                       {"joining", StateRole::joining},
                                                       {"active", StateRole::asking},
                                                       {"relay", StateRole::relaying},
                                                       {"follower", StateRole::following},
                                                       {"coordinator", StateRole::coordinating}}};

  State state() const { return state_; }
  std::uint64_t epoch() const { return epoch_; }

 protected:
  // `goes_both_ways`: messages go anticlockwise as well (fields::anticlockwise).
  explicit RingMember(NodeId self, bool goes_both_ways = false)
      : self_(self), goes_both_ways_(goes_both_ways) {}

  // --- The textbook's part ---

  // An election begins here: this process is active, and sends what it has to send first.
  virtual void begin(Context context) = 0;
  // It began elsewhere, and this process has just heard of it.
  virtual void take_part(Context context) { begin(context); }
  // A message with a number, or a list, of an election in which this process takes part. With links
  // both ways it may know the leader already: LEADER does not wait for what goes the other way.
  virtual void on_number(const Message& message, Context context) = 0;
  // The most messages that an election of `n` processes sends on one link.
  virtual std::size_t max_on_link(std::size_t n) const { return n + 2; }
  // It tells who the leader is, in an election in which this process takes part.
  virtual void on_leader(const Message& message, Context context);
  // Whether a process that knows the leader goes on with this message of the same election.
  virtual bool is_for_settled(const Message& message) const {
    return goes_both_ways_ && message.has(fields::value);
  }

  // What it may do.
  NodeId self() const { return self_; }
  // Clockwise; or that way. The message gets its sender, its epoch and its way here.
  void send(MessageType type, NodeId number, Context context);
  void send(Direction way, Message message, Context context);
  void become_relay() {
    if (state_ == State::active) state_ = State::relay;
  }
  // This process knows who leads: a last lap tells everyone, with LEADER or with `lap`.
  void announce(NodeId leader, Context context);
  void announce(const Message& lap, Context context);
  const std::vector<Message>& said() const { return path(Direction::clockwise).said; }

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
  void hold_election(std::uint64_t epoch, Context context, bool began_elsewhere = false);
  void begin_as(State state, Context context);
  bool is_news(std::uint64_t epoch) const;
  bool has_said_too_much(Context context) const;
  bool takes_part(const Message& message, Context context);
  void follow(NodeId leader, Context context);
  void win_alone(Context context);
  bool hears(NodeId peer, Direction way, Context context);
  void pass_over(NodeId peer, Context context);
  void repeat(Direction way, NodeId next, Context context);
  std::optional<NodeId> next_after(NodeId after, Direction way, Context context) const;
  bool is_hung(NodeId id) const { return std::ranges::find(hung_, id) != hung_.end(); }
  bool holds_election() const { return state_ == State::active || state_ == State::relay; }
  bool is_settled() const { return state_ == State::follower || state_ == State::coordinator; }

  // One way round, as seen from here.
  struct Path {
    std::optional<NodeId> next = std::nullopt;    // the neighbour that hears what is sent this way
    std::optional<NodeId> before = std::nullopt;  // the one from which it comes
    // All that it has sent this way in this election, to be repeated to the next neighbour.
    std::vector<Message> said = {};
  };
  Path& path(Direction way) { return paths_.at(static_cast<std::size_t>(way)); }
  const Path& path(Direction way) const { return paths_.at(static_cast<std::size_t>(way)); }

  NodeId self_;
  bool goes_both_ways_;
  State state_ = State::down;
  std::uint64_t epoch_ = 0;
  std::optional<NodeId> coordinator_;
  std::array<Path, 2> paths_;  // by Direction
  // Passed over since it last followed a coordinator, though somebody listens there.
  std::vector<NodeId> hung_;
  // The way round is over, and is gone once more; nothing but PeerGone has come since it began.
  bool second_round_ = false;
  // It has heard of an epoch far from its own since it last followed a coordinator.
  bool misled_ = false;
  // Since it last timed out or followed one, it has gone over to such an epoch in mid-election.
  bool has_moved_ = false;
  // The wait doubles with each election in a row that ended without a leader, at most six times.
  static constexpr std::uint8_t max_attempts = 6;
  std::uint8_t attempts_ = 0;
};

inline Direction way_of(const Message& message) {
  return message.has(fields::anticlockwise) ? Direction::anticlockwise : Direction::clockwise;
}

// `own`, with what all elections on a ring have in common: topology, states, rules and properties.
// One whose messages go both ways has a rule more.
Algorithm on_a_ring(Algorithm own, bool goes_both_ways = false);

}  // namespace bully
