// bully.cc: the textbook's steps, an event at a time.
#include "election/bully.h"

#include <algorithm>
#include <cassert>

namespace bully {

// [Tan95] A process that was down and comes back holds an election.
void Bully::on(const Started&, Context context) {
  context.fire(rules("start"));
  start_election({.was_away = true}, context);
}

void Bully::on(const Preset& event, Context context) {
  enter(event.coordinator == self_ ? State::coordinator : State::follower, context);
  coordinator_ = event.coordinator;
}

// [Tan95, CDK] A process that notices that the coordinator is gone holds an election. A stale
// suspicion is about a process that this one no longer follows.
void Bully::on(const Suspected& event, Context context) {
  const bool is_gone = event.reason != Suspicion::deposed;
  if (coordinator_ == event.peer && is_gone) {
    context.fire(rules("suspect"));
    start_election({.lost = event.peer}, context);
  } else if (coordinator_ == event.peer) {
    // This process itself was away, by a partition or because it was slow. [Tan95] The biggest guy
    // in town always wins: a process bigger than this coordinator is alive. Or [CDK] its
    // coordinator is alive but no longer coordinator, so this process missed a COORDINATOR.
    context.fire(event.peer == self_ ? rules("outranked") : rules("deposed"));
    start_election({.was_away = true}, context);
  } else if (answerer_ == event.peer && is_gone) {
    // DEVIATION 2: it does not wait for a COORDINATOR that cannot come. It watches the process that
    // answered as it would a coordinator, because the wait for a COORDINATOR grows with each one
    // in vain.
    context.fire(rules("answerer-gone"));
    start_election({}, context);
  }
}

void Bully::on(const Received& event, Context context) {
  const Message& message = event.message;
  if (state_ == State::down) return;
  if (message.type == messages::election && message.from < self_) on_election(message, context);
  if (message.type == messages::answer) on_answer(message, context);
  if (message.type == messages::coordinator) on_coordinator(message, context);
}

// [Tan95] A process that gets an ELECTION from a lower process sends ANSWER back, and then holds an
// election itself, unless it is already holding one.
void Bully::on_election(const Message& election, Context context) {
  context.fire(rules("answer"));
  context.send(election.from, message(messages::answer));
  if (is_in_election()) return context.fire(rules("already-holding"));
  if (needs_no_election(election, context)) return;
  // The election has a new cause; the wait grows only with elections that repeat themselves.
  attempts_ = std::min<std::uint8_t>(attempts_, 1);
  context.fire(rules("take-over"));
  start_election({.lost = election.get(fields::lost)}, context);
}

// True if this ELECTION is no reason to start an election.
bool Bully::needs_no_election(const Message& election, Context context) const {
  const std::optional<NodeId> lost = election.get(fields::lost);
  if (lost && lost != coordinator_) {
    // DEVIATION 3: its sender lost a coordinator whose successor this process knows: the
    // successor's COORDINATOR has been sent to the sender as well. A real process learns within
    // microseconds that the coordinator is dead, and wins before its peers' ELECTION messages have
    // arrived: without this the textbook's count would not hold.
    context.fire(rules("successor-known"));
    return true;
  }
  if (state_ == State::coordinator) {
    // DEVIATION 4: a coordinator that gets an ELECTION has won already, and announces that to its
    // sender. Another election would only repeat known news to all others.
    context.fire(rules("won-already"));
    context.send(election.from, message(messages::coordinator));
    return true;
  }
  if (election.has(fields::was_away)) {
    // DEVIATION 5: no coordinator is lost. Its sender was away and only looks for the coordinator;
    // the coordinator has its ELECTION as well. If a hundred processes start together, each would
    // otherwise make all others start an election: (n-k)² messages for each, a third of a million
    // in all.
    context.fire(rules("nobody-lost"));
    return true;
  }
  return false;
}

// [Tan95] A higher process answers: this process's job is done. A candidate accepts an ANSWER only
// from a process that it has asked and that is not gone: an ANSWER to an earlier election promises
// no COORDINATOR. A waiting process already has that promise. It watches the highest process that
// has ever answered: if that process dies, the wait is over.
void Bully::on_answer(const Message& answer, Context context) {
  const bool was_asked = std::binary_search(asked_.begin(), asked_.end(), answer.from);
  if (was_asked) return wait_for_coordinator(answer.from, context);
  if (state_ != State::waiting || answer.from < self_) return;
  context.fire(rules("another-answer"));
  answerer_ = std::max(*answerer_, answer.from);
}

// [WP 5] A process that gets a COORDINATOR takes its sender as coordinator.
void Bully::on_coordinator(const Message& announcement, Context context) {
  if (announcement.from > self_) {
    context.fire(rules("coordinator"));
    attempts_ = 0;
    follow(announcement.from, context);
  } else if (!is_in_election()) {
    // DEVIATION 6: but never a lower one than itself, for the biggest guy in town always wins
    // [Tan95]. The sender did not hear this process, or timed out too early.
    context.fire(rules("never-lower"));
    start_election({}, context);
  }
}

// DEVIATION 1: the kernel reports that no process is behind an address. The textbook's process
// waits for its timeout; here an election among crashed processes is over at once.
void Bully::on(const PeerGone& event, Context context) {
  if (std::erase(asked_, event.peer) == 0) return;
  context.fire(rules("gone"));
  if (asked_.empty()) become_coordinator(context);
}

void Bully::on(const Expired& event, Context context) {
  if (event.timer == Timer::answer && state_ == State::candidate) {
    // [WP 2] No one answers in time: the process becomes coordinator.
    context.fire(rules("no-answer"));
    become_coordinator(context);
  } else if (event.timer == Timer::coordinator && state_ == State::waiting) {
    attempts_ = std::min<std::uint8_t>(attempts_ + 1U, max_attempts);
    if (attempts_ == 1) {
      // [WP 3] No COORDINATOR comes in time: it holds a new election.
      context.fire(rules("no-coordinator"));
      start_election({}, context);
    } else {
      // DEVIATION 7: after two elections with an ANSWER but no COORDINATOR it takes the highest
      // process that answered as coordinator, because the example often sends no COORDINATOR at all
      // [PyBully]. If that process runs this program and is not coordinator, its reply to the first
      // ping says so.
      context.fire(rules("never-told"));
      follow(*answerer_, context);
    }
  }
}

// [Tan95, WP 1] It sends ELECTION to every process with a higher id.
void Bully::start_election(Cause cause, Context context) {
  const auto higher = higher_than(self_, context.peers.ids());
  if (higher.empty()) {
    // [WP 1] The process with the highest id need not ask: it becomes coordinator.
    context.fire(rules("highest"));
    return become_coordinator(context);
  }
  context.fire(rules("ask"));
  enter(State::candidate, context);
  asked_.assign(higher.begin(), higher.end());
  context.start(Timer::answer);
  Message election = message(messages::election);
  if (cause.lost) election.set(fields::lost, *cause.lost);
  if (cause.was_away) election.set(fields::was_away);
  // From the lowest to the highest: each process receives this ELECTION before any message that
  // results from it, even if the last process wins at once.
  for (const NodeId peer : asked_) context.send(peer, election);
}

// [WP 1, 2] It becomes coordinator and announces it with COORDINATOR to every other process. All
// higher ones are gone or silent, so these are the lower ones.
void Bully::become_coordinator(Context context) {
  context.fire(rules("win"));
  enter(State::coordinator, context);
  coordinator_ = self_;
  attempts_ = 0;
  // [Tan95] A coordinator that must collect state to go on where the old one stopped does so here,
  // before it announces itself. This program's coordinator has no other work.
  for (const NodeId peer : lower_than(self_, context.peers.ids())) {
    context.send(peer, message(messages::coordinator));
  }
}

// [WP 3] It waits a bounded time for a COORDINATOR.
void Bully::wait_for_coordinator(NodeId answerer, Context context) {
  context.fire(rules("job-done"));
  enter(State::waiting, context);
  answerer_ = answerer;
  context.start(Timer::coordinator, attempts_);
}

void Bully::follow(NodeId coordinator, Context context) {
  enter(State::follower, context);
  coordinator_ = coordinator;
}

// Everything that belongs to the old state ends.
void Bully::enter(State state, Context context) {
  if (state_ == State::candidate) context.stop(Timer::answer);
  if (state_ == State::waiting) context.stop(Timer::coordinator);
  asked_.clear();
  answerer_.reset();
  coordinator_.reset();
  state_ = state;
  context.changed();
}

void Bully::handle(const Event& event, const Peers& peers, Actions& actions) {
  std::visit([&](const auto& e) { on(e, Context{peers, actions}); }, event);

  assert(is_in_election() || coordinator_ || state_ == State::down);
  assert((state_ == State::coordinator) == (coordinator_ == self_));
  assert(!coordinator_ || *coordinator_ >= self_);
  assert(asked_.empty() == (state_ != State::candidate));
  assert(answerer_.has_value() == (state_ == State::waiting));
}

}  // namespace bully
