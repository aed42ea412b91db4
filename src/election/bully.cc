#include "election/bully.h"

#include <algorithm>
#include <cassert>

namespace bully {

namespace {

// Waiting longer after ever more elections without an end has an end: 2^4 times the first wait.
constexpr std::uint8_t max_attempts = 4;

namespace rule {
constexpr Rule start{"start", "[Tan95]"};
constexpr Rule suspect{"suspect", "[Tan95, CDK]"};
constexpr Rule deposed{"deposed", "[CDK]"};
constexpr Rule outranked{"outranked", "[Tan95]"};
constexpr Rule ask{"ask", "[Tan95, CDK 1]"};
constexpr Rule highest{"highest", "[CDK 1]"};
constexpr Rule win{"win", "[Tan95, CDK 1, CDK 2]"};
constexpr Rule answer{"answer", "[Tan95]"};
constexpr Rule take_over{"take-over", "[Tan95]"};
constexpr Rule already_holding{"already-holding", "[Tan95]"};
constexpr Rule job_done{"job-done", "[Tan95, CDK 3]"};
constexpr Rule another_answer{"another-answer", "[Tan95]"};
constexpr Rule coordinator{"coordinator", "[CDK 5]"};
constexpr Rule no_answer{"no-answer", "[CDK 2]"};
constexpr Rule no_coordinator{"no-coordinator", "[CDK 3]"};
constexpr Rule gone{"gone", "", 1};
constexpr Rule answerer_gone{"answerer-gone", "", 2};
constexpr Rule successor_known{"successor-known", "", 3};
constexpr Rule won_already{"won-already", "", 4};
constexpr Rule nobody_lost{"nobody-lost", "", 5};
constexpr Rule never_lower{"never-lower", "", 6};
constexpr Rule never_told{"never-told", "", 7};

constexpr std::array all = {&start,
                            &suspect,
                            &deposed,
                            &outranked,
                            &ask,
                            &highest,
                            &win,
                            &answer,
                            &take_over,
                            &already_holding,
                            &job_done,
                            &another_answer,
                            &coordinator,
                            &no_answer,
                            &no_coordinator,
                            &gone,
                            &answerer_gone,
                            &successor_known,
                            &won_already,
                            &nobody_lost,
                            &never_lower,
                            &never_told};
}  // namespace rule

}  // namespace

constexpr std::span<const Rule* const> Bully::rules = rule::all;

void Bully::handle(const Event& event, const Peers& peers, Actions& actions) {
  std::visit([&](const auto& e) { on(e, Turn{peers, actions}); }, event);

  assert(holds_election() || coordinator_ || state_ == State::down);
  assert((state_ == State::coordinator) == (coordinator_ == self_));
  assert(!coordinator_ || *coordinator_ >= self_);
  assert(asked_.empty() == (state_ != State::candidate));
  assert(answerer_.has_value() == (state_ == State::waiting));
}

// [Tan95] A process that was down and comes back holds an election.
void Bully::on(const Started&, Turn turn) {
  turn.fire(rule::start);
  hold_election({.was_away = true}, turn);
}

void Bully::on(const Preset& event, Turn turn) {
  enter(event.coordinator == self_ ? State::coordinator : State::follower, turn);
  coordinator_ = event.coordinator;
}

// [Tan95, CDK] A process that notices that the coordinator is gone holds an election. The suspicion
// may be older than what it knows: then it is about a process that it does not follow.
void Bully::on(const Suspected& event, Turn turn) {
  const bool is_gone = event.reason != Suspicion::deposed;
  if (coordinator_ == event.peer && is_gone) {
    turn.fire(rule::suspect);
    hold_election({.lost = event.peer}, turn);
  } else if (state_ == State::coordinator && event.peer == self_) {
    // [Tan95] The biggest guy in town always wins, and a bigger one is alive: the coordinator has
    // been away from it, by a partition or because it was slow, and asks like one that was away.
    turn.fire(rule::outranked);
    hold_election({.was_away = true}, turn);
  } else if (coordinator_ == event.peer) {
    // [CDK] Its coordinator is there and is none any more, so it is the process itself that missed
    // a COORDINATOR: it holds an election like one that was away.
    turn.fire(rule::deposed);
    hold_election({.was_away = true}, turn);
  } else if (answerer_ == event.peer && is_gone) {
    // DEVIATION 2: it does not wait for a COORDINATOR that cannot come. A process that answered is
    // watched as a coordinator is, because the textbook's timeout grows with each that passes.
    turn.fire(rule::answerer_gone);
    hold_election({}, turn);
  }
}

void Bully::on(const Received& event, Turn turn) {
  const Message& message = event.message;
  if (state_ == State::down) return;
  if (message.type == messages::election && message.from < self_) on_election(message, turn);
  if (message.type == messages::answer) on_answer(message, turn);
  if (message.type == messages::coordinator) on_coordinator(message, turn);
}

// [Tan95] A process that gets an ELECTION from a lower one sends ANSWER back, …
void Bully::on_election(const Message& election, Turn turn) {
  turn.fire(rule::answer);
  turn.send(election.from, message(messages::answer));

  // [Tan95] … and then holds an election itself, unless it is already holding one.
  if (holds_election()) return turn.fire(rule::already_holding);

  // DEVIATION 3: nor if that election is over. Its sender lost a coordinator whose successor this
  // process knows: that one's COORDINATOR is on its way to the sender. A real process is told
  // within microseconds that the coordinator is dead, and wins before its peers' ELECTION messages
  // have arrived: without this the textbook's count would not hold.
  const std::optional<NodeId> lost = election.get(fields::lost);
  if (lost && lost != coordinator_) return turn.fire(rule::successor_known);

  // DEVIATION 4: a coordinator that is asked has won already, and tells the one that asks. To hold
  // an election anew would tell all others once more what they know.
  if (state_ == State::coordinator) {
    turn.fire(rule::won_already);
    turn.send(election.from, message(messages::coordinator));
    return;
  }

  // DEVIATION 5: nor if nobody is lost. Its sender was away, and only asks who is coordinator; it
  // has asked that one as well. If a hundred processes start together, each would otherwise make
  // all others hold an election: (n-k)² messages for each, a third of a million in all.
  if (election.has(fields::was_away)) return turn.fire(rule::nobody_lost);

  // The election has a new cause: only one that repeats itself has to wait ever longer.
  attempts_ = std::min<std::uint8_t>(attempts_, 1);
  turn.fire(rule::take_over);
  hold_election({.lost = lost}, turn);
}

// [Tan95] Someone higher answers: the process's job is done. An answer from one that was not asked,
// or that has died since, promises no COORDINATOR.
void Bully::on_answer(const Message& answer, Turn turn) {
  const bool was_asked = std::binary_search(asked_.begin(), asked_.end(), answer.from);
  if (was_asked) return wait_for_coordinator(answer.from, turn);
  if (state_ != State::waiting) return;
  turn.fire(rule::another_answer);
  answerer_ = std::max(*answerer_, answer.from);
}

// [CDK 5] A process that gets a COORDINATOR takes its sender as coordinator.
void Bully::on_coordinator(const Message& announcement, Turn turn) {
  if (announcement.from > self_) {
    turn.fire(rule::coordinator);
    attempts_ = 0;
    follow(announcement.from, turn);
  } else if (!holds_election()) {
    // DEVIATION 6: but never a lower one than itself, for the biggest guy in town always wins
    // [Tan95]. The sender did not hear this process, or timed out too early.
    turn.fire(rule::never_lower);
    hold_election({}, turn);
  }
}

// DEVIATION 1: a real process is told by the kernel that there is no process behind an address.
// The textbook's waits for its timeout; here an election among crashed processes is over at once.
void Bully::on(const PeerGone& event, Turn turn) {
  if (std::erase(asked_, event.peer) == 0) return;
  turn.fire(rule::gone);
  if (asked_.empty()) become_coordinator(turn);
}

void Bully::on(const Expired& event, Turn turn) {
  if (event.timer == Timer::answer && state_ == State::candidate) {
    // [CDK 2] No one answers in time: the process becomes coordinator.
    turn.fire(rule::no_answer);
    become_coordinator(turn);
  } else if (event.timer == Timer::coordinator && state_ == State::waiting) {
    attempts_ = std::min<std::uint8_t>(attempts_ + 1U, max_attempts);
    if (attempts_ == 1) {
      // [CDK 3] No COORDINATOR comes in time: it holds a new election.
      turn.fire(rule::no_coordinator);
      hold_election({}, turn);
    } else {
      // DEVIATION 7: answered twice and never told, it takes the highest process that answered as
      // coordinator, because the example often leaves nobody informed [PyBully]. If that one is a
      // node of ours and no coordinator, its reply to the first ping says so.
      turn.fire(rule::never_told);
      follow(*answerer_, turn);
    }
  }
}

// [Tan95, CDK 1] It sends ELECTION to every process with a higher id.
void Bully::hold_election(Cause cause, Turn turn) {
  const auto higher = higher_than(self_, turn.peers.ids());
  if (higher.empty()) {
    // [CDK 1] A process that has the highest id does not ask: it becomes coordinator.
    turn.fire(rule::highest);
    return become_coordinator(turn);
  }
  turn.fire(rule::ask);
  enter(State::candidate, turn);
  asked_.assign(higher.begin(), higher.end());
  turn.start(Timer::answer);
  Message election = message(messages::election);
  if (cause.lost) election.set(fields::lost, *cause.lost);
  if (cause.was_away) election.set(fields::was_away);
  // From the lowest to the highest: each one that is asked hears this ELECTION before anything that
  // follows from it, even if the last one asked wins at once.
  for (const NodeId peer : asked_) turn.send(peer, election);
}

// [CDK 1, 2] It becomes coordinator and announces it with COORDINATOR to every other process. All
// higher ones are gone or silent, so these are the lower ones.
void Bully::become_coordinator(Turn turn) {
  turn.fire(rule::win);
  enter(State::coordinator, turn);
  coordinator_ = self_;
  attempts_ = 0;
  // [Tan95] A coordinator that must collect state to go on where the old one stopped does so here,
  // before it announces itself. This one has no work but to be coordinator.
  for (const NodeId peer : lower_than(self_, turn.peers.ids())) {
    turn.send(peer, message(messages::coordinator));
  }
}

// [CDK 3] It waits a bounded time for a COORDINATOR.
void Bully::wait_for_coordinator(NodeId answerer, Turn turn) {
  turn.fire(rule::job_done);
  enter(State::waiting, turn);
  answerer_ = answerer;
  turn.start(Timer::coordinator, attempts_);
}

void Bully::follow(NodeId coordinator, Turn turn) {
  enter(State::follower, turn);
  coordinator_ = coordinator;
}

// What belongs to the state that it leaves is over.
void Bully::enter(State state, Turn turn) {
  if (state_ == State::candidate) turn.stop(Timer::answer);
  if (state_ == State::waiting) turn.stop(Timer::coordinator);
  asked_.clear();
  answerer_.reset();
  coordinator_.reset();
  state_ = state;
  turn.changed();
}

void Bully::visit_fields(FieldVisitor& visit) {
  visit(state_);
  visit(attempts_);
  visit(coordinator_);
  visit(answerer_);
  visit(asked_);
}

void Bully::forget_idle_words(std::vector<std::uint64_t>& words) {
  std::uint64_t& attempts = words.at(1);
  attempts = std::min<std::uint64_t>(attempts, 1);
}

}  // namespace bully
