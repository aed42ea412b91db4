#include "election/participant.h"

#include <array>

namespace bully {

namespace {

constexpr std::array<std::string_view, 5> loss_names = {"", "gone", "deadline", "loss",
                                                        "partition"};

Record about(const Message& message, NodeId node, NodeId to, TraceEvent event) {
  Record record{.node = node, .event = event, .type = message.type, .from = message.from, .to = to};
  record.number = message.number;
  record.subject = message.subject;
  record.epoch = message.epoch;
  return record;
}

template <typename Kind>
const Kind* as(const Event& event) {
  return std::get_if<Kind>(&event);
}

}  // namespace

std::string_view loss_name(Loss loss) {
  return loss_names.at(static_cast<std::size_t>(loss));
}

Record lost_message(NodeId to, const Message& message, Loss loss) {
  Record lost = about(message, message.from, to, TraceEvent::lost);
  lost.reason = loss_name(loss);
  return lost;
}

Record receipt_of(const Message& message, NodeId self) {
  return about(message, self, self, TraceEvent::receive);
}

void Participant::handle(const Event& event, const Peers& peers, Carrier& carrier) {
  carrier.is_handling_ = true;
  if (carrier.has_reader()) record_event(event, carrier);
  step(event, peers, carrier);
  step_all_gone(peers, carrier);
}

void Participant::lose(NodeId to, const Message& message, Loss loss, const Peers& peers,
                       Carrier& carrier) {
  if (carrier.has_reader()) carrier.record(lost_message(to, message, loss));
  if (loss == Loss::gone) carrier.gone_.push_back(to);
  if (!carrier.is_handling_) step_all_gone(peers, carrier);
}

void Participant::leave(Carrier& carrier) const {
  carrier.record(record(TraceEvent::stop));
  carrier.flush();
}

// Who turns out to be gone while messages are sent is known before anything else happens; and
// what is sent because of that may find others gone.
void Participant::step_all_gone(const Peers& peers, Carrier& carrier) {
  carrier.is_handling_ = true;
  for (std::size_t i = 0; i < carrier.gone_.size(); ++i) {
    step(PeerGone{carrier.gone_[i]}, peers, carrier);
  }
  carrier.gone_.clear();
  carrier.is_handling_ = false;
  carrier.flush();
}

void Participant::step(const Event& event, const Peers& peers, Carrier& carrier) {
  Actions& actions = carrier.actions_;
  actions.clear();
  protocol_->handle(event, peers, actions);
  for (auto action = actions.begin(); action != actions.end();) {
    if (std::holds_alternative<Send>(*action)) {
      action = send_run(action, carrier);
      continue;
    }
    // A process that answers and then starts an election is seen doing so in this order: its new
    // state shows with the first action that is no sending.
    record_change(carrier);
    if (const auto* start = std::get_if<StartTimer>(&*action)) carrier.start_timer(*start);
    if (const auto* stop = std::get_if<StopTimer>(&*action)) carrier.stop_timer(stop->timer);
    ++action;
  }
  record_change(carrier);

  const std::optional<NodeId> watched = protocol_->watched();
  const bool as_coordinator = watched && watched == protocol_->coordinator();
  if (watched_ == watched && as_coordinator_ == as_coordinator) return;
  watched_ = watched;
  as_coordinator_ = as_coordinator;
  carrier.watch(watched, as_coordinator);
}

// Sends all messages from `first` on, up to the next other action, which is returned.
Actions::iterator Participant::send_run(Actions::iterator first, Carrier& carrier) {
  const bool tells = carrier.has_reader();
  auto last = first;
  for (; last != carrier.actions_.end() && std::holds_alternative<Send>(*last); ++last) {
    auto& [to, message] = std::get<Send>(*last);
    message.number = ++last_number_;
    if (tells) carrier.record(about(message, message.from, to, TraceEvent::send));
  }
  carrier.flush();
  for (auto action = first; action != last; ++action) {
    const auto& [to, message] = std::get<Send>(*action);
    const Loss loss = carrier.send(to, message);
    if (loss == Loss::none) continue;
    if (tells) carrier.record(lost_message(to, message, loss));
    if (loss == Loss::gone) carrier.gone_.push_back(to);
  }
  return last;
}

// PeerGone has no record of its own: the message that was lost tells of it.
void Participant::record_event(const Event& event, Carrier& carrier) const {
  const auto* started = as<Started>(event);
  if ((started != nullptr && !started->resumed) || as<Founded>(event) != nullptr) {
    Record start = record(TraceEvent::start);
    start.algorithm = algorithm_;
    carrier.record(start);
  }
  if (const auto* received = as<Received>(event)) {
    carrier.record(receipt_of(received->message, protocol_->id()));
  }
  if (const auto* expired = as<Expired>(event)) {
    Record timeout = record(TraceEvent::timeout);
    timeout.timer = timer_name(expired->timer);
    carrier.record(timeout);
  }
  if (const auto* suspected = as<Suspected>(event)) {
    // The suspicion may be older than what the process knows; and whom another follows matters
    // only if that other is its coordinator.
    const bool matters =
        suspected->reason != Suspicion::deposed || protocol_->coordinator() == suspected->peer;
    if (!matters || protocol_->watched() != suspected->peer) return;
    Record suspect = record(TraceEvent::suspect);
    suspect.coordinator = suspected->peer;
    suspect.reason = suspicion_name(suspected->reason);
    carrier.record(suspect);
  }
}

void Participant::record_change(Carrier& carrier) {
  if (!carrier.has_reader()) return;
  const Variables variables = protocol_->variables();
  if (protocol_->state_name() != state_ || variables != variables_) {
    state_ = protocol_->state_name();
    variables_ = variables;
    Record change = record(TraceEvent::state);
    change.state = state_;
    change.variables = variables;
    carrier.record(change);
  }
  if (protocol_->coordinator() == coordinator_) return;
  coordinator_ = protocol_->coordinator();
  if (!coordinator_) return;
  Record followed = record(TraceEvent::coordinator);
  followed.coordinator = coordinator_;
  carrier.record(followed);
}

}  // namespace bully
