#include "view/diagram_words.h"

#include <algorithm>

#include "view/looks.h"

namespace bully {

namespace {

using Step = Diagram::Step;

const Record* find(const Step& step, TraceEvent event) {
  const auto found = std::find_if(step.records.begin(), step.records.end(),
                                  [=](const Record& record) { return record.event == event; });
  return found == step.records.end() ? nullptr : &*found;
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

// As in the log: what was waited for in vain depends on where the process stood.
std::string timeout_words(const Step& step, Language language) {
  Text words = step.records.front().timer == "answer" ? Text::diagram_no_answer
                                                      : Text::diagram_no_coordinator;
  if (look_of_state(step.before.state).time_is_up == Text::log_no_end_in_time) {
    words = Text::diagram_no_end;
  }
  return std::string(text(words, language));
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
      return timeout_words(step, language);
    case TraceEvent::suspect:
      return suspicion_words(step.records.front(), language);
    case TraceEvent::drop:
      return say(Text::diagram_drops);
    case TraceEvent::send:
    case TraceEvent::receive:
    case TraceEvent::lost:
    case TraceEvent::state:
    case TraceEvent::coordinator:
    case TraceEvent::crash:
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
  if (state == nullptr) return "";
  // A change of a variable changes no state, and is told all the same.
  std::string words;
  if (step.after.state != step.before.state || !has_variables(step.after.variables)) {
    words = state_words(step.after.state, language);
  }
  if (step.after.variables != step.before.variables) {
    words += (words.empty() ? "" : " ") + variables_words(step.after.variables);
  }
  return words;
}

std::string message_words(const Diagram& diagram, std::size_t i, Language language) {
  return name_of(diagram.messages[i].type, diagram.messages[i].subject, language);
}

void append(std::string& sentence, const std::string& part) {
  if (part.empty()) return;
  sentence += (sentence.empty() ? "" : "; ") + part;
}

}  // namespace

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
  const bool numbered = look_of(message.type).carries_number;
  std::string sentence = name_of(message.type, message.subject, language) +
                         (numbered ? ", " : " ") + std::to_string(diagram.lanes[message.from]) +
                         " → " + std::to_string(diagram.lanes[message.to]);
  if (message.lost) sentence += " (" + std::string(text(Text::diagram_lost, language)) + ')';
  return sentence;
}

std::string sentence_of(const Diagram& diagram, const Step& step, Language language) {
  std::string sentence;
  const StepWords words = words_of(diagram, step, language);
  append(sentence, words.cause);
  if (step.received) {
    const Diagram::Message& message = diagram.messages[*step.received];
    append(sentence, text(Text::diagram_receives, language,
                          {name_of(message.type, message.subject, language),
                           std::to_string(diagram.lanes[message.from])}));
  }
  if (step.lost) {
    const Diagram::Message& message = diagram.messages[*step.lost];
    append(sentence, text(Text::diagram_loses, language,
                          {name_of(message.type, message.subject, language),
                           std::to_string(diagram.lanes[message.to])}));
  }
  append(sentence, words.outcome);
  for (std::size_t i = 0; i < step.sent.size();) {
    const std::string name = message_words(diagram, step.sent[i], language);
    std::string to;
    for (; i < step.sent.size() && message_words(diagram, step.sent[i], language) == name; ++i) {
      to += (to.empty() ? "" : ", ") +
            std::to_string(diagram.lanes[diagram.messages[step.sent[i]].to]);
    }
    append(sentence, text(Text::diagram_sends, language, {name, to}));
  }
  return std::to_string(diagram.lanes[step.lane]) + ": " + sentence;
}

std::string title_of(const Diagram& diagram, Language language) {
  const std::string processes = std::to_string(diagram.lanes.size());
  const std::string messages = std::to_string(diagram.messages.size());
  const std::string election = election_words(diagram.algorithm->name, language);
  if (!diagram.winner) {
    return text(Text::diagram_title_open, language, {election, processes, messages});
  }
  return text(Text::diagram_title, language,
              {election, processes, messages, std::to_string(*diagram.winner)});
}

}  // namespace bully
