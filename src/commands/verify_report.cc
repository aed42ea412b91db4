#include "commands/verify_report.h"

#include <array>

#include "view/looks.h"

namespace bully {

namespace {

constexpr std::size_t name_columns = 14;

// 1234567 as "1,234,567", or as "1.234.567" in Portuguese.
std::string grouped(std::uint64_t number, Language language) {
  const char separator = language == Language::english ? ',' : '.';
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, separator);
  }
  return text;
}

std::string row(Text name, const std::string& value, Language language) {
  return "  " + padded(text(name, language), name_columns) + value + '\n';
}

std::string question(const ExploreOptions& options, Language language) {
  const bool synchronous = options.timing == Timing::synchronous;
  std::string asked =
      text(synchronous ? Text::verify_synchronous : Text::verify_asynchronous, language,
           {std::to_string(options.nodes), std::to_string(options.crashes),
            std::to_string(options.restarts), std::to_string(options.false_alarms)});
  const auto also = [&](bool said, Text words) {
    if (said) asked.append(", ").append(text(words, language));
  };
  also(options.beginning == Beginning::starting, Text::verify_starting);
  also(options.beginning == Beginning::leaderless, Text::verify_leaderless);
  also(options.delivery == Delivery::any_order && options.algorithm->is_ring,
       Text::verify_any_order);
  also(options.delivery == Delivery::pair_order, Text::verify_pair_order);
  also(options.delivery == Delivery::arrival_order, Text::verify_arrival_order);
  if (!options.arrangement.empty()) {
    std::string ring;
    for (const NodeId id : options.arrangement) {
      ring += (ring.empty() ? "" : ",") + std::to_string(id);
    }
    asked += ", " + text(Text::verify_arrangement, language, {ring});
  }
  if (options.algorithm == &default_algorithm()) return asked;
  return std::string(options.algorithm->name) + ": " + asked;
}

std::string verdict(const ExploreResult& result, Language language) {
  if (result.verdict == Verdict::holds) return std::string(text(Text::verify_holds, language));
  if (result.verdict == Verdict::unfinished) {
    const Text why = result.bound == "states"      ? Text::verify_bound_states
                     : result.bound == "in-flight" ? Text::verify_bound_in_flight
                     : result.bound == "numbers"   ? Text::verify_bound_numbers
                                                   : Text::verify_interrupted;
    return text(Text::verify_unfinished, language, {result.bound, text(why, language)});
  }
  constexpr std::array<Text, property_count> names = {
      Text::verify_agreement,   Text::verify_never_lower,     Text::verify_reachable,
      Text::verify_progress,    Text::verify_one_coordinator, Text::verify_message_count,
      Text::verify_highest_wins};
  const Property property = result.violation->property;
  return text(
      Text::verify_violated, language,
      {property_name(property), text(names.at(static_cast<std::size_t>(property)), language)});
}

std::string numbered(const std::vector<ExploreStep>& steps, std::size_t first, Language language) {
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string step = explore_step_text(steps[i], language);
    text += "  " + std::to_string(first + i) + ". " + step + '\n';
  }
  return text;
}

std::string suspicion_text(const ExploreStep& step, Language language) {
  const bool itself = step.coordinator == step.node;
  const Text reason = step.reason == Suspicion::down   ? Text::log_suspects_down
                      : step.reason == Suspicion::hung ? Text::log_suspects_hung
                      : itself                         ? Text::log_itself_deposed
                                                       : Text::log_suspects_deposed;
  return text(
      Text::verify_suspects, language,
      {std::to_string(step.node), text(reason, language, {std::to_string(step.coordinator)})});
}

std::string event_text(const ExploreStep& step, Language language) {
  const std::string node = std::to_string(step.node);
  switch (step.kind) {
    case StepKind::deliver:
      return text(Text::verify_deliver, language,
                  {name_of(step.message.type, step.message.subject, language),
                   std::to_string(step.message.from), node});
    case StepKind::expire:
      return text(step.timer == Timer::answer ? Text::verify_answer_expires
                                              : Text::verify_coordinator_expires,
                  language, {node});
    case StepKind::suspect:
      return suspicion_text(step, language);
    case StepKind::start:
      return text(Text::verify_starts, language, {node});
    case StepKind::crash:
      return text(Text::verify_crashes, language, {node});
  }
  return {};
}

}  // namespace

std::string explore_step_text(const ExploreStep& step, Language language) {
  std::string shown = event_text(step, language);
  if (step.false_alarm) shown.append(" ").append(text(Text::verify_false_alarm, language));
  if (step.crash_after_sends) {
    const std::string sends = std::to_string(*step.crash_after_sends);
    shown += text(Text::verify_crash_after, language, {sends});
  }
  return shown;
}

std::string explore_steps_text(const Violation& violation, Language language) {
  std::string shown = numbered(violation.steps, 1, language);
  if (violation.cycle.empty()) return shown;
  shown.append("  ").append(text(Text::verify_again, language)).append("\n");
  return shown + numbered(violation.cycle, violation.steps.size() + 1, language);
}

std::string explore_report(const ExploreOptions& options, const ExploreResult& result,
                           std::chrono::nanoseconds elapsed, Language language) {
  const auto number = [language](std::uint64_t value) { return grouped(value, language); };
  const double seconds = std::chrono::duration<double>(elapsed).count();
  const auto rate = static_cast<double>(result.states) / (seconds > 0 ? seconds : 1);
  const std::uint64_t states = result.states == 0 ? 1 : result.states;
  std::string shown = question(options, language) + '\n';
  shown += row(Text::verify_states, number(result.states), language);
  shown += row(Text::verify_transitions, number(result.transitions), language);
  shown += row(Text::verify_quiescent, number(result.quiescent), language);
  shown += row(Text::verify_depth, number(result.depth), language);
  if (options.max_messages) {
    shown += row(Text::verify_messages,
                 text(Text::verify_messages_value, language,
                      {number(result.messages), number(*options.max_messages)}),
                 language);
  }
  shown += row(Text::verify_rate,
               text(Text::verify_rate_value, language, {number(static_cast<std::uint64_t>(rate))}),
               language);
  shown += row(Text::verify_memory,
               text(Text::verify_memory_value, language,
                    {number((result.state_bytes + result.index_bytes) / 1024),
                     number(result.state_bytes / states), number(result.index_bytes / states)}),
               language);
  shown += row(Text::verify_verdict, verdict(result, language), language);
  if (!result.violation) return shown;
  shown.append(text(Text::verify_counterexample, language)).append("\n");
  return shown + explore_steps_text(*result.violation, language);
}

std::string explore_brief(const ExploreOptions& options, const ExploreResult& result,
                          std::chrono::nanoseconds elapsed, Language language) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  return text(Text::verify_brief, language,
              {question(options, language), verdict(result, language),
               grouped(result.states, language), std::to_string(seconds)}) +
         '\n';
}

std::string explore_progress_text(const ExploreProgress& progress, Language language) {
  return text(
      Text::verify_progress_line, language,
      {grouped(progress.states, language), grouped(progress.states - progress.expanded, language),
       std::to_string(progress.depth)});
}

}  // namespace bully
