#include "view/diagram_rules.h"

#include <algorithm>
#include <array>
#include <optional>

#include "view/looks.h"

namespace bully {

namespace {

bool enters(const Step& step, std::string_view state) {
  return step.after.state == state && step.before.state != state;
}

Text rule_of_receipt(const Diagram& diagram, const Step& step) {
  const Diagram::Message& message = diagram.messages[*step.received];
  switch (message.type) {
    case MessageType::election:
      if (enters(step, "candidate") || enters(step, "coordinator")) {
        return Text::rule_election_begins;
      }
      if (!sends(diagram, step, MessageType::answer)) return Text::rule_unchanged;
      if (step.before.state == "coordinator") return Text::rule_election_coordinator;
      if (step.before.state == "follower") return Text::rule_election_over;
      return Text::rule_election_held;
    case MessageType::answer:
      return enters(step, "waiting") ? Text::rule_answer : Text::rule_answer_more;
    case MessageType::coordinator:
      if (step.before.coordinator == diagram.lanes[message.from]) return Text::rule_follows_already;
      return message.from < step.lane ? Text::rule_lower_coordinator : Text::rule_coordinator;
    case MessageType::ping:
    case MessageType::status:
    case MessageType::value:
    case MessageType::second:
    case MessageType::leader:
    case MessageType::join:
      break;
  }
  return Text::rule_ping;
}

// The rules of an election in which each may ask each.
std::vector<Text> asking_rules(const Diagram& diagram, const Step& step) {
  const Record& first = step.records.front();
  const bool wins = enters(step, "coordinator");
  switch (first.event) {
    case TraceEvent::receive:
      return {rule_of_receipt(diagram, step)};
    case TraceEvent::start:
      return {wins ? Text::rule_start_highest : Text::rule_start};
    case TraceEvent::suspect:
      if (first.reason == "deposed") return {Text::rule_deposed};
      if (step.before.state == "waiting") return {Text::rule_answerer_gone};
      return {wins ? Text::rule_suspect_highest : Text::rule_suspect};
    case TraceEvent::timeout:
      if (first.timer == "answer") return {Text::rule_no_answer};
      return {enters(step, "follower") ? Text::rule_answerer : Text::rule_no_coordinator};
    case TraceEvent::lost:
      return {wins ? Text::rule_gone_all : Text::rule_gone};
    default:
      return {Text::rule_goes_on};
  }
}

// What is the same in every election.
std::optional<Text> common_rule(const Step& step) {
  if (step.crash) return Text::rule_crash;
  const Record& first = step.records.front();
  if (is_about_ping(first)) return Text::rule_ping;
  if (first.event == TraceEvent::stop) return Text::rule_stop;
  if (first.event == TraceEvent::drop) return Text::rule_drop;
  if (first.event == TraceEvent::lost && first.reason != "gone") return Text::rule_lost;
  return std::nullopt;
}

using Rules = std::vector<Text> (*)(const Diagram&, const Step&);
constexpr std::array<Rules, 2> rules_on_ring_or_not = {asking_rules, ring_rules};

}  // namespace

bool sends(const Diagram& diagram, const Step& step, MessageType type) {
  return std::any_of(step.sent.begin(), step.sent.end(),
                     [&](std::size_t i) { return diagram.messages[i].type == type; });
}

std::string rule_of(const Diagram& diagram, const Step& step, Language language) {
  if (const std::optional<Text> common = common_rule(step)) {
    return std::string(text(*common, language));
  }
  std::string shown;
  for (const Text rule :
       rules_on_ring_or_not.at(diagram.algorithm->is_ring ? 1 : 0)(diagram, step)) {
    shown.append(shown.empty() ? "" : " ").append(text(rule, language));
  }
  return shown;
}

}  // namespace bully
