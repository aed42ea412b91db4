// garcia_molina.cc: the calls of 1982, each with its timeout, an event at a time.
#include "election/garcia_molina.h"

#include <algorithm>
#include <cassert>

namespace bully {

namespace {

struct CallKind {
  MessageType request;
  MessageType reply;
};
constexpr std::array<CallKind, 5> calls = {{{},
                                            {messages::are_you_there, messages::here},
                                            {messages::halt, messages::halted},
                                            {messages::new_coordinator, messages::noted},
                                            {messages::ready, messages::done}}};
const CallKind& call_of(GarciaMolina::Phase phase) {
  return calls.at(static_cast<std::size_t>(phase));
}

}  // namespace

void GarciaMolina::handle(const Event& event, const Peers& peers, Actions& actions) {
  std::visit([&](const auto& e) { on(e, Context{peers, actions}); }, event);

  assert((state_ == State::coordinator) == (is_normal() && c_ == self_));
  assert(c_.has_value() == (is_normal() || state_ == State::reorganization));
  assert(d_.has_value() == is_normal());
  assert(!c_ || c_ == h_);
  assert(callee_.has_value() == is_calling());
}

// [GM82, Recovery] h := nobody; Election(i).
void GarciaMolina::on(const Started& event, Context context) {
  context.fire(rules("gm-recovery"));
  h_.reset();
  call_ = std::max(call_, event.incarnation);  // the reply to an earlier incarnation may still come
  start_election(context);
}

void GarciaMolina::on(const Preset& event, Context context) {
  enter(event.coordinator == self_ ? State::coordinator : State::normal, context);
  h_ = c_ = event.coordinator;
  d_ = task_ = 1;
}

// [GM82, Timeout] No message from the coordinator for long: a process in Normal or Reorganization
// asks whether the coordinator is there, and starts an election if not. Here the caller asks. A
// halted process waits in the same way for the process that halted it.
void GarciaMolina::on(const Suspected& event, Context context) {
  if (event.peer != watched()) return;
  if (event.reason != Suspicion::deposed) {
    context.fire(rules("gm-timeout"));
  } else if (c_) {
    // DEVIATION 10: it stops following a process that says that it follows another, and a
    // coordinator steps down if a higher process is alive. Under the paper's assumptions neither
    // can happen.
    context.fire(rules("gm-doubt"));
  } else {
    return;
  }
  start_election(context);
}

// [GM82, Check] A coordinator asks each process whether it is normal; if a process says no:
// Election(i).
void GarciaMolina::on(const PeerFound&, Context context) {
  if (state_ != State::coordinator) return;
  context.fire(rules("gm-check"));
  start_election(context);
}

void GarciaMolina::on(const Received& event, Context context) {
  if (state_ == State::down || event.message.from == self_) return;
  event.message.type->role == Role::answers ? on_reply(event.message, context)
                                            : on_request(event.message, context);
}

void GarciaMolina::on_request(const Message& request, Context context) {
  const NodeId caller = request.from;
  if (request.type == messages::are_you_there) {
    // [GM82, AreYouThere] It replies; the call makes it start no election.
    context.fire(rules("gm-there"));
    return reply(messages::here, request, context);
  }
  if (caller < self_) return;  // no such process calls
  if (request.type == messages::halt) {
    // [GM82, Halt] s := Election; h := j; STOP: any election procedure in progress here is aborted.
    context.fire(rules("gm-halted"));
    stop(context);
    enter(State::election, context);
    h_ = caller;
    is_halted_ = true;
    context.start(Timer::coordinator, attempts_);
    return reply(messages::halted, request, context);
  }
  if (request.type == messages::new_coordinator) {
    // [GM82, NewCoordinator] If h = j and s = Election: c := j; s := Reorganization.
    if (h_ == caller && state_ == State::election) {
      context.fire(rules("gm-new-coordinator"));
      stop(context);
      enter(State::reorganization, context);
      c_ = caller;
    } else {
      context.fire(rules("gm-not-halted-by"));
    }
    return reply(messages::noted, request, context);
  }
  // [GM82, Ready] If c = j and s = Reorganization: d := x; s := Normal.
  if (c_ == caller && state_ == State::reorganization) {
    context.fire(rules("gm-ready"));
    enter(State::normal, context);
    c_ = caller;
    d_ = request.get(fields::task).value_or(0);
    task_ = std::max(task_, *d_);
    attempts_ = 0;
  } else {
    context.fire(rules("gm-not-named-by"));
  }
  reply(messages::done, request, context);
}

void GarciaMolina::on_reply(const Message& reply, Context context) {
  if (!is_calling() || reply.from != callee_ || reply.type != call_of(phase_).reply) return;
  if (reply.get(fields::call).value_or(call_) != call_) return;
  context.stop(Timer::answer);
  if (phase_ == Phase::asking) {
    // [GM82, Election] A higher process answers: it gives up, silently.
    context.fire(rules("gm-give-up"));
    end_procedure();
    return context.start(Timer::coordinator, attempts_);
  }
  if (phase_ == Phase::halting) {
    // [GM82, Election] Up := Up and j.
    context.fire(rules("gm-up"));
    up_.push_back(reply.from);
  }
  call_next(context);
}

// [GM82, Election] ONTIMEOUT: while asking and halting it calls the next process; but if a halted
// process stops answering, the whole election is void.
void GarciaMolina::on_no_reply(Context context) {
  if (phase_ == Phase::asking || phase_ == Phase::halting) return call_next(context);
  context.fire(rules("gm-on-timeout"));
  end_procedure();
  start_election(context);
}

// DEVIATION 1: the kernel reports that the callee is gone: the process waits for no reply.
void GarciaMolina::on(const PeerGone& event, Context context) {
  if (!is_calling() || event.peer != callee_) return;
  context.fire(rules("gm-gone"));
  if (has_replied_) ++call_;
  context.stop(Timer::answer);
  on_no_reply(context);
}

void GarciaMolina::on(const Expired& event, Context context) {
  if (event.timer == Timer::answer && is_calling()) {
    ++call_;
    return on_no_reply(context);
  }
  // [GM82, Timeout] … else Election(i): it was halted, or had given up, and no coordinator was
  // named.
  if (event.timer != Timer::coordinator || state_ != State::election || is_calling()) return;
  context.fire(rules("gm-again"));
  attempts_ = std::min<std::uint8_t>(attempts_ + 1U, max_attempts);
  start_election(context);
}

// [GM82, Election] For each higher j, from the lowest: CALL AreYouThere(j).
void GarciaMolina::start_election(Context context) {
  stop(context);
  if (c_) {
    // DEVIATION 9: from here on it follows no process. In the paper it stays Normal while it asks.
    context.fire(rules("gm-follows-nobody"));
  }
  enter(State::election, context);
  context.fire(rules("gm-ask"));
  phase_ = Phase::asking;
  call_next(context);
}

// The order of calls: higher processes upwards, lower ones downwards, halted ones in the same
// order.
std::optional<NodeId> GarciaMolina::next_callee(Context context) const {
  if (phase_ == Phase::asking) {
    const auto higher = higher_than(callee_.value_or(self_), context.peers.ids());
    return higher.empty() ? std::nullopt : std::optional(higher.front());
  }
  if (phase_ == Phase::halting) {
    const auto lower = lower_than(callee_.value_or(self_), context.peers.ids());
    return lower.empty() ? std::nullopt : std::optional(lower.back());
  }
  const auto next = callee_ ? std::ranges::find(up_, *callee_) + 1 : up_.begin();
  return next == up_.end() ? std::nullopt : std::optional(*next);
}

// CALL P(j) ONTIMEOUT …: a request, and a bounded wait for its reply.
void GarciaMolina::call_next(Context context) {
  const std::optional<NodeId> next = next_callee(context);
  if (!next) return go_on(context);
  callee_ = next;
  has_replied_ = false;
  Message request{.type = call_of(phase_).request, .from = self_};
  request.set(fields::call, call_);
  if (phase_ == Phase::readying) request.set(fields::task, task_);
  context.start(Timer::answer);
  context.send(*next, request);
}

void GarciaMolina::go_on(Context context) {
  callee_.reset();
  if (phase_ == Phase::asking) return halt_the_others(context);
  if (phase_ == Phase::halting) return reorganize(context);
  if (phase_ == Phase::readying) return become_coordinator(context);
  context.fire(rules("gm-hand-out"));
  phase_ = Phase::readying;
  call_next(context);
}

// [GM82, Election] STOP; s := Election; h := i; Up := {}; for each lower j, from the highest: CALL
// Halt(j, i).
void GarciaMolina::halt_the_others(Context context) {
  context.fire(rules("gm-halt"));
  enter(State::election, context);
  h_ = self_;
  up_.clear();
  phase_ = Phase::halting;
  call_next(context);
}

// [GM82, Election] The election point: c := i; s := Reorganization; then for each j in Up: CALL
// NewCoordinator(j, i).
void GarciaMolina::reorganize(Context context) {
  context.fire(rules("gm-election-point"));
  enter(State::reorganization, context);
  c_ = self_;
  ++task_;
  phase_ = Phase::naming;
  call_next(context);
}

// [GM82, Election] … for each j in Up: CALL Ready(j, i, d); s := Normal.
void GarciaMolina::become_coordinator(Context context) {
  context.fire(rules("gm-normal"));
  end_procedure();
  enter(State::coordinator, context);
  c_ = self_;
  d_ = task_;
  attempts_ = 0;
}

// [GM82, STOP] The task, and any election procedure in progress here, end.
void GarciaMolina::stop(Context context) {
  if (is_calling()) {
    ++call_;
    context.stop(Timer::answer);
  }
  end_procedure();
}

// From here on no reply to its calls counts.
void GarciaMolina::end_procedure() {
  phase_ = Phase::none;
  callee_.reset();
  has_replied_ = false;
  up_.clear();
}

// The wait for another process's election is over as well.
void GarciaMolina::enter(State state, Context context) {
  if (state_ == State::election) context.stop(Timer::coordinator);
  c_.reset();
  d_.reset();
  is_halted_ = false;
  state_ = state;
  context.changed();
}

std::optional<NodeId> GarciaMolina::watched() const {
  if (is_calling()) return std::nullopt;
  return c_ ? c_ : is_halted_ ? h_ : std::nullopt;
}

void GarciaMolina::reply(const MessageKind& kind, const Message& request, Context context) {
  has_replied_ = has_replied_ || request.from == callee_;
  Message reply{.type = kind, .from = self_};
  reply.set(fields::call, request.get(fields::call).value_or(0));
  context.send(request.from, reply);
}

}  // namespace bully
