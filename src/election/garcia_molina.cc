#include "election/garcia_molina.h"

#include <algorithm>
#include <cassert>

namespace bully {

namespace rule {
constexpr Rule gm_recovery{"gm-recovery", "[GM82]"};
constexpr Rule gm_timeout{"gm-timeout", "[GM82]"};
constexpr Rule gm_check{"gm-check", "[GM82]"};
constexpr Rule gm_ask{"gm-ask", "[GM82]"};
constexpr Rule gm_there{"gm-there", "[GM82]"};
constexpr Rule gm_give_up{"gm-give-up", "[GM82]"};
constexpr Rule gm_halt{"gm-halt", "[GM82]"};
constexpr Rule gm_halted{"gm-halted", "[GM82]"};
constexpr Rule gm_up{"gm-up", "[GM82]"};
constexpr Rule gm_election_point{"gm-election-point", "[GM82]"};
constexpr Rule gm_new_coordinator{"gm-new-coordinator", "[GM82]"};
constexpr Rule gm_not_halted_by{"gm-not-halted-by", "[GM82]"};
constexpr Rule gm_hand_out{"gm-hand-out", "[GM82]"};
constexpr Rule gm_ready{"gm-ready", "[GM82]"};
constexpr Rule gm_not_named_by{"gm-not-named-by", "[GM82]"};
constexpr Rule gm_normal{"gm-normal", "[GM82]"};
constexpr Rule gm_on_timeout{"gm-on-timeout", "[GM82]"};
constexpr Rule gm_again{"gm-again", "[GM82]"};
constexpr Rule gm_gone{"gm-gone", "", 1};
constexpr Rule gm_follows_nobody{"gm-follows-nobody", "", 9};
constexpr Rule gm_doubt{"gm-doubt", "", 10};

constexpr std::array of_garcia_molina = {&gm_recovery,
                                         &gm_timeout,
                                         &gm_check,
                                         &gm_ask,
                                         &gm_there,
                                         &gm_give_up,
                                         &gm_halt,
                                         &gm_halted,
                                         &gm_up,
                                         &gm_election_point,
                                         &gm_new_coordinator,
                                         &gm_not_halted_by,
                                         &gm_hand_out,
                                         &gm_ready,
                                         &gm_not_named_by,
                                         &gm_normal,
                                         &gm_on_timeout,
                                         &gm_again,
                                         &gm_gone,
                                         &gm_follows_nobody,
                                         &gm_doubt};
}  // namespace rule

namespace {

// What a process calls in each phase, and how it is replied to.
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

namespace garcia_molina {

constexpr std::array<MessageType, 8> own_messages = {
    messages::are_you_there,   messages::here,  messages::halt,  messages::halted,
    messages::new_coordinator, messages::noted, messages::ready, messages::done};

// Whether this coordinator is missed: AreYouNormal is answered with no.
bool is_not_normal(const PingReply& /*own*/, const PingReply& other) {
  return !other.coordinator;
}

// The name that a process gives to its variable c, or whom it follows where it has no such
// variable; so that other elections can be asked the same.
std::optional<NodeId> named_by(const Snapshot& node) {
  if (node.observed) return std::nullopt;
  const auto c = std::ranges::find(node.variables, "c", &Variable::name);
  return c == node.variables.end() ? node.coordinator : c->value;
}
std::optional<NodeId> task_of(const Snapshot& node) {
  const bool is_ours = std::ranges::count(node.variables, "c", &Variable::name) > 0;
  const auto d = std::ranges::find(node.variables, "d", &Variable::name);
  return is_ours && d != node.variables.end() ? d->value : std::nullopt;
}

template <typename Show>
bool all_the_same(Nodes nodes, Show show) {
  std::optional<NodeId> first;
  return std::ranges::all_of(nodes, [&](const Snapshot* node) {
    const std::optional<NodeId> value = node->is_alive() ? show(*node) : std::nullopt;
    if (!first) first = value;
    return !value || value == first;
  });
}
// Whether another process shows something to which the taker's may be unequal.
template <typename Show>
bool another_has_one(const Snapshot& taker, Nodes nodes, Show show) {
  return show(taker) && std::ranges::any_of(nodes, [&](const Snapshot* node) {
           return node->id != taker.id && node->is_alive() && show(*node);
         });
}
bool another_names_one(const Snapshot& taker, Nodes nodes) {
  return another_has_one(taker, nodes, named_by);
}
bool another_has_a_task(const Snapshot& taker, Nodes nodes) {
  return another_has_one(taker, nodes, task_of);
}
bool name_the_same(const Algorithm& /*algorithm*/, Nodes nodes) {
  return all_the_same(nodes, named_by);
}
bool have_the_same_task(const Algorithm& /*algorithm*/, Nodes nodes) {
  return all_the_same(nodes, task_of);
}

constexpr std::array owed = {
    &properties::highest_live, &properties::never_lower, &properties::same_coordinator,
    &properties::same_task,    &properties::ends,        &properties::sent};

constexpr std::array<CountFormula, 8> formulas = {{
    {messages::are_you_there, "", "n-1", ""},
    {messages::here, "", "n-2", ""},
    {messages::halt, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"},
    {messages::halted, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"},
    {messages::new_coordinator, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"},
    {messages::noted, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"},
    {messages::ready, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"},
    {messages::done, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"},
}};

// The winner asks the lost coordinator alone, and calls each of the others three times: 6(n-2)+1
// messages with the replies, n processes with the lost one counted in. Any other that notices asks
// the next one above it, is answered, and gives up.
MessageCounts count(const CountedElection& election) {
  MessageCounts counts;
  const std::uint64_t others = election.processes.size() - 1;
  for (const MessageType type : own_messages) counts[type] = others;
  const bool is_lost = election.lost_coordinator;
  counts[messages::are_you_there] = is_lost ? election.noticed : 0;
  counts[messages::here] = is_lost ? election.noticed - 1 : 0;
  return counts;
}

// All but what the winner asks the lost coordinator.
MessageCounts delivered(const CountedElection& election) {
  MessageCounts counts = count(election);
  counts[messages::are_you_there] = counts.of(messages::here);
  return counts;
}

// All notice at once.
MessageCounts bound(std::size_t n) {
  MessageCounts counts;
  if (n < 2) return counts;
  for (const MessageType type : own_messages) counts[type] = n - 2;
  ++counts[messages::are_you_there];
  return counts;
}

}  // namespace garcia_molina

}  // namespace

constexpr Property properties::same_coordinator{
    .key = "same-coordinator",
    .moment = Property::Moment::every,
    .holds = garcia_molina::name_the_same,
    .unseen = Property::Unseen::handling,
    .assumes = {Assumption::synchronous, Assumption::nobody_stopped, Assumption::no_loss},
    .is_at_stake = garcia_molina::another_names_one};
constexpr Property properties::same_task{
    .key = "same-task",
    .moment = Property::Moment::every,
    .holds = garcia_molina::have_the_same_task,
    .unseen = Property::Unseen::handling,
    .assumes = {Assumption::synchronous, Assumption::nobody_stopped, Assumption::no_loss},
    .is_at_stake = garcia_molina::another_has_a_task};

Algorithm garcia_molina_algorithm() {
  return {.name = "garcia-molina",
          .make = make_protocol<GarciaMolina>,
          .is_fifo = true,
          .messages = garcia_molina::own_messages,
          .states = GarciaMolina::states,
          .rules = {rule::of_garcia_molina.begin(), rule::of_garcia_molina.end()},
          .properties = garcia_molina::owed,
          .finds = garcia_molina::is_not_normal,
          .must_notice = Algorithm::Noticing::the_winner,
          .count = garcia_molina::count,
          .formulas = garcia_molina::formulas,
          .delivered = garcia_molina::delivered,
          .bound = garcia_molina::bound,
          .forget_idle_words = GarciaMolina::forget_idle_words};
}

void GarciaMolina::handle(const Event& event, const Peers& peers, Actions& actions) {
  std::visit([&](const auto& e) { on(e, Turn{peers, actions}); }, event);

  assert((state_ == State::coordinator) == (is_normal() && c_ == self_));
  assert(c_.has_value() == (is_normal() || state_ == State::reorganization));
  assert(d_.has_value() == is_normal());
  assert(!c_ || c_ == h_);
  assert(callee_.has_value() == is_calling());
}

// [GM82, Recovery] h := nobody; Election(i).
void GarciaMolina::on(const Started& event, Turn turn) {
  turn.fire(rule::gm_recovery);
  h_.reset();
  call_ = std::max(call_, event.life);  // the reply to a call of an earlier life may still come
  hold_election(turn);
}

void GarciaMolina::on(const Preset& event, Turn turn) {
  enter(event.coordinator == self_ ? State::coordinator : State::normal, turn);
  h_ = c_ = event.coordinator;
  d_ = task_ = 1;
}

// [GM82, Timeout] Nothing was heard of the coordinator for long: if the process is in Normal or
// Reorganization, it asks whether the coordinator is there, and holds an election if not. It is the
// caller that asks. A process that was halted waits in the same way for the one that halted it.
void GarciaMolina::on(const Suspected& event, Turn turn) {
  if (event.peer != watched()) return;
  if (event.reason != Suspicion::deposed) {
    turn.fire(rule::gm_timeout);
  } else if (c_) {
    // DEVIATION 10: nor does it follow one that says that it follows another; nor stay coordinator
    // if a higher process is alive. In the paper's world that cannot come about.
    turn.fire(rule::gm_doubt);
  } else {
    return;
  }
  hold_election(turn);
}

// [GM82, Check] A coordinator asks each process whether it is normal; if one says no: Election(i).
void GarciaMolina::on(const Found&, Turn turn) {
  if (state_ != State::coordinator) return;
  turn.fire(rule::gm_check);
  hold_election(turn);
}

void GarciaMolina::on(const Received& event, Turn turn) {
  if (state_ == State::down || event.message.from == self_) return;
  event.message.type->role == Role::answers ? on_reply(event.message, turn)
                                            : on_request(event.message, turn);
}

void GarciaMolina::on_request(const Message& request, Turn turn) {
  const NodeId caller = request.from;
  if (request.type == messages::are_you_there) {
    // [GM82, AreYouThere] It replies; that it was asked makes it hold no election.
    turn.fire(rule::gm_there);
    return reply(messages::here, request, turn);
  }
  if (caller < self_) return;  // no such process calls
  if (request.type == messages::halt) {
    // [GM82, Halt] s := Election; h := j; STOP: any election procedure under way here is aborted.
    turn.fire(rule::gm_halted);
    stop(turn);
    enter(State::election, turn);
    h_ = caller;
    is_halted_ = true;
    turn.start(Timer::coordinator, attempts_);
    return reply(messages::halted, request, turn);
  }
  if (request.type == messages::new_coordinator) {
    // [GM82, NewCoordinator] If h = j and s = Election: c := j; s := Reorganization.
    if (h_ == caller && state_ == State::election) {
      turn.fire(rule::gm_new_coordinator);
      stop(turn);
      enter(State::reorganization, turn);
      c_ = caller;
    } else {
      turn.fire(rule::gm_not_halted_by);
    }
    return reply(messages::noted, request, turn);
  }
  // [GM82, Ready] If c = j and s = Reorganization: d := x; s := Normal.
  if (c_ == caller && state_ == State::reorganization) {
    turn.fire(rule::gm_ready);
    enter(State::normal, turn);
    c_ = caller;
    d_ = request.get(fields::task).value_or(0);
    task_ = std::max(task_, *d_);
    attempts_ = 0;
  } else {
    turn.fire(rule::gm_not_named_by);
  }
  reply(messages::done, request, turn);
}

// Only the reply to the present call counts.
void GarciaMolina::on_reply(const Message& reply, Turn turn) {
  if (!is_calling() || reply.from != callee_ || reply.type != call_of(phase_).reply) return;
  if (reply.get(fields::call).value_or(call_) != call_) return;
  turn.stop(Timer::answer);
  if (phase_ == Phase::asking) {
    // [GM82, Election] Somebody higher answers: it gives up, silently.
    turn.fire(rule::gm_give_up);
    end_procedure();
    return turn.start(Timer::coordinator, attempts_);
  }
  if (phase_ == Phase::halting) {
    // [GM82, Election] Up := Up and j.
    turn.fire(rule::gm_up);
    up_.push_back(reply.from);
  }
  call_next(turn);
}

// [GM82, Election] ONTIMEOUT: in asking and in halting the next one is called; one that was halted
// and does not answer any more voids the whole election.
void GarciaMolina::on_no_reply(Turn turn) {
  if (phase_ == Phase::asking || phase_ == Phase::halting) return call_next(turn);
  turn.fire(rule::gm_on_timeout);
  end_procedure();
  hold_election(turn);
}

// DEVIATION 1: a real process is told by the kernel that there is no process behind an address, and
// waits no longer for that one's reply.
void GarciaMolina::on(const PeerGone& event, Turn turn) {
  if (!is_calling() || event.peer != callee_) return;
  turn.fire(rule::gm_gone);
  if (has_replied_) ++call_;
  turn.stop(Timer::answer);
  on_no_reply(turn);
}

void GarciaMolina::on(const Expired& event, Turn turn) {
  if (event.timer == Timer::answer && is_calling()) {
    ++call_;
    return on_no_reply(turn);
  }
  // [GM82, Timeout] … else Election(i): it was halted, or had given up, and nobody has been named.
  if (event.timer != Timer::coordinator || state_ != State::election || is_calling()) return;
  turn.fire(rule::gm_again);
  attempts_ = std::min<std::uint8_t>(attempts_ + 1U, max_attempts);
  hold_election(turn);
}

// [GM82, Election] For each higher j, from the lowest: CALL AreYouThere(j).
void GarciaMolina::hold_election(Turn turn) {
  stop(turn);
  if (c_) {
    // DEVIATION 9: from here on it follows nobody. In the paper it stays Normal while it asks.
    turn.fire(rule::gm_follows_nobody);
  }
  enter(State::election, turn);
  turn.fire(rule::gm_ask);
  phase_ = Phase::asking;
  call_next(turn);
}

// Those that are called, one after the other: above itself upwards, below itself downwards, and
// then those that were halted, in the same order.
std::optional<NodeId> GarciaMolina::next_callee(Turn turn) const {
  if (phase_ == Phase::asking) {
    const auto higher = higher_than(callee_.value_or(self_), turn.peers.ids());
    return higher.empty() ? std::nullopt : std::optional(higher.front());
  }
  if (phase_ == Phase::halting) {
    const auto lower = lower_than(callee_.value_or(self_), turn.peers.ids());
    return lower.empty() ? std::nullopt : std::optional(lower.back());
  }
  const auto next = callee_ ? std::ranges::find(up_, *callee_) + 1 : up_.begin();
  return next == up_.end() ? std::nullopt : std::optional(*next);
}

// CALL P(j) ONTIMEOUT …: a request, and a bounded wait for its reply.
void GarciaMolina::call_next(Turn turn) {
  const std::optional<NodeId> next = next_callee(turn);
  if (!next) return go_on(turn);
  callee_ = next;
  has_replied_ = false;
  Message request{.type = call_of(phase_).request, .from = self_};
  request.set(fields::call, call_);
  if (phase_ == Phase::readying) request.set(fields::task, task_);
  turn.start(Timer::answer);
  turn.send(*next, request);
}

// All of this phase have been called.
void GarciaMolina::go_on(Turn turn) {
  callee_.reset();
  has_replied_ = false;
  if (phase_ == Phase::asking) return halt_the_others(turn);
  if (phase_ == Phase::halting) return reorganize(turn);
  if (phase_ == Phase::readying) return become_coordinator(turn);
  turn.fire(rule::gm_hand_out);
  phase_ = Phase::readying;
  call_next(turn);
}

// [GM82, Election] STOP; s := Election; h := i; Up := {}; for each lower j, from the highest: CALL
// Halt(j, i).
void GarciaMolina::halt_the_others(Turn turn) {
  turn.fire(rule::gm_halt);
  enter(State::election, turn);
  h_ = self_;
  up_.clear();
  phase_ = Phase::halting;
  call_next(turn);
}

// [GM82, Election] The election point: c := i; s := Reorganization; then for each j in Up: CALL
// NewCoordinator(j, i).
void GarciaMolina::reorganize(Turn turn) {
  turn.fire(rule::gm_election_point);
  enter(State::reorganization, turn);
  c_ = self_;
  ++task_;
  phase_ = Phase::naming;
  call_next(turn);
}

// [GM82, Election] … for each j in Up: CALL Ready(j, i, d); s := Normal.
void GarciaMolina::become_coordinator(Turn turn) {
  turn.fire(rule::gm_normal);
  end_procedure();
  enter(State::coordinator, turn);
  c_ = self_;
  d_ = task_;
  attempts_ = 0;
}

// [GM82, STOP] The task, and any election procedure that is under way here, end.
void GarciaMolina::stop(Turn turn) {
  if (is_calling()) {
    ++call_;
    turn.stop(Timer::answer);
  }
  end_procedure();
}

// No reply to its calls may still come.
void GarciaMolina::end_procedure() {
  phase_ = Phase::none;
  callee_.reset();
  has_replied_ = false;
  up_.clear();
}

// A wait for somebody else's election is over as well.
void GarciaMolina::enter(State state, Turn turn) {
  if (state_ == State::election) turn.stop(Timer::coordinator);
  c_.reset();
  d_.reset();
  is_halted_ = false;
  state_ = state;
  turn.changed();
}

std::optional<NodeId> GarciaMolina::watched() const {
  if (is_calling()) return std::nullopt;
  return c_ ? c_ : is_halted_ ? h_ : std::nullopt;
}

void GarciaMolina::reply(const MessageKind& kind, const Message& request, Turn turn) {
  has_replied_ = has_replied_ || request.from == callee_;
  Message reply{.type = kind, .from = self_};
  reply.set(fields::call, request.get(fields::call).value_or(0));
  turn.send(request.from, reply);
}

void GarciaMolina::visit_fields(FieldVisitor& visit) {
  visit(attempts_);
  visit(state_);
  visit(h_);
  visit(c_);
  visit(d_);
  visit(up_);
  visit(phase_);
  visit(callee_);
  visit(has_replied_);
  visit(is_halted_);
  visit(call_);
  visit(task_);
}

void GarciaMolina::forget_idle_words(std::vector<std::uint64_t>& words) {
  words.at(0) = 0;
}

}  // namespace bully
