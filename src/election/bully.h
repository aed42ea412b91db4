// bully.h: the bully election as the textbooks tell it, one process's part in it.
//
// The biggest guy in town always wins [Tan95]: a process that misses the coordinator asks every
// process with a higher id to take over; if none does, it is the coordinator and says so.
// bully.cc has the textbook's sentences and the numbered deviations from them, and nothing else;
// bully_rules.h names them; bully_description.cc has the counts, and all that others ask about this
// algorithm.
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
// Garcia-Molina's own algorithm of 1982, which gave the bully its name, has other messages and
// states; this is the simplification that the textbooks teach.
//
// Sources: [Tan95] Tanenbaum, Distributed Operating Systems, section 3.3.1.
//          [CDK] Dollimore, Kindberg, Coulouris, Distributed Systems: Concepts and Design, 2003.
//          [PyBully] the Python 2 example of the coursework that this program mirrors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "election/protocol.h"

namespace bully {

namespace fields {
// ELECTION: the coordinator whose loss its sender noticed, if that is why it holds the election.
inline constexpr Field lost{"lost"};
// ELECTION: nobody was lost; its sender has only been away.
inline constexpr Field was_away{"was-away", Field::Meaning::sender};
}  // namespace fields

namespace messages {
// ELECTION [Tan95], eleição.
inline constexpr MessageKind election{
    "E", "election", Role::asks, {&fields::lost, &fields::was_away}};
// ANSWER [CDK], OK in [Tan95]; parar eleição, "stop your election".
inline constexpr MessageKind answer{"PE", "answer", Role::answers};
// COORDINATOR [Tan95], coordenador.
inline constexpr MessageKind coordinator{"C", "coordinator", Role::announces};
}  // namespace messages

class Bully : public Protocol {
 public:
  enum class State : std::uint8_t {
    down,         // not started yet
    follower,     // knows the coordinator and is not it
    candidate,    // holds an election and has heard no ANSWER
    waiting,      // someone higher answered; waits for its COORDINATOR
    coordinator,  // won, and has told every other process
  };
  static constexpr std::array<StateKind, 5> states = {{{"down", StateRole::down},
                                                       {"follower", StateRole::following},
                                                       {"candidate", StateRole::asking},
                                                       {"waiting", StateRole::waiting},
                                                       {"coordinator", StateRole::coordinating}}};
  static const std::span<const Rule* const> rules;

  explicit Bully(NodeId self) : self_(self) {}

  void handle(const Event& event, const Peers& peers, Actions& actions) override;
  NodeId id() const override { return self_; }
  std::string_view state_name() const override { return states[std::size_t(state_)].name; }
  std::optional<NodeId> coordinator() const override { return coordinator_; }
  // The coordinator; while waiting for one, the highest that answered.
  std::optional<NodeId> watched() const override { return answerer_ ? answerer_ : coordinator_; }
  void visit_fields(FieldVisitor& visit) override;

  State state() const { return state_; }

  // See Algorithm::forget_idle_words.
  static void forget_idle_words(std::vector<std::uint64_t>& words);

 protected:
  // Why a process holds an election: a coordinator is lost, or it was away itself. If neither, an
  // election of its own or of another did not end well.
  struct Cause {
    std::optional<NodeId> lost = std::nullopt;
    bool was_away = false;
  };
  void hold_election(Cause cause, Turn turn);

 private:
  void on(const Started& event, Turn turn);
  void on(const Preset& event, Turn turn);
  void on(const Received& event, Turn turn);
  void on(const PeerGone& event, Turn turn);
  void on(const Expired& event, Turn turn);
  void on(const Suspected& event, Turn turn);
  void on(const Found& /*event*/, Turn /*turn*/) {}

  void on_election(const Message& message, Turn turn);
  bool needs_no_election(const Message& election, Turn turn) const;
  void on_answer(const Message& message, Turn turn);
  void on_coordinator(const Message& message, Turn turn);

  void become_coordinator(Turn turn);
  void wait_for_coordinator(NodeId answerer, Turn turn);
  void follow(NodeId coordinator, Turn turn);
  void enter(State state, Turn turn);

  bool holds_election() const { return state_ == State::candidate || state_ == State::waiting; }
  Message message(const MessageKind& kind) const { return {.type = kind, .from = self_}; }

  NodeId self_;
  State state_ = State::down;
  // Elections in a row that ended without a COORDINATOR. The wait for one doubles with each, at
  // most four times.
  static constexpr std::uint8_t max_attempts = 4;
  std::uint8_t attempts_ = 0;
  // Whom it follows; itself as coordinator; nobody while down or holding an election.
  std::optional<NodeId> coordinator_;
  // While waiting: the highest process that answered.
  std::optional<NodeId> answerer_;
  // As candidate: the higher processes that were asked and may still answer. From the lowest.
  std::vector<NodeId> asked_;
};

struct Algorithm;
Algorithm bully_algorithm();

}  // namespace bully
