#include "election/participant.h"

#include <array>

#include "election/algorithm.h"

namespace bully {

namespace {

Record about(const Message& message, NodeId node, NodeId to, TraceEvent event) {
  return {.node = node,
          .event = event,
          .type = message.type,
          .from = message.from,
          .to = to,
          .number = message.number,
          .values = message.values};
}

}  // namespace

Snapshot snapshot_of(const Protocol& protocol) {
  return {.id = protocol.id(),
          .condition = Condition::running,
          .state = std::string(protocol.state_name()),
          .coordinator = protocol.coordinator(),
          .variables = protocol.variables()};
}

PingReply reply_of(const Protocol& protocol) {
  return {protocol.id(), protocol.coordinator()};
}

PingReply reply_of(const Snapshot& node) {
  return {node.id, node.coordinator};
}

Snapshot crashed_snapshot(NodeId id) {
  return {.id = id, .condition = Condition::crashed, .state = "down"};
}

bool Snapshot::is_coordinator() const {
  return is_coordinating(state) || (observed && coordinator == id);
}

std::optional<NodeId> winner_in(MessageType type, NodeId from, const FieldValues& values) {
  if (type->role == Role::announces) return from;
  return type->role == Role::spreads ? values.shown(type) : std::nullopt;
}

void learn(Snapshot& snapshot, const Record& record) {
  snapshot.id = record.node;
  if (record.event == TraceEvent::crash) {
    snapshot = crashed_snapshot(record.node);
    return;
  }
  const bool leaves = record.event == TraceEvent::stop;
  if (leaves || record.event == TraceEvent::start) {
    snapshot = {.id = record.node, .observed = record.observed};
  }
  if (leaves || record.event == TraceEvent::end) return;
  if (record.event == TraceEvent::pause || record.event == TraceEvent::resume) {
    const bool is_paused = record.event == TraceEvent::pause;
    snapshot.condition = is_paused ? Condition::stopped : Condition::running;
    return;
  }
  // A stopped process may have made this record before, and a message may be lost after its sender
  // is gone.
  if (snapshot.condition != Condition::stopped && record.event != TraceEvent::lost) {
    snapshot.condition = Condition::running;
  }
  if (record.event == TraceEvent::coordinator) snapshot.coordinator = record.coordinator;
  if (record.event == TraceEvent::send && record.epoch() && record.type->role != Role::joins) {
    snapshot.epoch = record.epoch();
  }
  if (record.event != TraceEvent::state) return;
  snapshot.state = record.state;
  snapshot.variables = record.variables;
  // No record says that a process that holds an election follows no coordinator.
  if (!is_settled(record.state)) snapshot.coordinator.reset();
}

Record sent_message(NodeId to, const Message& message) {
  return about(message, message.from, to, TraceEvent::send);
}

Record lost_message(NodeId to, const Message& message, Loss loss) {
  Record lost = about(message, message.from, to, TraceEvent::lost);
  switch (loss) {
    case Loss::none: break;
    case Loss::gone: lost.reason = "gone"; break;
    case Loss::deadline: lost.reason = "deadline"; break;
    case Loss::chance: lost.reason = "loss"; break;
    case Loss::partition: lost.reason = "partition"; break;
    case Loss::oversize: lost.reason = "oversize"; break;
  }
  return lost;
}

Record receipt_of(const Message& message, NodeId self) {
  return about(message, self, self, TraceEvent::receive);
}

void Participant::handle(const Event& event, const Peers& peers, Environment& environment) {
  environment.is_handling_ = true;
  if (environment.has_reader()) record_event(event, environment);
  step(event, peers, environment);
  step_all_gone(peers, environment);
}

void Participant::lose(NodeId to, const Message& message, Loss loss, const Peers& peers,
                       Environment& environment) {
  if (environment.has_reader()) environment.record(lost_message(to, message, loss));
  if (loss == Loss::gone) environment.gone_.push_back(to);
  if (!environment.is_handling_) step_all_gone(peers, environment);
}

void Participant::leave(Environment& environment) const {
  environment.record({.node = protocol_->id(), .event = TraceEvent::stop});
  environment.flush();
}

// A peer that turns out to be gone while messages are sent is reported before anything else
// happens; the messages that result may find others gone.
void Participant::step_all_gone(const Peers& peers, Environment& environment) {
  environment.is_handling_ = true;
  for (std::size_t i = 0; i < environment.gone_.size(); ++i) {
    step(PeerGone{environment.gone_[i]}, peers, environment);
  }
  environment.gone_.clear();
  environment.is_handling_ = false;
  environment.flush();
}

void Participant::step(const Event& event, const Peers& peers, Environment& environment) {
  const NodeId id = protocol_->id();
  const bool tells = environment.has_reader();
  Actions& actions = environment.actions_;
  actions.clear();
  protocol_->handle(event, peers, actions);
  if (tells && !actions.empty()) record_finding(event, environment);
  for (auto action = actions.begin(); action != actions.end();) {
    if (std::holds_alternative<Send>(*action)) {
      action = send_run(action, peers, environment);
      continue;
    }
    // If a process answers and then starts an election, its records show this order.
    if (tells && std::holds_alternative<Changed>(*action)) record_change(environment);
    if (const auto* fired = std::get_if<Fired>(&*action); tells && fired != nullptr) {
      environment.record({.node = id, .event = TraceEvent::rule, .rule = fired->rule->key});
    }
    if (const auto* start = std::get_if<StartTimer>(&*action)) environment.start_timer(*start);
    if (const auto* stop = std::get_if<StopTimer>(&*action)) environment.stop_timer(stop->timer);
    ++action;
  }
  if (tells) record_change(environment);

  const WatchTarget now = target();
  if (now == watch_) return;
  watch_ = now;
  environment.watch(now);
}

WatchTarget Participant::target() const {
  const std::optional<NodeId> watched = protocol_->watched();
  return {watched, watched && watched == protocol_->coordinator()};
}

void Participant::recall() {
  state_ = protocol_->state_name();
  coordinator_ = protocol_->coordinator();
  variables_ = protocol_->variables();
  watch_ = target();
}

// Sends all messages from `first` on, up to the next other action, which it returns.
Actions::iterator Participant::send_run(Actions::iterator first, const Peers& peers,
                                        Environment& environment) {
  const bool is_paced = environment.is_paced();
  const bool tells = environment.has_reader();
  auto last = first;
  for (; last != environment.actions_.end() && std::holds_alternative<Send>(*last); ++last) {
    auto& [to, message] = std::get<Send>(*last);
    message.number = ++last_number_;
    if (tells && !is_paced) environment.record(sent_message(to, message));
  }
  environment.flush();
  for (auto action = first; action != last; ++action) {
    const auto& [to, message] = std::get<Send>(*action);
    if (is_paced) {
      environment.await_turn();
      if (tells) environment.record(sent_message(to, message));
      environment.flush();
    }
    const Loss loss = is_too_long(message) ? Loss::oversize : environment.send(to, message);
    if (loss != Loss::none) lose(to, message, loss, peers, environment);
  }
  return last;
}

// PeerGone is not recorded: the record of the lost message shows it.
void Participant::record_event(const Event& event, Environment& environment) const {
  const NodeId id = protocol_->id();
  const auto* started = std::get_if<Started>(&event);
  if (started != nullptr ? !started->resumed : std::holds_alternative<Preset>(event)) {
    environment.record({.node = id, .event = TraceEvent::start, .algorithm = algorithm_});
  }
  if (const auto* received = std::get_if<Received>(&event)) {
    environment.record(receipt_of(received->message, id));
  }
  if (const auto* expired = std::get_if<Expired>(&event)) {
    const auto timer = timer_name(expired->timer);
    environment.record({.node = id, .event = TraceEvent::timeout, .timer = timer});
  }
  if (const auto* suspected = std::get_if<Suspected>(&event)) {
    // The suspicion may be stale; and only a coordinator can be deposed.
    const bool matters =
        suspected->reason != Suspicion::deposed || protocol_->coordinator() == suspected->peer;
    if (!matters || protocol_->watched() != suspected->peer) return;
    environment.record({.node = id,
                        .event = TraceEvent::suspect,
                        .reason = suspicion_name(suspected->reason),
                        .coordinator = suspected->peer});
  }
}

// A coordinator finds the same process at each look, so a finding is recorded only if the protocol
// acts on it.
void Participant::record_finding(const Event& event, Environment& environment) const {
  if (const auto* found = std::get_if<PeerFound>(&event)) {
    environment.record({.node = protocol_->id(),
                        .event = TraceEvent::suspect,
                        .reason = "found",
                        .coordinator = found->peer});
  }
}

void Participant::record_change(Environment& environment) {
  const NodeId id = protocol_->id();
  const Variables variables = protocol_->variables();
  if (protocol_->state_name() != state_ || variables != variables_) {
    state_ = protocol_->state_name();
    variables_ = variables;
    environment.record(
        {.node = id, .event = TraceEvent::state, .state = state_, .variables = variables});
  }
  if (protocol_->coordinator() == coordinator_) return;
  coordinator_ = protocol_->coordinator();
  if (!coordinator_) return;
  environment.record({.node = id, .event = TraceEvent::coordinator, .coordinator = coordinator_});
}

}  // namespace bully
