#include "election/invitation.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "election/field_visitor.h"

namespace bully {

namespace rule {
constexpr Rule iv_recovery{"iv-recovery", "[GM82]"};
constexpr Rule iv_timeout{"iv-timeout", "[GM82]"};
constexpr Rule iv_check{"iv-check", "[GM82]"};
constexpr Rule iv_merge{"iv-merge", "[GM82]"};
constexpr Rule iv_invited{"iv-invited", "[GM82]"};
constexpr Rule iv_pass_on{"iv-pass-on", "[GM82]"};
constexpr Rule iv_decline{"iv-decline", "[GM82]"};
constexpr Rule iv_up{"iv-up", "[GM82]"};
constexpr Rule iv_too_late{"iv-too-late", "[GM82]"};
constexpr Rule iv_accepted{"iv-accepted", "[GM82]"};
constexpr Rule iv_hand_out{"iv-hand-out", "[GM82]"};
constexpr Rule iv_ready{"iv-ready", "[GM82]"};
constexpr Rule iv_not_ready{"iv-not-ready", "[GM82]"};
constexpr Rule iv_normal{"iv-normal", "[GM82]"};
constexpr Rule iv_on_timeout{"iv-on-timeout", "[GM82]"};
constexpr Rule iv_gone{"iv-gone", "", 1};
constexpr Rule iv_by_rank{"iv-by-rank", "", 11};
constexpr Rule iv_not_counted_in{"iv-not-counted-in", "", 12};
constexpr Rule iv_resumed{"iv-resumed", "", 13};
}  // namespace rule

namespace invitation {

constexpr std::array<MessageType, 5> own_messages = {messages::invitation, messages::accept,
                                                     messages::accepted, messages::group_ready,
                                                     messages::group_done};

// AreYouCoordinator is answered with yes.
static bool is_coordinator(const PingReply& /*own*/, const PingReply& other) {
  return other.coordinator == other.id;
}

static std::optional<NodeId> coordinator_of(const Snapshot& node) {
  return node.group ? node.coordinator : std::nullopt;
}
static std::optional<NodeId> task_of(const Snapshot& node) {
  const auto d = std::ranges::find(node.variables, "d", &Variable::name);
  return node.group && d != node.variables.end() ? d->value : std::nullopt;
}

static bool are_one_group(const Algorithm& /*algorithm*/, Nodes nodes) {
  const auto alive = std::ranges::find_if(nodes, &Snapshot::is_alive);
  if (alive == nodes.end()) return true;
  const std::optional<NodeId> coordinator = (*alive)->coordinator;
  bool is_alive = false;
  for (const Snapshot* node : nodes) {
    if (!node->is_alive()) continue;
    if (node->coordinator != coordinator || node->group != (*alive)->group) return false;
    is_alive = is_alive || node->id == coordinator;
  }
  return is_alive;
}

// A new coordinator invites every other process, or that process's last coordinator does; each
// process makes and gets one call.
static MessageCounts count(const CountedElection& election) {
  MessageCounts counts;
  for (const MessageType type : own_messages) counts[type] = election.processes.size() - 1;
  return counts;
}

// For one merge: n processes, the lost coordinator among them.
static MessageCounts bound(std::size_t n) {
  MessageCounts counts;
  for (const MessageType type : own_messages) counts[type] = n < 2 ? 0 : n - 2;
  return counts;
}

}  // namespace invitation

constexpr Property properties::group_coordinator{
    .key = "group-coordinator",
    .moment = Property::Moment::every,
    .holds = show_the_same<invitation::coordinator_of, true>,
    .is_at_stake = another_shows_one<invitation::coordinator_of, true>};
constexpr Property properties::group_task{
    .key = "group-task",
    .moment = Property::Moment::every,
    .holds = show_the_same<invitation::task_of, true>,
    .is_at_stake = another_shows_one<invitation::task_of, true>};
constexpr Property properties::one_group{
    .key = "one-group", .moment = Property::Moment::in_the_end, .holds = invitation::are_one_group};

Algorithm invitation_algorithm() {
  return {.name = "invitation",
          .make = make_protocol<Invitation>,
          .is_fifo = true,
          .messages = {invitation::own_messages.begin(), invitation::own_messages.end()},
          .states = Invitation::states,
          .rules = {&rule::iv_recovery, &rule::iv_timeout, &rule::iv_check, &rule::iv_merge,
                    &rule::iv_invited, &rule::iv_pass_on, &rule::iv_decline, &rule::iv_up,
                    &rule::iv_too_late, &rule::iv_accepted, &rule::iv_hand_out, &rule::iv_ready,
                    &rule::iv_not_ready, &rule::iv_normal, &rule::iv_on_timeout, &rule::iv_gone,
                    &rule::iv_by_rank, &rule::iv_not_counted_in, &rule::iv_resumed},
          .properties = {&properties::one_group, &properties::group_coordinator,
                         &properties::group_task, &properties::ends, &properties::sent},
          .finds = invitation::is_coordinator,
          .gives_way = false,
          .must_notice = Noticing::all,
          .count = invitation::count,
          .formulas = {{messages::invitation, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"},
                       {messages::accept, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"},
                       {messages::accepted, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"},
                       {messages::group_ready, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"},
                       {messages::group_done, "n(n-1)/2, n = {0}", "n-2", "n-1, n = {0}"}},
          .bound = invitation::bound};
}

void Invitation::handle(const Event& event, const Peers& peers, Actions& actions) {
  std::visit([&](const auto& e) { on(e, Context{peers, actions}); }, event);

  assert(is_coordinator() == (is_normal() && has_created()));
  assert(d_.has_value() == is_normal());
  assert(found_.empty() == (state_ != State::merging));
  assert(up_.empty() || has_created());
}

std::optional<NodeId> Invitation::c() const {
  return state_ == State::down ? std::nullopt : std::optional(group_.creator);
}

std::optional<NodeId> Invitation::watched() const {
  const bool waits = state_ == State::reorganization && !has_created();
  return waits ? c() : coordinator();
}

std::optional<Group> Invitation::group() const {
  return state_ == State::down ? std::nullopt : std::optional(group_);
}

// [GM82, Recovery] A process that was down is a group of one.
void Invitation::on(const Started& event, Context context) {
  if (!event.resumed) {
    counter_ = std::max(counter_, event.incarnation);
    return recover(context);
  }
  if (state_ == State::normal || state_ == State::coordinator) return;
  // DEVIATION 13: a process that was stopped during a merge does not wait for the merge's end: it
  // recovers.
  context.fire(rule::iv_resumed);
  recover(context);
}

// As if all processes had started, and their coordinator had merged them.
void Invitation::on(const Preset& event, Context context) {
  constexpr std::uint64_t merged = 2;
  enter(event.coordinator == self_ ? State::coordinator : State::normal,
        {event.coordinator, merged}, context);
  counter_ = has_created() ? merged : merged - 1;
  d_ = task_ = merged;
  if (!has_created()) return;
  std::ranges::remove_copy(context.peers.ids(), std::back_inserter(up_), self_);
}

// [GM82, Timeout] No message from the coordinator for long, or it has left this group: Recovery.
void Invitation::on(const Suspected& event, Context context) {
  if (event.peer != watched() || event.peer == self_) return;
  context.fire(rule::iv_timeout);
  recover(context);
}

// [GM82, Check] A coordinator has found another. If the other is higher, it waits, so that normally
// the highest merges first.
void Invitation::on(const PeerFound& event, Context context) {
  const bool is_known = std::ranges::binary_search(found_, event.peer);
  if (!is_coordinator() || event.peer == self_ || is_known) return;
  context.fire(rule::iv_check);
  const bool is_first = std::exchange(state_, State::merging) != State::merging;
  if (is_first) context.changed();
  found_.insert(std::ranges::upper_bound(found_, event.peer), event.peer);
  if (!is_first && event.peer < self_) return;
  // DEVIATION 11: it waits longer for each higher coordinator found. In the paper the wait grows
  // with the difference of the ids; but ids are PIDs, and no measure of time. During the first wait
  // reports of other coordinators come in; the later waits are long enough for a higher coordinator
  // to look for others itself.
  context.fire(rule::iv_by_rank);
  constexpr std::size_t waits_for_each = 3;
  constexpr std::size_t most = std::numeric_limits<std::uint8_t>::max();
  const std::size_t waits = higher_than(self_, found_).size() * waits_for_each;
  context.start(Timer::answer, static_cast<std::uint8_t>(std::min(waits, most)));
}

void Invitation::on(const Received& event, Context context) {
  const Message& message = event.message;
  const std::optional<Group> group = message.group();
  if (state_ == State::down || message.from == self_ || !group) return;
  if (message.type == messages::invitation) return on_invitation(*group, context);
  if (message.type == messages::accept) return on_accept(message.from, *group, context);
  if (message.type == messages::group_ready) return on_ready(message, *group, context);
  if (message.from != callee_ || *group != group_) return;
  const bool is_of_call = (message.type == messages::accepted) == (state_ == State::invited);
  if (!is_of_call) return;
  context.stop(Timer::answer);
  state_ == State::invited ? on_accepted(message.has(fields::in_time), context)
                           : call_next(context);
}

// [GM82, Invitation] If s is not Normal: it declines, silently. Else s := Election, c and g are the
// new ones; a coordinator passes the invitation on to its members; then CALL Accept(j, i, g).
void Invitation::on_invitation(const Group& group, Context context) {
  if (group.creator == self_) return;  // no other process names a group after this one
  if (!is_normal()) return context.fire(rule::iv_decline);
  context.fire(rule::iv_invited);
  const std::vector<NodeId> members = std::move(up_);
  enter(State::invited, group, context);
  if (!members.empty()) context.fire(rule::iv_pass_on);
  for (const NodeId member : members) {
    if (member != group.creator) context.send(member, about(group, messages::invitation));
  }
  callee_ = group.creator;
  context.start(Timer::answer);
  context.send(group.creator, about(group, messages::accept));
}

// [GM82, Accept] If s = Election, g is this group and c = i: Up := Up and j.
void Invitation::on_accept(NodeId from, const Group& group, Context context) {
  const bool in_time = state_ == State::inviting && group == group_;
  context.fire(in_time ? rule::iv_up : rule::iv_too_late);
  const auto place = std::ranges::lower_bound(up_, from);
  const bool is_new = place == up_.end() || *place != from;
  if (in_time && is_new) up_.insert(place, from);
  Message reply = about(group, messages::accepted);
  if (in_time) reply.set(fields::in_time);
  context.send(from, reply);
}

// [GM82, Ready] If s = Reorganization and g is this group: d := x; s := Normal.
void Invitation::on_ready(const Message& ready, const Group& group, Context context) {
  if (state_ == State::reorganization && group == group_ && ready.from == group.creator) {
    context.fire(rule::iv_ready);
    enter(State::normal, group, context);
    d_ = ready.get(fields::group_task).value_or(0);
    task_ = std::max(task_, *d_);
  } else {
    context.fire(rule::iv_not_ready);
  }
  context.send(ready.from, about(group, messages::group_done));
}

// [GM82, Invitation] … s := Reorganization. Ready cannot come before this on a FIFO link.
void Invitation::on_accepted(bool in_time, Context context) {
  if (in_time) {
    context.fire(rule::iv_accepted);
    return enter(State::reorganization, group_, context);
  }
  // DEVIATION 12: the reply says that it came too late. In the paper the process waits for Ready,
  // until the reply to AreYouThere says that it is not in Up.
  context.fire(rule::iv_not_counted_in);
  recover(context);
}

// [GM82] … ONTIMEOUT: Recovery(i).
void Invitation::on(const Expired& event, Context context) {
  if (event.timer == Timer::answer) {
    if (state_ == State::merging) return merge(context);
    if (!callee_) return;
    context.fire(rule::iv_on_timeout);
    return recover(context);
  }
  if (state_ == State::inviting) reorganize(context);
}

// DEVIATION 1: the kernel reports that the callee is gone: the process waits for no reply.
void Invitation::on(const PeerGone& event, Context context) {
  if (event.peer != callee_) return;
  context.fire(rule::iv_gone);
  recover(context);
}

// [GM82, Recovery] s := Election; STOP; counter := counter + 1; g := (i, counter); c := i; Up :=
// {}; s := Normal.
void Invitation::recover(Context context) {
  context.fire(rule::iv_recovery);
  enter(State::coordinator, new_group(), context);
  d_ = ++task_;
}

// [GM82, Merge] s := Election; STOP; counter := counter + 1; g := (i, counter); c := i; Up := {};
// Invitation to all coordinators found and all old members.
void Invitation::merge(Context context) {
  context.fire(rule::iv_merge);
  std::vector<NodeId> invited = found_;
  for (const NodeId member : up_) {
    if (std::ranges::count(invited, member) == 0) invited.push_back(member);
  }
  enter(State::inviting, new_group(), context);
  context.start(Timer::coordinator);
  for (const NodeId other : invited) context.send(other, about(group_, messages::invitation));
}

// [GM82, Merge] … s := Reorganization; for j in Up: CALL Ready(j, i, g, d).
void Invitation::reorganize(Context context) {
  context.fire(rule::iv_hand_out);
  enter(State::reorganization, group_, context);
  ++task_;
  call_next(context);
}

// [GM82, Merge] … s := Normal.
void Invitation::call_next(Context context) {
  const auto next = callee_ ? std::ranges::find(up_, *callee_) + 1 : up_.begin();
  if (next != up_.end()) {
    callee_ = *next;
    context.start(Timer::answer);
    Message ready = about(group_, messages::group_ready);
    return context.send(*next, ready.set(fields::group_task, task_));
  }
  context.fire(rule::iv_normal);
  enter(State::coordinator, group_, context);
  d_ = task_;
}

// Ends everything of the old state (the paper's STOP), and forgets a group's members.
void Invitation::enter(State state, const Group& group, Context context) {
  if (state_ == State::merging || callee_) context.stop(Timer::answer);
  if (state_ == State::inviting) context.stop(Timer::coordinator);
  if (group != group_) up_.clear();
  state_ = state;
  group_ = group;
  d_.reset();
  found_.clear();
  callee_.reset();
  context.changed();
}

Message Invitation::about(const Group& group, const MessageKind& kind) const {
  Message message{.type = kind, .from = self_};
  return message.set_group(group);
}

void Invitation::visit_fields(FieldVisitor& visit) {
  visit(state_);
  visit(group_);
  visit(counter_);
  visit(d_);
  visit(task_);
  visit(up_);
  visit(found_);
  visit(callee_);
}

}  // namespace bully
