// The sentences of [DKR82] and [CR79], and of ring_member.h where these say nothing.

#include <algorithm>

#include "view/diagram_rules.h"
#include "view/looks.h"

namespace bully {

namespace {

bool enters_an_election(const Step& step) {
  return std::any_of(step.records.begin(), step.records.end(), [](const Record& record) {
    return record.event == TraceEvent::state && look_of_state(record.state).holds_election;
  });
}

// Whether the process begins a newer election in this step than any that it has spoken in.
bool begins_newer(const Step& step) {
  return step.after.epoch && (!step.before.epoch || *step.after.epoch > *step.before.epoch);
}

// [DKR82] speaks of d, e and f; of an algorithm without them, others.
Text begin_rule(const Step& step) {
  return has_variables(step.after.variables) ? Text::rule_ring_begin : Text::rule_plain_begin;
}

// What an active process does about a number, by what the trace shows of it.
Text number_rule(const Diagram& diagram, const Step& step) {
  const bool was_relay = step.before.state == "relay";
  if (!has_variables(step.after.variables)) {
    if (sends(diagram, step, MessageType::leader)) return Text::rule_plain_leader;
    const std::uint64_t number = diagram.messages[*step.received].subject.value_or(0);
    const bool is_higher = number > diagram.lanes[step.lane];
    return is_higher ? Text::rule_plain_passes : Text::rule_plain_stops;
  }
  if (was_relay && !begins_newer(step)) return Text::rule_ring_relays;
  if (sends(diagram, step, MessageType::leader)) return Text::rule_ring_leader;
  if (step.after.state == "relay") return Text::rule_ring_gives_way;
  if (sends(diagram, step, MessageType::second)) return Text::rule_ring_passes;
  return Text::rule_ring_takes_over;
}

std::vector<Text> rules_of_number(const Diagram& diagram, const Step& step) {
  const Diagram::Message& message = diagram.messages[*step.received];
  if (begins_newer(step)) {
    if (step.after.epoch != message.epoch) return {Text::rule_ring_void, begin_rule(step)};
    return {Text::rule_ring_newer, begin_rule(step), number_rule(diagram, step)};
  }
  if (message.epoch < step.before.epoch) return {Text::rule_ring_stale};
  const bool takes_part =
      look_of_state(step.before.state).holds_election && step.before.state != "joining";
  if (!takes_part) return {Text::rule_ring_apart};
  return {number_rule(diagram, step)};
}

std::vector<Text> rules_of_leader(const Diagram& diagram, const Step& step) {
  const Diagram::Message& message = diagram.messages[*step.received];
  if (begins_newer(step)) {
    const bool is_low = message.subject && *message.subject < diagram.lanes[step.lane];
    return {is_low ? Text::rule_ring_low_leader : Text::rule_ring_void, begin_rule(step)};
  }
  if (sends(diagram, step, MessageType::leader)) return {Text::rule_ring_lap};
  if (message.epoch < step.before.epoch) return {Text::rule_ring_stale};
  const bool knows = message.subject && step.before.coordinator == *message.subject;
  return {knows ? Text::rule_ring_lap_ends : Text::rule_ring_apart};
}

std::vector<Text> rules_of_receipt(const Diagram& diagram, const Step& step) {
  const MessageType type = diagram.messages[*step.received].type;
  if (type == MessageType::join) return {Text::rule_ring_asked, begin_rule(step)};
  if (look_of(type).announces) return rules_of_leader(diagram, step);
  return rules_of_number(diagram, step);
}

}  // namespace

std::vector<Text> ring_rules(const Diagram& diagram, const Step& step) {
  const Record& first = step.records.front();
  const bool was_electing = look_of_state(step.before.state).holds_election;
  if (first.event == TraceEvent::receive) return rules_of_receipt(diagram, step);
  const bool electing = was_electing || enters_an_election(step);
  if (electing && step.after.state == "coordinator") return {Text::rule_ring_alone};
  switch (first.event) {
    case TraceEvent::start:
      return {electing ? Text::rule_ring_start : Text::rule_follows_already};
    case TraceEvent::suspect:
      if (first.reason == "deposed") return {Text::rule_ring_deposed};
      if (was_electing) return {Text::rule_ring_passed_over};
      return {Text::rule_ring_suspect, begin_rule(step)};
    case TraceEvent::lost:
      return {step.sent.empty() ? Text::rule_gone : Text::rule_ring_passed_over};
    case TraceEvent::timeout:
      return {Text::rule_ring_no_end};
    case TraceEvent::state:
      if (step.after.state == "joining") return {Text::rule_ring_start};
      break;
    default:
      break;
  }
  return {Text::rule_goes_on};
}

}  // namespace bully
