// bully.h: one process's part in the bully election of the textbooks.
//
// The biggest guy in town always wins [Tan95]. A process that misses the coordinator asks every
// process with a higher id to take over. If none answers, it becomes coordinator and announces
// that. bully.cc has nothing but the textbook's sentences and the numbered deviations from them;
// bully_description.cc has the message counts and the description of this algorithm.
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
// A coordinator becomes a candidate as well, if it learns of a live higher process; and after two
// waits in vain a process follows the highest that answered (deviation 7).
//
// The textbooks teach this simplification of the original of 1982, which garcia_molina.h has.
//
// Sources: [Tan95] Tanenbaum, Distributed Operating Systems, section 3.3.1.
//          [CDK] Coulouris, Dollimore, Kindberg, Distributed Systems: Concepts and Design, 3rd ed.,
//          2003 (in the 5th: section 15.3).
//          [WP 1] to [WP 5] the five steps of the English Wikipedia's article "Bully algorithm"
//          (revision of 18 May 2017), which summarizes [CDK]; the textbook does not number them.
//          [PyBully] the Python 2 example, known from Brazilian coursework, that this program
//          mirrors; elsewhere just: the example.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "election/protocol.h"

namespace bully {

namespace fields {
// ELECTION: the coordinator whose loss its sender noticed, if that loss is the cause.
inline constexpr Field lost{"lost"};
// ELECTION: no coordinator was lost; the sender was away, and has come back.
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
    candidate,    // is in an election and has no ANSWER yet
    waiting,      // a higher process answered; waits for its COORDINATOR
    coordinator,  // won, and has announced that to every lower process
  };
  static constexpr std::array<StateKind, 5> states = {{{"down", StateRole::down},
                                                       {"follower", StateRole::following},
                                                       {"candidate", StateRole::asking},
                                                       {"waiting", StateRole::waiting},
                                                       {"coordinator", StateRole::coordinating}}};
  // The last seven are the deviations. Sentences: ../words.
  static constexpr RuleTable rules{{
      {"start", "[Tan95]"},           {"suspect", "[Tan95, CDK]"},
      {"deposed", "[CDK]"},           {"outranked", "[Tan95]"},
      {"ask", "[Tan95, WP 1]"},       {"highest", "[WP 1]"},
      {"win", "[Tan95, WP 1, WP 2]"}, {"answer", "[Tan95]"},
      {"take-over", "[Tan95]"},       {"already-holding", "[Tan95]"},
      {"job-done", "[Tan95, WP 3]"},  {"another-answer", "[Tan95]"},
      {"coordinator", "[WP 5]"},      {"no-answer", "[WP 2]"},
      {"no-coordinator", "[WP 3]"},   {"gone", "", 1},
      {"answerer-gone", "", 2},       {"successor-known", "", 3},
      {"won-already", "", 4},         {"nobody-lost", "", 5},
      {"never-lower", "", 6},         {"never-told", "", 7},
  }};

  explicit Bully(NodeId self) : self_(self) {}

  void handle(const Event& event, const Peers& peers, Actions& actions) override;
  NodeId id() const override { return self_; }
  std::string_view state_name() const override { return states[std::size_t(state_)].name; }
  std::optional<NodeId> coordinator() const override { return coordinator_; }
  std::optional<NodeId> watched() const override { return answerer_ ? answerer_ : coordinator_; }
  void visit_fields(FieldVisitor& visit) override;

  State state() const { return state_; }

  static void forget_idle_words(std::vector<std::uint64_t>& words);

 protected:
  // The process lost a coordinator, or was away itself. If neither, its last election timed out.
  struct Cause {
    std::optional<NodeId> lost = std::nullopt;
    bool was_away = false;
  };
  void start_election(Cause cause, Context context);

 private:
  void on(const Started& event, Context context);
  void on(const Preset& event, Context context);
  void on(const Received& event, Context context);
  void on(const PeerGone& event, Context context);
  void on(const Expired& event, Context context);
  void on(const Suspected& event, Context context);
  void on(const PeerFound& /*event*/, Context /*context*/) {}

  void on_election(const Message& message, Context context);
  bool needs_no_election(const Message& election, Context context) const;
  void on_answer(const Message& message, Context context);
  void on_coordinator(const Message& message, Context context);

  void become_coordinator(Context context);
  void wait_for_coordinator(NodeId answerer, Context context);
  void follow(NodeId coordinator, Context context);
  void enter(State state, Context context);

  bool is_in_election() const { return state_ == State::candidate || state_ == State::waiting; }
  Message message(const MessageKind& kind) const { return {.type = kind, .from = self_}; }

  NodeId self_;
  State state_ = State::down;
  // The wait doubles with each election in a row without a COORDINATOR, at most four times.
  static constexpr std::uint8_t max_attempts = 4;
  std::uint8_t attempts_ = 0;
  std::optional<NodeId> coordinator_;
  // While waiting: the highest process that answered.
  std::optional<NodeId> answerer_;
  // As candidate: the higher processes that may still answer, from the lowest.
  std::vector<NodeId> asked_;
};

struct Algorithm;
Algorithm bully_algorithm();

}  // namespace bully
