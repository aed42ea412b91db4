// replica.cc: plays a protocol again, and compares its records with a process's own.
#include "trace/replica.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

namespace bully {

namespace {

Suspicion suspicion_of(const Record& line) {
  const auto* const name = std::ranges::find(suspicion_names, line.reason);
  return name == suspicion_names.end() ? Suspicion::down
                                       : Suspicion(name - suspicion_names.begin());
}

// The event with which a step begins in this line, if one does.
std::optional<Event> event_of(const Record& line) {
  const NodeId peer = line.coordinator.value_or(0);
  switch (line.event) {
    case TraceEvent::start:
      if (!Replica::can_begin(line)) return std::nullopt;
      if (line.given->preset) return Preset{*line.given->preset};
      return Started{.incarnation = *line.given->incarnation};
    case TraceEvent::receive: return Received{line.message()};
    case TraceEvent::timeout:
      return Expired{line.timer == timer_name(Timer::answer) ? Timer::answer : Timer::coordinator};
    case TraceEvent::step:
      if (line.reason == "resumed") return Started{.resumed = true};
      if (line.reason == "gone") return std::nullopt;
      [[fallthrough]];
    case TraceEvent::suspect:
      if (line.reason == "found") return PeerFound{peer};
      return Suspected{peer, suspicion_of(line)};
    default: return std::nullopt;
  }
}

std::unique_ptr<Protocol> protocol_of(const Record& start) {
  const Algorithm& algorithm = algorithm_named(start.algorithm);
  const Variant* variant = algorithm.find_variant(start.given->variant);
  return variant == nullptr ? algorithm.make(start.node) : variant->make(start.node);
}

}  // namespace

Replica::Replica(const Record& start)
    : waits_(environment_of(start).waits),
      outputs_(true, waits_.pace_ns > 0),
      participant_(protocol_of(start), algorithm_named(start.algorithm).signed_name()) {}

bool Replica::can_begin(const Record& start) {
  if (start.event != TraceEvent::start || start.given == nullptr) return false;
  const std::optional<NodeId> preset = start.given->preset;
  if (!preset) return start.given->incarnation.has_value();
  return !algorithm_named(start.algorithm).prefers(start.node, *preset);
}

std::optional<Difference> Replica::take(const Record& line) {
  // Only in slow motion does a process leave in the middle of a step.
  if (line.event == TraceEvent::leave && waits_.pace_ns == 0 && due() != nullptr)
    return compare(line);
  if (!is_of_step(line) || line.event == TraceEvent::wait) {
    if (line.event == TraceEvent::lost && line.reason == "gone") outputs_.add_gone(line.to);
    return std::nullopt;
  }
  if (due() != nullptr) return compare(line);
  const std::optional<Event> event = event_of(line);
  // Peers that are gone come first. If such a step shows nothing, none of its lines is here.
  while (handle_gone(event ? Record() : line)) {
    if (due() != nullptr) return compare(line);
  }
  if (!event || !is_due(*event)) return Difference{{}, rule_};
  begin_step(line, *event);
  return due() == nullptr ? Difference{} : compare(line);
}

bool Replica::begins_step(const Record& line) {
  const bool is_gone = line.event == TraceEvent::lost && line.reason == "gone";
  return event_of(line).has_value() || (is_gone && !is_about_ping(line));
}

// A protocol relies on it that only a running timer expires.
bool Replica::is_due(const Event& event) {
  const auto* expired = std::get_if<Expired>(&event);
  if (expired == nullptr) return true;
  auto& timer = running_.at(static_cast<std::size_t>(expired->timer));
  return std::exchange(timer, std::nullopt).has_value();
}

bool Replica::is_early(const Record& line) const {
  if (line.event != TraceEvent::timeout || waits_.detector == "off") return false;
  const std::optional<Event> event = event_of(line);
  const auto& timer = running_.at(static_cast<std::size_t>(std::get<Expired>(*event).timer));
  return timer && line.t_ns - timer->since_ns < timer->shortest_ns;
}

std::int64_t Replica::longest_wait_ns() {
  due();  // the step's timers may follow its last line
  std::int64_t longest_ns = 0;
  for (const auto& timer : running_) {
    if (timer) longest_ns = std::max(longest_ns, timer->longest_ns);
  }
  return longest_ns;
}

void Replica::begin_step(const Record& line, const Event& event) {
  if (line.given != nullptr) peers_.take(*line.given);
  rule_ = nullptr;
  step_ns_ = line.t_ns;
  participant_.handle(event, peers_, outputs_);
}

// The step with PeerGone for the next peer that is gone, which begins in this line.
bool Replica::handle_gone(const Record& line) {
  const std::optional<NodeId> gone = outputs_.take_gone();
  if (gone) begin_step(line, PeerGone{*gone});
  return gone.has_value();
}

const Record* Replica::due() {
  while (due_ == nullptr) {
    Output* next = outputs_.take();
    if (next == nullptr) return nullptr;
    if (auto* made = std::get_if<std::unique_ptr<Record>>(next)) due_ = std::move(*made);
    if (const auto* start = std::get_if<StartTimer>(next)) {
      const auto [shortest_ns, longest_ns] =
          wait_range(*start, waits_.answer_timeout_ns, waits_.coordinator_timeout_ns);
      running_.at(static_cast<std::size_t>(start->timer)) = {step_ns_, shortest_ns, longest_ns};
    }
    if (const auto* stop = std::get_if<StopTimer>(next)) {
      running_.at(static_cast<std::size_t>(stop->timer)).reset();
    }
  }
  return due_.get();
}

std::optional<Difference> Replica::compare(const Record& line) {
  const std::unique_ptr<Record> due = std::move(due_);
  if (due->event == TraceEvent::rule) rule_ = find_rule(due->rule);
  if (is_equal(line, *due)) return std::nullopt;
  return Difference{*due, rule_};
}

// All that the process itself decides about. A new life may count its messages on.
bool Replica::is_equal(const Record& line, const Record& due) {
  if (is_about_message(due) && line.number && due.number && due.event != TraceEvent::receive) {
    if (!sent_before_) sent_before_ = *line.number - *due.number;
    if (*line.number - *due.number != *sent_before_) return false;
  }
  const auto what = [](const Record& record) {
    return std::tie(record.event, record.from, record.to, record.values, record.reason,
                    record.timer, record.state, record.variables, record.algorithm, record.rule,
                    record.coordinator);
  };
  return line.type == due.type && what(line) == what(due);
}

}  // namespace bully
