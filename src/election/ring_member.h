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
//
// Read next: ring.h and ring.cc for the election itself; then ring_member.cc.
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
// JOIN: its sender takes part in no election yet, and asks for one. The epoch is the latest that it
// knows of.
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
  // `goes_both_ways`: messages go anticlockwise as well. Their kinds say it of each: see
  // fields::anticlockwise.
  explicit RingMember(NodeId self, bool goes_both_ways = false)
      : self_(self), goes_both_ways_(goes_both_ways) {}

  // --- The textbook's part ---

  // An election begins here: this process is active, and sends what it has to send first.
  virtual void begin(Turn turn) = 0;
  // It began elsewhere, and this process has just heard of it.
  virtual void take_part(Turn turn) { begin(turn); }
  // A message with a number, or a list, has come, in an election in which this process takes part.
  // Where they go both ways, it may know the leader already: LEADER does not wait for what goes the
  // other way.
  virtual void on_number(const Message& message, Turn turn) = 0;
  // The most messages that an election of `n` processes sends on one link.
  virtual std::size_t most_on_link(std::size_t n) const { return n + 2; }
  // It tells who the leader is, in an election in which this process takes part.
  virtual void on_leader(const Message& message, Turn turn);
  // Whether a process that knows the leader goes on with this message of the same election.
  virtual bool is_for_settled(const Message& message) const {
    return goes_both_ways_ && message.has(fields::value);
  }

  // What it may do.
  NodeId self() const { return self_; }
  // Clockwise; or that way. The message gets its sender, its epoch and its way here.
  void send(MessageType type, NodeId number, Turn turn);
  void send(Direction way, Message message, Turn turn);
  void become_relay() {
    if (state_ == State::active) state_ = State::relay;
  }
  // The number of the leader is known to this process: a last lap tells everyone, with LEADER or
  // with this.
  void announce(NodeId leader, Turn turn);
  void announce(const Message& lap, Turn turn);
  // All that it has sent clockwise in this election.
  const std::vector<Message>& said() const { return path(Direction::clockwise).said; }

 private:
  void on(const Started& event, Turn turn);
  void on(const Preset& event, Turn turn);
  void on(const Received& event, Turn turn);
  void on(const PeerGone& event, Turn turn);
  void on(const Expired& event, Turn turn);
  void on(const Suspected& event, Turn turn);
  void on(const Found& /*event*/, Turn /*turn*/) {}

  void on_join(std::uint64_t epoch, Turn turn);

  void join(Turn turn);
  void hold_election(std::uint64_t epoch, Turn turn, bool began_elsewhere = false);
  void begin_as(State state, Turn turn);
  bool is_news(std::uint64_t epoch) const;
  bool has_said_too_much(Turn turn) const;
  bool takes_part(const Message& message, Turn turn);
  void follow(NodeId leader, Turn turn);
  void win_alone(Turn turn);
  bool hears(NodeId peer, Direction way, Turn turn);
  void pass_over(NodeId peer, Turn turn);
  void repeat(Direction way, NodeId next, Turn turn);
  std::optional<NodeId> next_after(NodeId after, Direction way, Turn turn) const;
  bool is_hung(NodeId id) const { return std::ranges::find(hung_, id) != hung_.end(); }
  bool holds_election() const { return state_ == State::active || state_ == State::relay; }
  bool is_settled() const { return state_ == State::follower || state_ == State::coordinator; }

  // One way round, as seen from here.
  struct Path {
    std::optional<NodeId> next = std::nullopt;    // the neighbour that hears what is sent this way
    std::optional<NodeId> before = std::nullopt;  // the one from which it comes
    // All that it has sent this way in this election: what is said to one neighbour can be said to
    // the next.
    std::vector<Message> said = {};
  };
  Path& path(Direction way) { return paths_.at(static_cast<std::size_t>(way)); }
  const Path& path(Direction way) const { return paths_.at(static_cast<std::size_t>(way)); }

  NodeId self_;
  bool goes_both_ways_;
  State state_ = State::down;
  // The latest election that it knows of.
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
  // Waiting longer after ever more elections without an end has an end: 2^6 times the first wait.
  static constexpr std::uint8_t max_attempts = 6;
  // Elections in a row that ended without a leader, counted up to max_attempts.
  std::uint8_t attempts_ = 0;
};

inline Direction way_of(const Message& message) {
  return message.has(fields::anticlockwise) ? Direction::anticlockwise : Direction::clockwise;
}

// `own`, with what all elections on a ring have in common: topology, states, rules and properties.
// One whose messages go both ways has a rule more.
Algorithm on_a_ring(Algorithm own, bool goes_both_ways = false);

}  // namespace bully
