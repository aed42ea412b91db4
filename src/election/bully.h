// bully.h: Garcia-Molina's bully election, one process's part in it.
//
// The biggest guy in town always wins [Tan95]: a process that misses the coordinator asks every
// process with a higher id to take over; if nobody does, it is the coordinator and says so.
// bully.cc has one function per sentence of the textbook, in the textbook's words.
//
//              Started, Suspected, ELECTION from a lower process
//   follower ─────────────────────────────────────────────────────► candidate
//      ▲                                                             │     │
//      │ COORDINATOR from a higher process            an ANSWER came │     │ nobody higher
//      │ (in any state)                                              ▼     │ answers
//      ├────────────────────────────────────────────────────────  waiting  │
//      │                   no COORDINATOR, or the answerer is gone:  │     ▼
//      └──────── COORDINATOR from a higher process ── coordinator ◄──┼─────┘
//                                                                    └► candidate again
//
// Sources: [GM82] Garcia-Molina, Elections in a Distributed Computing System, 1982.
//          [Tan95] Tanenbaum, Distributed Operating Systems, section 3.3.1.
//          [CDK] Dollimore, Kindberg, Coulouris, Distributed Systems: Concepts and Design, 2003.
//          [PyBully] the Python 2 example of the coursework that this program mirrors.
#pragma once

#include "election/protocol.h"

namespace bully {

class Bully : public Protocol {
 public:
  enum class State : std::uint8_t {
    down,         // not started yet
    follower,     // knows the coordinator and is not it
    candidate,    // holds an election and has heard no ANSWER
    waiting,      // someone higher answered; waits for its COORDINATOR
    coordinator,  // won, and has told every other process
  };

  explicit Bully(NodeId self) : self_(self) {}

  void handle(const Event& event, const Peers& peers, Actions& actions) override;
  NodeId id() const override { return self_; }
  std::string_view state_name() const override;
  std::optional<NodeId> coordinator() const override { return coordinator_; }
  // The coordinator; while waiting for one, the highest that answered.
  std::optional<NodeId> watched() const override;
  void save(std::vector<std::uint64_t>& words) const override;
  void load(std::span<const std::uint64_t> words) override;

  // By State.
  static constexpr std::array<std::string_view, 5> state_names = {"down", "follower", "candidate",
                                                                  "waiting", "coordinator"};

  State state() const { return state_; }
  bool operator==(const Bully& other) const;

  // Sound because of the number of elections in vain only whether it is zero is ever read (how long
  // a timer runs is the world's affair; to cap the number at one, as a new cause does, keeps that):
  // nodes that differ in nothing else do the same for ever.
  static void forget_idle_words(std::vector<std::uint64_t>& words);

 private:
  // What each rule may use: whom there is to ask, and where to put what is to be done.
  struct Step {
    const Peers& peers;
    Actions& actions;
  };

  void on(const Started& event, Step step);
  void on(const Founded& event, Step step);
  void on(const Received& event, Step step);
  void on(const PeerGone& event, Step step);
  void on(const Expired& event, Step step);
  void on(const Suspected& event, Step step);

  void on_election(const Message& message, Step step);
  void on_answer(const Message& message, Step step);
  void on_coordinator(const Message& message, Step step);

  void hold_election(std::optional<NodeId> lost, Step step);
  void become_coordinator(Step step);
  void wait_for_coordinator(NodeId answerer, Step step);
  void follow(NodeId coordinator, Step step);

  // The reason of an election that is held only because this process itself was away.
  std::optional<NodeId> nobody_lost() const { return self_; }
  bool holds_election() const { return state_ == State::candidate || state_ == State::waiting; }
  void send(MessageType type, NodeId to, Step step, std::optional<NodeId> lost = std::nullopt);
  static void stop_timers(Step step);

  NodeId self_;
  State state_ = State::down;
  // Whom it follows; itself as coordinator; nobody while down or holding an election.
  std::optional<NodeId> coordinator_;
  // As candidate: the higher processes that were asked and may still answer. From the lowest.
  std::vector<NodeId> asked_;
  // While waiting: the highest process that answered.
  std::optional<NodeId> answerer_;
  // Elections in a row that ended without a COORDINATOR, counted up to max_vain.
  std::uint8_t vain_ = 0;
};

// [GM82, Tan95] What an election takes. With a lost coordinator, of `n` processes with that one
// counted in, and the lowest detector of rank k (1 = lowest): (n-k)(n-k+1)/2 ELECTION, those to the
// lost one included, (n-k)(n-k-1)/2 ANSWER, n-2 COORDINATOR. Without one, the highest of all came
// back, and sends n-1 COORDINATOR.
MessageCounts bully_count(const CountedElection& election);
// Of these, how many arrive: (n-k)(n-k-1)/2 ELECTION, and all others.
MessageCounts bully_delivered(const CountedElection& election);

// The worst case: the lowest notices, or all do. n² - n - 1 messages.
MessageCounts bully_bound(std::size_t n);

}  // namespace bully
