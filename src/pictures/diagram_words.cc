// diagram_words.cc: the words shared by all formats of a diagram.
#include <algorithm>
#include <set>

#include "pictures/diagram.h"
#include "words/names.h"
#include "words/words.h"

namespace bully {

namespace {

// The step's result: "candidate". May be empty.
std::string outcome_of(const Diagram::Step& step, Language language) {
  if (step.event == TraceEvent::leave) return "";
  const auto has = [&](TraceEvent event) {
    return std::ranges::count(step.records, event, &Record::event) > 0;
  };
  const bool has_state = has(TraceEvent::state);
  if (is_coordinating(step.after.state) && has_state) {
    return "★ " + state_words(step.after.state, language);
  }
  const bool wins = is_coordinating(step.after.state) || step.after.coordinator == step.after.id;
  if (has(TraceEvent::coordinator) && step.observed && wins) {
    return "★ " + std::string(text(Text::state_coordinator, language));
  }
  if (has(TraceEvent::coordinator) && step.after.coordinator) {
    return text(Text::diagram_follows, language, {*step.after.coordinator});
  }
  if (!has_state) return "";
  // A change of a variable changes no state, and has words all the same.
  std::string words;
  if (step.after.state != step.before.state || variable_names(step.after.variables).empty()) {
    words = state_words(step.after.state, language);
  }
  if (step.after.variables != step.before.variables) {
    const std::string values = variables_words(step.after.variables);
    words += (words.empty() || values.empty() ? "" : " ") + values;
  }
  return words;
}

}  // namespace

bool has_unrecorded_crash(const Diagram& diagram) {
  return std::ranges::any_of(diagram.steps,
                             [](const Diagram::Step& step) { return step.records.empty(); });
}

std::vector<MessageType> messages_in(const Diagram& diagram) {
  return messages_of({diagram.algorithm}, [&](MessageType type) {
    const bool sent = std::ranges::count(diagram.messages, type, &Diagram::Message::type) > 0;
    return sent && type.is_of_election();
  });
}

std::vector<std::string_view> states_in(const Diagram& diagram) {
  std::set<std::string_view> found;
  const auto add = [&](const Snapshot& node) {
    if (node.is_alive() && !node.state.empty()) found.insert(node.state);
  };
  std::ranges::for_each(diagram.before, add);
  std::ranges::for_each(diagram.steps, add, &Diagram::Step::after);
  std::vector<std::string_view> states;
  for (const Algorithm& algorithm : algorithms()) {
    for (const StateKind& state : algorithm.states) {
      if (found.erase(state.name) > 0) states.push_back(state.name);
    }
  }
  std::stable_partition(states.begin(), states.end(), std::not_fn(is_coordinating));
  states.insert(states.end(), found.begin(), found.end());
  return states;
}

std::string milliseconds_text(std::int64_t ns, Language language) {
  return decimal(static_cast<double>(ns - ns % 1000) / 1e6, 3, language);
}

std::string cause_of(const Diagram::Step& step, Language language) {
  const auto say = [&](Text words) { return text(words, language, {}); };
  const Record* first = step.records.empty() ? nullptr : &step.records.front();
  switch (step.event) {
    case TraceEvent::crash: return say(Text::diagram_crashed);
    case TraceEvent::start:
      if (step.observed && !step.restart) return say(Text::diagram_appears);
      return say(step.restart ? Text::diagram_restarts : Text::diagram_starts);
    case TraceEvent::leave: return say(Text::log_stop);
    case TraceEvent::pause: return say(Text::log_pause);
    case TraceEvent::resume: return say(Text::log_resume);
    case TraceEvent::timeout:
      // As in the log: the meaning of a timeout depends on the process's state.
      return word_or(word_key("diagram_time_up_", step.before.state),
                     word_key("diagram_time_up_", first->timer), language);
    case TraceEvent::suspect:
      if (first->coordinator == first->node) return say(Text::diagram_deposed_itself);
      return word_or(word_key("diagram_suspects_", first->reason), "diagram_suspects_down",
                     language, {first->coordinator.value_or(0)});
    case TraceEvent::drop: return say(Text::diagram_drops);
    default: return "";
  }
}

std::vector<std::string> words_beside(const Diagram::Step& step, Language language) {
  std::vector<std::string> words = {cause_of(step, language), outcome_of(step, language)};
  std::erase(words, "");
  return words;
}

std::vector<Sending> sendings_of(const Diagram& diagram, const Diagram::Step& step) {
  std::vector<Sending> sendings;
  for (const std::size_t i : step.sent) {
    const Diagram::Message& message = diagram.messages[i];
    const bool goes_on =
        !sendings.empty() && sendings.back().message.type == message.type &&
        sendings.back().message.values.shown(message.type) == message.values.shown(message.type);
    if (!goes_on) sendings.push_back({message, {}});
    sendings.back().to.push_back(std::to_string(diagram.lanes[message.to]));
  }
  return sendings;
}

std::string sentence_of(const Diagram& diagram, const Diagram::Message& message,
                        Language language) {
  return name_of(message.type, message.values, language) +
         (message.values.shown(message.type) ? ", " : " ") +
         std::to_string(diagram.lanes[message.from]) + " → " +
         std::to_string(diagram.lanes[message.to]);
}

std::string sentence_of(const Diagram& diagram, const Diagram::Step& step, Language language) {
  const auto name = [&](const auto& one) { return name_of(one.type, one.values, language); };
  std::vector<std::string> parts = {cause_of(step, language)};
  if (step.ended) {
    const Diagram::Message& message = diagram.messages[*step.ended];
    const bool is_at_sender = step.lane == message.from;
    const Text end = !message.lost  ? Text::diagram_receives
                     : is_at_sender ? Text::diagram_loses
                                    : Text::diagram_refuses;
    parts.push_back(text(end, language,
                         {name(message), diagram.lanes[is_at_sender ? message.to : message.from]}));
  }
  parts.push_back(outcome_of(step, language));
  for (const auto& [message, to] : sendings_of(diagram, step)) {
    parts.push_back(text(Text::diagram_sends, language, {name(message), joined(to, ", ")}));
  }
  std::erase(parts, "");
  return std::to_string(diagram.lanes[step.lane]) + ": " + joined(parts, "; ");
}

std::string rule_of(const Diagram::Step& step, Language language) {
  const auto say = [&](Text words) { return std::string(text(words, language)); };
  if (step.records.empty()) return say(Text::rule_crash) + ' ' + say(Text::rule_crash_found);
  if (step.event == TraceEvent::crash) return say(Text::rule_crash);
  if (step.event == TraceEvent::leave) return say(Text::rule_stop);
  if (step.event == TraceEvent::pause) return say(Text::rule_pause);
  const Record& first = step.records.front();
  if (is_dropped_by_receiver(first)) return say(Text::rule_refused);
  if (first.event == TraceEvent::lost && first.reason != "gone") {
    return word_or(word_key("rule_lost_", first.reason), "rule_lost", language);
  }
  if (step.observed) {
    return say(step.event == TraceEvent::start ? Text::rule_seen : Text::rule_unseen);
  }
  std::vector<std::string> rules;
  for (const Record& record : step.records) {
    if (record.event == TraceEvent::rule) rules.push_back(rule_words(record.rule, language));
  }
  if (!rules.empty()) return joined(rules, " ");
  if (first.event == TraceEvent::start && step.after.coordinator) return say(Text::rule_preset);
  return say(first.event == TraceEvent::receive ? Text::rule_unchanged : Text::rule_goes_on);
}

std::string title_of(const Diagram& diagram, Language language) {
  const bool has_left =
      !diagram.lanes.empty() && std::ranges::none_of(diagram.after, &Snapshot::is_alive);
  const Text title = diagram.winner     ? Text::diagram_title
                     : has_left         ? Text::diagram_title_left
                     : diagram.observed ? Text::diagram_title_unseen
                                        : Text::diagram_title_open;
  const std::string_view name = diagram.algorithm->name;
  const std::string election =
      word_or(word_key("election_", name), "title_of_other_election", language, {name});
  const auto messages = std::ranges::count_if(
      diagram.messages, [&](const Diagram::Message& one) { return diagram.counts(one); });
  return text(
      title, language,
      {election, grouped(diagram.lanes.size(), language),
       grouped(static_cast<std::uint64_t>(messages), language), diagram.winner.value_or(0)});
}

}  // namespace bully
