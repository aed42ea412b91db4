// ring_member.h: what a process on a ring does besides the election that the textbook describes.
//
// The literature's ring is there once, whole, and nobody ever joins it, leaves it or dies [DKR82].
// A running service is another matter, and this is the part that deals with it, for every election
// on a ring alike: who the neighbours are, which election a message belongs to, when to hold one.
// Ring and ChangRoberts derive from it, and hold nothing but the textbook's rules.
//
//   The clockwise neighbour is asked of the world when an election begins. Whoever turns out to be
//   gone or hung is passed over: the next one clockwise hears everything that was said to it in
//   this election, in the same order.
//   A process hears one other only in an election, its anticlockwise neighbour. Where a second one
//   speaks up, the ring has changed, and the election is void: another is held.
//   Where more goes round than any election needs, it is void too: nobody is active any more who
//   would take it up.
//   Elections are told apart by their epoch, a number that grows. A message of a newer one makes a
//   process take part in it; one of an older is stale, and changes nothing. Nor does one from so
//   far away that it must be forged, but for a process that asks to take part: it is told.
//   A process that starts, comes back, or has waited in vain does not know the latest epoch. It
//   asks its neighbour, with JOIN, to hold an election newer than either knows.
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
// DEVIATION: all of this. Without a crash, a join or a doubt about the coordinator it adds no
// message to the textbook's, and changes none.
//
// Read next: ring.h and ring.cc, where the election itself is; then ring_member.cc.
#pragma once

#include "election/protocol.h"

namespace bully {

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
  std::string_view state_name() const final;
  std::optional<NodeId> coordinator() const final { return coordinator_; }
  // The coordinator; during an election, the clockwise neighbour.
  std::optional<NodeId> watched() const final;
  void save(std::vector<std::uint64_t>& words) const final;
  void load(std::span<const std::uint64_t> words) final;

  // By State.
  static constexpr std::array<std::string_view, 6> state_names = {
      "down", "joining", "active", "relay", "follower", "coordinator"};

  State state() const { return state_; }
  std::uint64_t epoch() const { return epoch_; }
  // To whom it sends in this election, and from whom it has heard.
  std::optional<NodeId> clockwise_neighbour() const { return clockwise_; }
  std::optional<NodeId> anticlockwise_neighbour() const { return anticlockwise_; }

 protected:
  // What each rule may use: whom there is to ask, and where to put what is to be done.
  struct Step {
    const Peers& peers;
    Actions& actions;
  };

  explicit RingMember(NodeId self) : self_(self) {}

  // --- The textbook's part ---

  // An election begins here: this process is active, and sends what it has to send first.
  virtual void begin(Step step) = 0;
  // VALUE or SECOND has come, in an election in which this process takes part.
  virtual void on_number(const Message& message, Step step) = 0;
  // Of the textbook's part: its variables, as a word each, and back.
  virtual void save_variables(std::vector<std::uint64_t>& words) const = 0;
  virtual void load_variables(std::span<const std::uint64_t> words) = 0;

  // What it may do.
  NodeId self() const { return self_; }
  void send(MessageType type, NodeId number, Step step);
  void become_relay() { state_ = State::relay; }
  // The number of the leader is known to this process: a last lap tells everyone.
  void announce(NodeId leader, Step step);

 private:
  void on(const Started& event, Step step);
  void on(const Founded& event, Step step);
  void on(const Received& event, Step step);
  void on(const PeerGone& event, Step step);
  void on(const Expired& event, Step step);
  void on(const Suspected& event, Step step);

  void on_join(const Message& message, Step step);
  void on_leader(const Message& message, Step step);

  void join(Step step);
  void hold_election(std::uint64_t epoch, Step step);
  void begin_as(State state, Step step);
  bool is_news(std::uint64_t epoch) const;
  bool has_said_too_much(Step step) const;
  bool takes_part(const Message& message, Step step);
  void follow(NodeId leader, Step step);
  void pass_over(NodeId peer, Step step);
  std::optional<NodeId> next_clockwise(NodeId after, Step step) const;
  bool holds_election() const { return state_ == State::active || state_ == State::relay; }
  bool is_settled() const { return state_ == State::follower || state_ == State::coordinator; }

  NodeId self_;
  State state_ = State::down;
  // The latest election that it knows of.
  std::uint64_t epoch_ = 0;
  std::optional<NodeId> coordinator_;
  std::optional<NodeId> clockwise_;
  std::optional<NodeId> anticlockwise_;
  // All that it has sent in this election: what is said to one neighbour can be said to the next.
  std::vector<Message> said_;
  // Passed over since it last followed a coordinator, though somebody listens there.
  std::vector<NodeId> hung_;
  // The way round is over, and is gone once more; nothing but PeerGone has come since it began.
  bool second_round_ = false;
  // It has heard of an epoch far from its own since it last followed a coordinator.
  bool misled_ = false;
  // Elections in a row that ended without a leader, counted up to max_vain.
  std::uint8_t vain_ = 0;
};

}  // namespace bully
