#include "view/diagram_words.h"

#include <algorithm>
#include <array>

#include "view/ps.h"

namespace bully {

namespace {

using Step = Diagram::Step;

const Record* find(const Step& step, TraceEvent event) {
  const auto found = std::find_if(step.records.begin(), step.records.end(),
                                  [=](const Record& record) { return record.event == event; });
  return found == step.records.end() ? nullptr : &*found;
}

bool sends(const Diagram& diagram, const Step& step, MessageType type) {
  return std::any_of(step.sent.begin(), step.sent.end(),
                     [&](std::size_t i) { return diagram.messages[i].type == type; });
}

bool enters(const Step& step, std::string_view state) {
  return step.after.state == state && step.before.state != state;
}

std::string suspicion_words(const Record& record, Language language) {
  if (record.coordinator == record.node) {
    return std::string(text(Text::diagram_deposed_itself, language));
  }
  Text words = Text::diagram_suspects_down;
  if (record.reason == "hung") words = Text::diagram_suspects_hung;
  if (record.reason == "deposed") words = Text::diagram_suspects_deposed;
  return text(words, language, {std::to_string(record.coordinator.value_or(0))});
}

std::string cause_words(const Step& step, Language language) {
  const auto say = [&](Text words) { return std::string(text(words, language)); };
  if (step.crash) return say(Text::diagram_crashed);
  switch (step.records.front().event) {
    case TraceEvent::start:
      return say(step.restart ? Text::diagram_restarts : Text::diagram_starts);
    case TraceEvent::stop:
      return say(Text::diagram_leaves);
    case TraceEvent::timeout:
      return say(step.records.front().timer == "answer" ? Text::diagram_no_answer
                                                        : Text::diagram_no_coordinator);
    case TraceEvent::suspect:
      return suspicion_words(step.records.front(), language);
    case TraceEvent::drop:
      return say(Text::diagram_drops);
    case TraceEvent::send:
    case TraceEvent::receive:
    case TraceEvent::lost:
    case TraceEvent::state:
    case TraceEvent::coordinator:
      break;
  }
  return "";
}

std::string outcome_words(const Step& step, Language language) {
  if (step.crash || step.records.front().event == TraceEvent::stop) return "";
  const Record* state = find(step, TraceEvent::state);
  if (step.after.state == "coordinator" && state != nullptr) {
    return "★ " + state_words("coordinator", language);
  }
  if (find(step, TraceEvent::coordinator) != nullptr && step.after.coordinator) {
    return text(Text::diagram_follows, language, {std::to_string(*step.after.coordinator)});
  }
  return state == nullptr ? "" : state_words(step.after.state, language);
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

Text rule_name(const Diagram& diagram, const Step& step) {
  if (step.crash) return Text::rule_crash;
  const Record& first = step.records.front();
  const bool wins = enters(step, "coordinator");
  switch (first.event) {
    case TraceEvent::receive:
      return rule_of_receipt(diagram, step);
    case TraceEvent::start:
      return wins ? Text::rule_start_highest : Text::rule_start;
    case TraceEvent::suspect:
      if (first.reason == "deposed") return Text::rule_deposed;
      return wins ? Text::rule_suspect_highest : Text::rule_suspect;
    case TraceEvent::timeout:
      if (first.timer == "answer") return Text::rule_no_answer;
      return enters(step, "follower") ? Text::rule_answerer : Text::rule_no_coordinator;
    case TraceEvent::lost:
      if (first.reason != "gone") return Text::rule_lost;
      return wins ? Text::rule_gone_all : Text::rule_gone;
    case TraceEvent::stop:
      return Text::rule_stop;
    case TraceEvent::drop:
      return Text::rule_drop;
    case TraceEvent::send:
      return first.type == MessageType::ping ? Text::rule_ping : Text::rule_goes_on;
    case TraceEvent::state:
    case TraceEvent::coordinator:
      break;
  }
  return Text::rule_goes_on;
}

void append(std::string& sentence, const std::string& part) {
  if (part.empty()) return;
  sentence += (sentence.empty() ? "" : "; ") + part;
}

}  // namespace

std::string name_of(MessageType type, Language language) {
  constexpr std::array names = {Text::ping, Text::ping, Text::election, Text::answer,
                                Text::coordinator};
  return std::string(text(names.at(static_cast<std::size_t>(type)), language));
}

std::string state_words(std::string_view state, Language language) {
  constexpr std::array known = {"down", "follower", "candidate", "waiting", "coordinator"};
  if (std::find(known.begin(), known.end(), state) == known.end()) return std::string(state);
  return std::string(text(state_text(state), language));
}

std::string milliseconds_text(std::int64_t ns) {
  const std::int64_t us = ns / 1000;
  const std::string digits = std::to_string(1000 + us % 1000);
  return std::to_string(us / 1000) + '.' + digits.substr(1);
}

StepWords words_of(const Diagram&, const Step& step, Language language) {
  return {cause_words(step, language), outcome_words(step, language)};
}

std::string sentence_of(const Diagram& diagram, const Diagram::Message& message,
                        Language language) {
  std::string sentence = name_of(message.type, language) + ' ' +
                         std::to_string(diagram.lanes[message.from]) + " → " +
                         std::to_string(diagram.lanes[message.to]);
  if (message.lost) sentence += " (" + std::string(text(Text::diagram_lost, language)) + ')';
  return sentence;
}

std::string sentence_of(const Diagram& diagram, const Step& step, Language language) {
  std::string sentence;
  const StepWords words = words_of(diagram, step, language);
  append(sentence, words.cause);
  if (step.received) {
    const Diagram::Message& message = diagram.messages[*step.received];
    append(sentence,
           text(Text::diagram_receives, language,
                {name_of(message.type, language), std::to_string(diagram.lanes[message.from])}));
  }
  if (step.lost) {
    const Diagram::Message& message = diagram.messages[*step.lost];
    append(sentence,
           text(Text::diagram_loses, language,
                {name_of(message.type, language), std::to_string(diagram.lanes[message.to])}));
  }
  append(sentence, words.outcome);
  for (std::size_t i = 0; i < step.sent.size();) {
    const MessageType type = diagram.messages[step.sent[i]].type;
    std::string to;
    for (; i < step.sent.size() && diagram.messages[step.sent[i]].type == type; ++i) {
      to += (to.empty() ? "" : ", ") +
            std::to_string(diagram.lanes[diagram.messages[step.sent[i]].to]);
    }
    append(sentence, text(Text::diagram_sends, language, {name_of(type, language), to}));
  }
  return std::to_string(diagram.lanes[step.lane]) + ": " + sentence;
}

std::string rule_of(const Diagram& diagram, const Step& step, Language language) {
  return std::string(text(rule_name(diagram, step), language));
}

std::string title_of(const Diagram& diagram, Language language) {
  const std::string processes = std::to_string(diagram.lanes.size());
  const std::string messages = std::to_string(diagram.messages.size());
  if (!diagram.winner) return text(Text::diagram_title_open, language, {processes, messages});
  return text(Text::diagram_title, language,
              {processes, messages, std::to_string(*diagram.winner)});
}

}  // namespace bully
