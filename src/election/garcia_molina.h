// garcia_molina.h: one process's part in the original bully election.
//
// The algorithm of 1982 that gave the bully its name, assumes that messages arrive within a known
// time and that no process ever pauses [GM82, section 3]. A process halts all others before it
// names itself, so no two processes ever follow different coordinators at the same time. The
// textbooks' bully (bully.h) simplifies this algorithm and gives up that promise.
//
// A CALL is a request and a reply; a process makes one call at a time. An election here is one
// procedure with these phases:
//
//   asking ──► halting ──────────► naming ──────────────► readying ──► coordinator
//   AreYouThere   Halt             NewCoordinator         Ready
//   to higher     to lower         to those halted        to the same
//   ones, from    ones, from the   (the others are now    (they are
//   the lowest    highest          in reorganization)     normal)
//      │ a process answers                 │ one does not answer: the whole from the beginning
//      ▼
//   it gives up, silently, and waits
//
// Its states are the paper's: Election, Reorganization and Normal, called coordinator if a process
// follows itself. The variable h is the process that halted this one last, c the coordinator that
// it names, d the task that the coordinator has handed out. Here a task is a number: each new
// coordinator adds one to the last task that it knows.
//
// Check and Timeout are left to the caller, as pings are (protocol.h, duty 6): Suspected reports a
// failed CALL AreYouThere(c) of Timeout, and PeerFound the result of CALL AreYouNormal of Check.
//
// No state survives a crash: the paper's stable cells hold h, which its Recovery clears.
//
// Source: [GM82] H. Garcia-Molina, Elections in a Distributed Computing System, 1982.
#pragma once

#include "election/algorithm.h"

namespace bully {

namespace fields {
// The number of a request and its reply: the caller's own count.
inline constexpr Field call{"call", Field::Meaning::tally};
inline constexpr Field task{
    .key = "task", .meaning = Field::Meaning::tally, .place = 1, .is_shown = true};
}  // namespace fields

namespace messages {
inline constexpr MessageKind are_you_there{"AT", "areyouthere", Role::asks, {&fields::call}};
inline constexpr MessageKind here{"ATR", "here", Role::answers, {&fields::call}};
inline constexpr MessageKind halt{"HA", "halt", Role::asks, {&fields::call}};
inline constexpr MessageKind halted{"HAR", "halted", Role::answers, {&fields::call}};
inline constexpr MessageKind new_coordinator{"NC", "new-coord", Role::asks, {&fields::call}};
inline constexpr MessageKind noted{"NCR", "noted", Role::answers, {&fields::call}};
inline constexpr MessageKind ready{"RD", "ready", Role::asks, {&fields::call, &fields::task}};
inline constexpr MessageKind done{"RDR", "done", Role::answers, {&fields::call}};
}  // namespace messages

class GarciaMolina : public Protocol {
 public:
  enum class State : std::uint8_t { down, election, reorganization, normal, coordinator };
  static constexpr std::array<StateKind, 5> states = {{{"down", StateRole::down},
                                                       {"election", StateRole::asking},
                                                       {"reorganization", StateRole::waiting},
                                                       {"normal", StateRole::following},
                                                       {"coordinator", StateRole::coordinating}}};
  // The last three are the deviations. Sentences: ../words.
  static constexpr RuleTable rules{{
      {"gm-recovery", "[GM82]"},
      {"gm-timeout", "[GM82]"},
      {"gm-check", "[GM82]"},
      {"gm-ask", "[GM82]"},
      {"gm-there", "[GM82]"},
      {"gm-give-up", "[GM82]"},
      {"gm-halt", "[GM82]"},
      {"gm-halted", "[GM82]"},
      {"gm-up", "[GM82]"},
      {"gm-election-point", "[GM82]"},
      {"gm-new-coordinator", "[GM82]"},
      {"gm-not-halted-by", "[GM82]"},
      {"gm-hand-out", "[GM82]"},
      {"gm-ready", "[GM82]"},
      {"gm-not-named-by", "[GM82]"},
      {"gm-normal", "[GM82]"},
      {"gm-on-timeout", "[GM82]"},
      {"gm-again", "[GM82]"},
      {"gm-gone", "", 1},
      {"gm-follows-nobody", "", 9},
      {"gm-doubt", "", 10},
  }};
  enum class Phase : std::uint8_t { none, asking, halting, naming, readying };

  explicit GarciaMolina(NodeId self) : self_(self) {}

  void handle(const Event& event, const Peers& peers, Actions& actions) override;
  NodeId id() const override { return self_; }
  std::string_view state_name() const override { return states[std::size_t(state_)].name; }
  std::optional<NodeId> coordinator() const override { return is_normal() ? c_ : std::nullopt; }
  // The coordinator that it names; once halted, the process that halted it; nothing while a
  // procedure runs here.
  std::optional<NodeId> watched() const override;
  Variables variables() const override {
    return {Variable{"h", h_}, Variable{"d", d_}, Variable{"c", c_}};
  }
  void visit_fields(FieldVisitor& visit) override;

  State state() const { return state_; }

 private:
  void on(const Started& event, Context context);
  void on(const Preset& event, Context context);
  void on(const Received& event, Context context);
  void on(const PeerGone& event, Context context);
  void on(const Expired& event, Context context);
  void on(const Suspected& event, Context context);
  void on(const PeerFound& event, Context context);

  void on_request(const Message& request, Context context);
  void on_reply(const Message& reply, Context context);
  void on_no_reply(Context context);

  void start_election(Context context);
  void call_next(Context context);
  void go_on(Context context);
  void halt_the_others(Context context);
  void reorganize(Context context);
  void become_coordinator(Context context);
  std::optional<NodeId> next_callee(Context context) const;
  void stop(Context context);
  void end_procedure();
  void enter(State state, Context context);
  bool is_normal() const { return state_ == State::normal || state_ == State::coordinator; }
  bool is_calling() const { return phase_ != Phase::none; }
  void reply(const MessageKind& kind, const Message& request, Context context);

  NodeId self_;
  State state_ = State::down;
  std::optional<NodeId> h_;         // the process that halted it last
  std::optional<NodeId> c_;         // in reorganization and normal: the coordinator that it names
  std::optional<std::uint64_t> d_;  // in normal: the task
  std::vector<NodeId> up_;          // the halted processes, the highest first

  Phase phase_ = Phase::none;
  std::optional<NodeId> callee_;  // of the present call, or of the last one if it is ending
  // This process has replied to its callee since, so a callee that is gone may be news.
  bool has_replied_ = false;
  // It was halted, and has started no election since: it waits for h to name it.
  bool is_halted_ = false;
  // Goes up only if the reply to an earlier call may still arrive.
  std::uint64_t call_ = 0;
  std::uint64_t task_ = 0;  // the last known
  // The wait doubles with each election in a row that others did not decide, at most four times.
  static constexpr std::uint8_t max_attempts = 4;
  std::uint8_t attempts_ = 0;
};

namespace properties {
// Safety [GM82, assertion 1]: any two processes in reorganization or normal name the same
// coordinator, and any two in normal have the same task.
extern const Property same_coordinator;
extern const Property same_task;
}  // namespace properties

Algorithm garcia_molina_algorithm();

}  // namespace bully
