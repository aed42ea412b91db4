// participant.cc: turns a protocol's actions into records and messages, in their order.
#include "election/participant.h"

#include <algorithm>
#include <cassert>
#include <iterator>

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

// True for a change after which the process is as it will be when the next message leaves: earlier
// ones, in the same step, have no record.
bool is_last_change(Actions::const_iterator action, Actions::const_iterator end) {
  if (!std::holds_alternative<Changed>(*action)) return false;
  const auto next = std::find_if(std::next(action), end, [](const Action& one) {
    return std::holds_alternative<Changed>(one) || std::holds_alternative<Send>(one);
  });
  return next == end || std::holds_alternative<Send>(*next);
}

}  // namespace

Record sent_message(NodeId to, const Message& message) {
  return about(message, message.from, to, TraceEvent::send);
}

Record lost_message(NodeId to, const Message& message, Loss loss) {
  Record lost = about(message, message.from, to, TraceEvent::lost);
  lost.reason = loss_names.at(static_cast<std::size_t>(loss));
  if (is_dropped_by_receiver(lost)) lost.node = to;
  return lost;
}

Record receipt_of(const Message& message, NodeId self) {
  return about(message, self, self, TraceEvent::receive);
}

Record started_wait(NodeId self, Timer timer, std::optional<std::int64_t> longest_ns) {
  return {.node = self,
          .event = TraceEvent::wait,
          .timer = timer_name(timer),
          .longest_ns = longest_ns};
}

Outputs::Outputs(bool has_reader, bool is_paced) : has_reader_(has_reader), is_paced_(is_paced) {}
Outputs::~Outputs() = default;
Outputs::Outputs(Outputs&& other) noexcept = default;

void Outputs::add_gone(NodeId peer) {
  gone_.push_back(peer);
  found_nobody_ = true;
}

void Outputs::record(Record record) {
  if (has_reader_) queue_.emplace_back(std::make_unique<Record>(std::move(record)));
}

Output* Outputs::take() {
  if (empty()) return nullptr;
  Output* next = &queue_[next_++];
  const bool is_needless =
      std::holds_alternative<Pause>(*next) && std::exchange(found_nobody_, false);
  return is_needless ? take() : next;
}

std::optional<NodeId> Outputs::take_gone() {
  if (gone_.empty()) return std::nullopt;
  const NodeId gone = gone_.front();
  gone_.pop_front();
  return gone;
}

// A peer that turns out to be gone while messages are sent is reported before anything else
// happens; the messages that result may find others gone.
bool Participant::handle_gone(const Peers& peers, Outputs& outputs) {
  const std::optional<NodeId> gone = outputs.take_gone();
  if (gone) handle(PeerGone{*gone}, peers, outputs);
  return gone.has_value();
}

void Participant::handle(const Event& event, const Peers& peers, Outputs& outputs) {
  assert(outputs.empty());
  outputs.queue_.clear();
  outputs.next_ = 0;
  if (!std::holds_alternative<PeerGone>(event)) outputs.found_nobody_ = false;
  const bool tells = outputs.has_reader_;
  Actions& actions = outputs.actions_;
  actions.clear();
  if (tells) {
    step_and_record(event, peers, outputs);
  } else {
    protocol_->handle(event, peers, actions);
  }
  for (auto action = actions.begin(); action != actions.end();) {
    if (std::holds_alternative<Send>(*action)) {
      action = send_run(action, outputs);
      continue;
    }
    // If a process answers and then starts an election, its records show this order.
    if (tells && is_last_change(action, actions.end())) record_change(outputs);
    if (const auto* fired = std::get_if<Fired>(&*action); tells && fired != nullptr) {
      outputs.record(
          {.node = protocol_->id(), .event = TraceEvent::rule, .rule = fired->rule->key});
    }
    if (const auto* start = std::get_if<StartTimer>(&*action)) outputs.queue_.emplace_back(*start);
    if (const auto* stop = std::get_if<StopTimer>(&*action)) outputs.queue_.emplace_back(*stop);
    ++action;
  }
  if (tells) record_change(outputs);

  const WatchTarget now = target();
  if (now == watch_) return;
  watch_ = now;
  outputs.queue_.emplace_back(now);
}

// The protocol's step, and the record of its event, which comes before those of its actions.
//
// Some events most often change nothing: a coordinator finds the same process at each look, say.
// They are recorded only if the protocol acts on them.
void Participant::step_and_record(const Event& event, const Peers& peers, Outputs& outputs) {
  // The record of the lost message shows that a peer is gone.
  if (std::holds_alternative<PeerGone>(event)) {
    return protocol_->handle(event, peers, outputs.actions_);
  }
  Record cause = record_of(event);
  const bool is_silent = cause.event == TraceEvent::step;
  std::vector<std::uint64_t> before;
  std::vector<std::uint64_t> after;
  if (is_silent) protocol_->save(before);
  protocol_->handle(event, peers, outputs.actions_);
  if (is_silent) protocol_->save(after);
  if (is_silent && outputs.actions_.empty() && before == after) return;
  if (std::holds_alternative<PeerFound>(event)) cause.event = TraceEvent::suspect;
  outputs.record(std::move(cause));
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

// All messages from `first` on, up to the next other action, which it returns. They leave together,
// unless each has to wait for its turn.
Actions::iterator Participant::send_run(Actions::iterator first, Outputs& outputs) {
  auto last = first;
  for (; last != outputs.actions_.end() && std::holds_alternative<Send>(*last); ++last) {
    auto& [to, message] = std::get<Send>(*last);
    message.number = ++last_number_;
    if (!outputs.is_paced_ && outputs.has_reader_) outputs.record(sent_message(to, message));
  }
  if (!outputs.is_paced_) outputs.queue_.emplace_back(Flush{});
  for (auto action = first; action != last; ++action) {
    auto& send = std::get<Send>(*action);
    if (outputs.is_paced_) {
      outputs.queue_.emplace_back(Pause{});
      outputs.record(sent_message(send.to, send.message));
      outputs.queue_.emplace_back(Flush{});
    }
    if (is_too_long(send.message)) {
      outputs.record(lost_message(send.to, send.message, Loss::oversize));
    } else {
      outputs.queue_.emplace_back(std::move(send));
    }
  }
  return last;
}

// The event's own record; a `step`, if most often none is needed.
Record Participant::record_of(const Event& event) const {
  const NodeId id = protocol_->id();
  if (const auto* received = std::get_if<Received>(&event)) {
    return receipt_of(received->message, id);
  }
  Record record{.node = id, .event = TraceEvent::step, .coordinator = id};
  const auto* started = std::get_if<Started>(&event);
  if (started != nullptr && started->resumed) {
    record.reason = "resumed";
  } else if (started != nullptr || std::holds_alternative<Preset>(event)) {
    Given given{.variant = protocol_->variant()};
    if (const auto* preset = std::get_if<Preset>(&event)) given.preset = preset->coordinator;
    return {.node = id,
            .event = TraceEvent::start,
            .algorithm = algorithm_,
            .given = given == Given() ? nullptr : std::make_shared<const Given>(given)};
  } else if (const auto* expired = std::get_if<Expired>(&event)) {
    return {.node = id, .event = TraceEvent::timeout, .timer = timer_name(expired->timer)};
  } else if (const auto* suspected = std::get_if<Suspected>(&event)) {
    record.reason = suspicion_name(suspected->reason);
    record.coordinator = suspected->peer;
    // The suspicion may be stale; and only a coordinator can be deposed.
    const bool matters =
        suspected->reason != Suspicion::deposed || protocol_->coordinator() == suspected->peer;
    if (matters && protocol_->watched() == suspected->peer) record.event = TraceEvent::suspect;
  } else if (const auto* found = std::get_if<PeerFound>(&event)) {
    record.reason = "found";
    record.coordinator = found->peer;
  }
  return record;
}

void Participant::record_change(Outputs& outputs) {
  const NodeId id = protocol_->id();
  const Variables variables = protocol_->variables();
  if (protocol_->state_name() != state_ || variables != variables_) {
    state_ = protocol_->state_name();
    variables_ = variables;
    outputs.record(
        {.node = id, .event = TraceEvent::state, .state = state_, .variables = variables});
  }
  if (protocol_->coordinator() == coordinator_) return;
  coordinator_ = protocol_->coordinator();
  if (!coordinator_) return;
  outputs.record({.node = id, .event = TraceEvent::coordinator, .coordinator = coordinator_});
}

}  // namespace bully
