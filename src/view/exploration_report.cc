// exploration_report.cc: the question, the verdict, the counterexample, and the tests of each
// property.
#include "view/exploration_report.h"

#include <algorithm>

#include "base/layout.h"
#include "base/list.h"
#include "words/names.h"

namespace bully {

std::string question_text(const ExploreOptions& options, Language language) {
  const bool synchronous = options.timing == Timing::synchronous;
  std::string asked = text(Text::verify_asked_processes, language, {options.nodes});
  const auto also = [&](bool said, Text words, Values values = {}) {
    if (said) asked += ", " + text(words, language, values);
  };
  also(true, Text::verify_asked_crashes, {options.crashes});
  also(true, Text::verify_asked_restarts, {options.restarts});
  also(true, synchronous ? Text::verify_synchronous : Text::verify_asynchronous);
  also(!synchronous, Text::verify_asked_alarms, {options.false_alarms});
  also(options.partitions > 0, Text::verify_partitions, {options.partitions});
  also(options.beginning == Beginning::starting, Text::verify_starting);
  also(options.beginning == Beginning::leaderless, Text::verify_leaderless);
  also(options.delivery == Delivery::any_order && options.algorithm->is_fifo,
       Text::verify_any_order);
  also(options.delivery == Delivery::pair_order, Text::verify_pair_order);
  also(options.delivery == Delivery::arrival_order, Text::verify_arrival_order);
  also(!options.arrangement.empty(), Text::verify_arrangement, {joined(options.arrangement, ",")});
  if (options.only != nullptr) also(true, Text::verify_only, {options.only->key});
  if (options.algorithm == &default_algorithm()) return asked;
  return std::string(options.algorithm->name) + ": " + asked;
}

std::string step_text(const Step& step, Language language, const std::string& cause) {
  std::string shown = cause;
  const auto say = [&](Text words, Values values) { shown += text(words, language, values); };
  if (step.verb == Verb::deliver) {
    const MessageFilter& message = step.filter;
    say(Text::verify_deliver,
        {name_of(*message.type, *message.values, language), *message.from, *message.to});
  }
  if (step.verb == Verb::expire && cause.empty()) {
    const bool answer = step.timer == Timer::answer;
    say(answer ? Text::verify_answer_expires : Text::verify_coordinator_expires, {step.id()});
  }
  if (step.verb == Verb::suspect) {
    const bool itself = step.whom == step.id();
    const std::string reason =
        word_key(itself ? "log_itself_" : "log_suspects_", suspicion_name(step.reason));
    say(Text::verify_suspects, {step.id(), word(reason, language, {*step.whom})});
  }
  if (step.verb == Verb::check) say(Text::verify_finds, {step.id(), *step.whom});
  if (step.verb == Verb::restart) say(Text::verify_starts, {step.id()});
  if (step.verb == Verb::crash) say(Text::verify_crashes, {step.id()});
  if (step.verb == Verb::partition) {
    say(Text::verify_parts, {joined(step.ids, ", "), joined(step.others, ", ")});
  }
  if (step.verb == Verb::heal) say(Text::verify_heals, {});
  if (step.false_alarm) shown.append(" ").append(text(Text::verify_false_alarm, language));
  if (step.crash_after) say(Text::verify_crash_after, {*step.crash_after});
  return shown;
}

std::string violation_words(const Property& property, Language language) {
  return word(word_key("verify_", property.key), language);
}

std::optional<Breach> breach_of(const Step& step) {
  using enum Assumption;
  if (step.false_alarm) {
    const bool is_suspicion = step.verb == Verb::suspect;
    const bool is_of_live = is_suspicion && step.reason == Suspicion::hung;
    return Breach{{synchronous},
                  is_of_live ? Text::verify_breaks_suspicion : Text::verify_breaks_timeout,
                  is_suspicion ? Text::orders_breaks_suspicion : Text::orders_breaks_timeout};
  }
  if (step.verb == Verb::restart) {
    return Breach{{nobody_joins}, Text::verify_breaks_joins, Text::orders_breaks_joins};
  }
  if (step.verb == Verb::partition) {
    return Breach{{synchronous, no_loss}, Text::verify_breaks_network, Text::orders_breaks_network};
  }
  return std::nullopt;
}

namespace {

constexpr std::size_t fact_columns = 14;

// What a property promises: "each election ends".
std::string promise(const Property& property, Language language) {
  return word(word_key("check_", property.key), language);
}

// The words for the assumption of the violated property that step `i` breaks, if any.
std::optional<Text> breach(const Counterexample& violation, std::size_t i) {
  const Step& step = violation.steps[i];
  const std::optional<Breach> broken = breach_of(step);
  // The first process to start joins no running ones.
  if (!broken || (step.verb == Verb::restart && i == 0)) return std::nullopt;
  const bool matters = std::ranges::any_of(
      broken->assumptions, [&](Assumption each) { return violation.property->assumes.has(each); });
  return matters ? std::optional(broken->words) : std::nullopt;
}

// The reasons why this run does not promise the violated property: a line for each step that breaks
// any of its assumptions; empty if no step does.
std::string conclusion(const Counterexample& violation, Language language) {
  std::string shown;
  for (std::size_t i = 0; i < violation.steps.size(); ++i) {
    const std::optional<Text> broken = breach(violation, i);
    if (broken) shown += beside("  ", text(*broken, language, {i + 1}));
  }
  if (shown.empty()) return shown;
  return text(Text::verify_breaks, language, {violation.property->key}) + '\n' + shown;
}

// The violation; and if the run breaks no assumption, the statement that all of them held.
std::string violation_in_run(const ExploreOptions& options, const Counterexample& violation,
                             Language language) {
  std::string violated = violation_words(*violation.property, language);
  const bool is_overtaken = options.algorithm->is_fifo && options.delivery == Delivery::any_order;
  if (is_overtaken) return text(Text::verify_overtaken, language, {violated});
  std::vector<std::string> held;
  for (const Assumption each : assumptions) {
    // The explorer never stops a process.
    if (each == Assumption::nobody_stopped || !violation.property->assumes.has(each)) continue;
    held.emplace_back(word(word_key("verify_assumed_", assumption_name(each)), language));
  }
  if (held.empty() || !conclusion(violation, language).empty()) return violated;
  return text(Text::verify_assumed, language, {violated, joined(held, ", ")});
}

std::string verdict(const ExploreOptions& options, const ExploreResult& result, Language language) {
  if (result.verdict == Verdict::holds) {
    const Text words = result.has_tested() ? Text::verify_holds : Text::verify_tested_nothing;
    return std::string(text(words, language));
  }
  if (result.verdict == Verdict::unfinished) {
    const std::string why = word_key("verify_bound_", result.bound);
    return text(Text::verify_unfinished, language, {word(why, language)});
  }
  return text(
      Text::verify_violated, language,
      {result.violation->property->key, violation_in_run(options, *result.violation, language)});
}

// The kind of test of a property: "a process became coordinator".
std::string trial(const ExploreOptions& options, const Property& property, Language language) {
  const bool is_of_ends = property.moment == Property::Moment::in_the_end;
  const std::string_view otherwise = is_of_ends ? "verify_when_end" : "verify_when_state";
  std::string words = word_or(word_key("verify_when_", property.key), otherwise, language);
  const bool is_limited = options.only == nullptr && options.restarts > 0 &&
                          property.assumes.has(Assumption::nobody_joins);
  return is_limited ? text(Text::verify_before_joining, language, {words}) : words;
}

// The widest key, so that all words begin in one column.
template <class Keyed>
std::size_t columns_of(const std::vector<const Keyed*>& all) {
  std::size_t columns = 0;
  for (const Keyed* each : all) columns = std::max(columns, each->key.size());
  return columns;
}

// The number of tests of each property, and the properties that are not judged at all.
std::string tests(const ExploreOptions& options, const ExploreResult& result, Language language) {
  std::vector<const Property*> properties;
  std::size_t digits = 0;
  for (const auto& [property, times] : result.tested) {
    properties.push_back(property);
    digits = std::max(digits, grouped(times, language).size());
  }
  const std::size_t columns = columns_of(properties);
  std::string shown = std::string(text(Text::verify_tests, language)) + '\n';
  for (const auto& [property, times] : result.tested) {
    const std::string sign = times > 0 ? "  ✓ " : "  – ";
    shown += beside(sign + padded(property->key, columns) + "  ", promise(*property, language));
    const std::string when = trial(options, *property, language);
    const std::string indent(columns + 6, ' ');
    const std::string count = right_aligned(grouped(times, language), digits) + " × ";
    shown += times > 0 ? beside(indent + count, when)
                       : beside(indent, text(Text::verify_untested, language, {when}));
  }
  if (result.not_judged.empty() || options.only != nullptr) return shown;
  shown += beside("  ", text(Text::verify_not_judged, language));
  for (const Property* each : result.not_judged) {
    shown += beside("    " + padded(each->key, columns) + "  ", promise(*each, language));
  }
  return shown;
}

std::string rules(const ExploreOptions& options, const ExploreResult& result, Language language) {
  const std::vector<const Rule*>& all = options.algorithm->rules;
  if (all.empty()) return {};
  std::vector<const Rule*> idle = all;
  std::erase_if(idle, [&](const Rule* rule) { return std::ranges::count(result.fired, rule) > 0; });
  const Values counts = {result.fired.size(), all.size()};
  std::string shown = text(Text::verify_rules, language, counts) + '\n';
  if (idle.empty()) return shown;
  shown += std::string(text(Text::verify_idle_rules, language)) + '\n';
  for (const Rule* rule : idle) {
    shown +=
        beside("  " + padded(rule->key, columns_of(idle)) + "  ", rule_words(rule->key, language));
  }
  return shown;
}

// How a failure detector made up for rules from outside.
std::string relied_on(const ExploreResult& result, Language language) {
  std::string shown;
  if (result.repaired > 0) {
    const Values counts = {grouped(result.repaired, language), grouped(result.states, language)};
    shown += '\n' + beside("", text(Text::verify_relied, language, counts));
  }
  for (const auto& [state, type] : result.ignored) {
    if (type->role != Role::asks) continue;  // an answer may come too late, say
    const Values what = {state_words(state, language), name_of(type, language)};
    shown += '\n' + beside("", text(Text::verify_ignored, language, what));
  }
  return shown;
}

std::string numbered(const std::vector<Step>& steps, std::size_t first, Language language) {
  std::string shown;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    shown += beside("  " + std::to_string(first + i) + ". ", step_text(steps[i], language));
  }
  return shown;
}

}  // namespace

std::string explore_report(const ExploreOptions& options, const ExploreResult& result,
                           std::chrono::nanoseconds elapsed, Language language) {
  const auto number = [language](std::uint64_t value) { return grouped(value, language); };
  const double seconds = std::chrono::duration<double>(elapsed).count();
  const auto rate = static_cast<double>(result.states) / (seconds > 0 ? seconds : 1);
  const auto for_each = [&](std::uint64_t bytes) {
    const std::uint64_t states = std::max<std::uint64_t>(1, result.states);
    return decimal(static_cast<double>(bytes) / static_cast<double>(states), 1, language);
  };
  std::string shown = rewrapped(question_text(options, language)) + '\n';
  const auto row = [&](Text name, const std::string& value) {
    shown += beside("  " + padded(text(name, language), fact_columns), value);
  };
  row(Text::verify_states, number(result.states));
  row(Text::verify_transitions, number(result.transitions));
  row(Text::verify_quiescent, number(result.quiescent));
  row(Text::verify_depth, number(result.depth));
  row(Text::verify_rate,
      text(Text::verify_rate_value, language, {number(static_cast<std::uint64_t>(rate))}));
  row(Text::verify_memory, text(Text::verify_memory_value, language,
                                {number((result.state_bytes + result.index_bytes) / 1024),
                                 for_each(result.state_bytes), for_each(result.index_bytes)}));
  if (options.only == nullptr) {
    for (const Property* open : result.not_promised) {
      row(Text::verify_not_promised, std::string(open->key) + " – " + promise(*open, language));
    }
  }
  row(Text::verify_verdict, verdict(options, result, language));
  if (result.verdict == Verdict::holds) {
    shown += '\n' + tests(options, result, language) + '\n' + rules(options, result, language);
    if (!options.algorithm->signature.empty()) shown += relied_on(result, language);
  }
  if (!result.violation) return shown;
  const std::vector<Step>& steps = result.violation->steps;
  const std::vector<Step>& cycle = result.violation->cycle;
  shown.append(text(Text::verify_counterexample, language)).append("\n");
  shown += numbered(steps, 1, language);
  if (cycle.empty()) return shown + conclusion(*result.violation, language);
  shown.append("  ").append(text(Text::verify_again, language)).append("\n");
  return shown + numbered(cycle, steps.size() + 1, language);
}

std::string explore_brief(const ExploreOptions& options, const ExploreResult& result,
                          std::chrono::nanoseconds elapsed, Language language) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  std::string shown = text(Text::verify_brief, language,
                           {question_text(options, language), verdict(options, result, language),
                            grouped(result.states, language), seconds});
  std::vector<std::string> untested;
  for (const auto& [property, times] : result.tested) {
    if (times == 0) untested.emplace_back(property->key);
  }
  if (result.verdict == Verdict::holds && !untested.empty()) {
    shown += text(Text::verify_brief_untested, language, {joined(untested, ", ")});
  }
  const std::size_t rules = options.algorithm->rules.size();
  if (result.verdict == Verdict::holds && rules > 0) {
    shown += text(Text::verify_brief_rules, language, {result.fired.size(), rules});
  }
  return shown + '\n';
}

}  // namespace bully
