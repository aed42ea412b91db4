// link_recorder.cc: records of messages, and of the elections that can be inferred from them.
#include "wire/link_recorder.h"

#include "election/participant.h"
#include "trace/environment.h"

namespace bully {

namespace {

// The longest time that a ping may have waited.
constexpr Duration max_late = std::chrono::milliseconds(100);
// After a change of coordinator, late pings to the old one may come among those to the new one for
// this time. A process that pings several others mixes them forever.
constexpr Duration max_mixed = std::chrono::seconds(1);

}  // namespace

void LinkRecorder::on_start(NodeId id) {
  if (std::exchange(processes_[id].is_unnamed, false)) return;
  processes_[id] = {.is_there = true, .was_there = true};
  record({.node = id,
          .event = TraceEvent::start,
          .algorithm = algorithm_,
          .given = std::make_shared<const Given>(Given{.cluster = cluster_}),
          .environment = std::make_shared<const Environment>(Environment{.observed = true})});
}

// Nodes of this program send only when they have a name, and number their messages from 1. So a
// sender without a known name came and went between two looks.
void LinkRecorder::note_sender(const Message& message) {
  Process& sender = processes_[message.from];
  const bool is_first = message.number == 1;
  const bool is_new = !sender.was_there || (is_first && sender.has_sent);
  if (!sender.is_there && message.number && is_new) {
    on_start(message.from);
    sender.is_unnamed = true;
  }
  sender.has_sent = sender.has_sent || is_first;
}

void LinkRecorder::on_gone(NodeId from, bool has_left) {
  if (std::exchange(processes_[from].is_unnamed, false)) on_end(from, has_left);
}

void LinkRecorder::on_end(NodeId id, bool has_left) {
  processes_[id].is_there = false;
  record({.node = id, .event = has_left ? TraceEvent::leave : TraceEvent::crash});
}

void LinkRecorder::on_message(const Message& message, NodeId to, Way way, std::uint64_t) {
  if (way == Way::sent && message.type.is_of_election()) note_sender(message);
  const auto winner = winner_in(message.type, message.from, message.values);
  if (way == Way::delivered && winner) {
    Process& receiver = processes_[to];
    if (receiver.elects || receiver.announced != winner) receiver.changed_ns = clock_().count();
    receiver.elects = false;
    receiver.announced = winner;
  }
  if (message.type.is_of_election()) {
    if (way == Way::sent) record(sent_message(to, message));
    if (way == Way::refused) record(lost_message(to, message, Loss::gone));
    if (way == Way::delivered) record(receipt_of(message, to));
  }
  if (way == Way::sent) learn_sender(message, winner);
  // A stopped process takes pings, and never replies: so a process that pings the announced winner,
  // and has started no election since, follows it, whatever the result of the ping.
  const Process& sender = processes_[message.from];
  const bool is_chosen = sender.announced == to && !sender.elects;
  if (way == Way::sent && message.type == messages::ping && is_chosen) learn_ping(message.from, to);
}

void LinkRecorder::on_pinged(NodeId from, NodeId to, const std::optional<PingReply>& reply) {
  if (reply && reply->id == to) {
    processes_[to].replies = true;
    if (reply->coordinator) follow(to, *reply->coordinator, true);
    if (reply->coordinator == to) learn_ping(from, to);
  } else if (!processes_[to].replies) {
    learn_ping(from, to);
  }
}

void LinkRecorder::learn_sender(const Message& message, std::optional<NodeId> winner) {
  Process& sender = processes_[message.from];
  const Role role = message.type->role;
  if (message.number) sender.replies = true;
  // A process that answers may start an election, or know the winner: its next ping shows which.
  if (role == Role::answers) sender.has_taken_part = true;
  if (winner) {
    sender.elects = false;
    if (sender.announced != winner) sender.announced.reset();
    follow(message.from, *winner, true);
  } else if (message.type.is_of_election() && role != Role::answers) {
    sender.elects = true;
    sender.has_taken_part = true;
  }
}

// A process that takes part in an election may ping others than its coordinator: the processes that
// it waits for. It may keep pinging for a moment after the announcement. And in a flood of pings,
// some to the old coordinator are still waiting for their receiver when the first to the new one
// appears. But pinging several others in turn, or one below itself, is not such a moment.
void LinkRecorder::learn_ping(NodeId from, NodeId to) {
  Process& sender = processes_[from];
  if (from == to || (sender.elects && sender.announced != to)) return;
  const std::int64_t now_ns = clock_().count();
  const auto is_there = [&](std::optional<NodeId> id) { return id && processes_[*id].is_there; };
  const bool was_just_announced =
      is_there(sender.announced) && now_ns - sender.changed_ns < max_late.count();
  const bool pings_another = is_there(sender.follows) &&
                             now_ns - sender.pinged_ns < max_late.count() &&
                             now_ns - sender.changed_ns < max_mixed.count();
  const bool is_late =
      sender.follows != to && sender.announced != to && (was_just_announced || pings_another);
  if (is_late) return;
  sender.pinged_ns = now_ns;
  follow(from, to, false);
}

// A process that pings before it has a name will soon appear, and ping again; a process that is
// gone may have left its monitor behind for a moment. Neither is recorded. After an election a
// process that follows the same coordinator again is recorded; and so is a process's own statement
// of its coordinator, if only a ping showed it before.
void LinkRecorder::follow(NodeId id, NodeId coordinator, bool states_it) {
  Process& process = processes_[id];
  if (!process.is_there) return;
  const bool is_known = process.follows == coordinator && (process.has_stated || !states_it);
  if (is_known && !process.has_taken_part) return;
  process.follows = coordinator;
  process.has_stated = states_it;
  process.has_taken_part = false;
  process.changed_ns = clock_().count();
  record(
      {.node = id,
       .event = TraceEvent::coordinator,
       .coordinator = coordinator,
       .environment = std::make_shared<const Environment>(Environment{.from_reply = states_it})});
}

void LinkRecorder::finish() {
  for (const auto& [id, process] : processes_) {
    if (process.is_there) record({.node = id, .event = TraceEvent::end});
  }
}

void LinkRecorder::record(Record record) {
  record.t_ns = clock_().count();
  sink_.record(record);
}

}  // namespace bully
