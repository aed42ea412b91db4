#include "sim/explorer_report.h"

#include <array>

namespace bully {

namespace {

std::string message_name(MessageType type) {
  constexpr std::array<std::string_view, message_type_count> names = {"ping", "status", "ELECTION",
                                                                      "ANSWER", "COORDINATOR"};
  return std::string(names.at(static_cast<std::size_t>(type)));
}

// 1234567 as "1,234,567".
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string counted(std::uint64_t number, const std::string& noun) {
  return std::to_string(number) + ' ' + noun + (number == 1 ? "" : "s");
}

std::string row(std::string name, const std::string& value) {
  name.resize(16, ' ');
  return "  " + name + value + '\n';
}

std::string question(const ExploreOptions& options) {
  std::string text = counted(options.nodes, "node") + ", ";
  text += std::to_string(options.crashes) + (options.crashes == 1 ? " crash, " : " crashes, ");
  text += counted(options.restarts, "restart");
  if (options.timing == Timing::synchronous) return text + ", synchronous";
  return text + ", asynchronous with " + counted(options.false_alarms, "false alarm");
}

std::string verdict(const ExploreResult& result) {
  if (result.verdict == Verdict::holds) return "holds in every run";
  if (result.verdict == Verdict::unfinished) return "unfinished: bound reached: " + result.bound;
  return "violated: " + std::string(property_name(result.violation->property));
}

std::string numbered(const std::vector<ExploreStep>& steps, std::size_t first) {
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    text += "  " + std::to_string(first + i) + ". " + explore_step_text(steps[i]) + '\n';
  }
  return text;
}

}  // namespace

std::string explore_step_text(const ExploreStep& step) {
  const std::string node = std::to_string(step.node);
  std::string text;
  switch (step.kind) {
    case StepKind::deliver:
      text = "deliver " + message_name(step.message.type) + " from " +
             std::to_string(step.message.from) + " to " + node;
      break;
    case StepKind::expire:
      text = node + "'s " + std::string(timer_name(step.timer)) + " timer expires";
      break;
    case StepKind::suspect:
      text = node + " suspects " + std::to_string(step.coordinator) + ": " +
             std::string(suspicion_name(step.reason));
      break;
    case StepKind::start:
      text = node + " starts";
      break;
    case StepKind::crash:
      text = node + " crashes";
      break;
  }
  if (step.false_alarm) text += " (false alarm)";
  if (step.crash_after_sends) {
    text += ", and it crashes after " + counted(*step.crash_after_sends, "send");
  }
  return text;
}

std::string explore_steps_text(const Violation& violation) {
  std::string text = numbered(violation.steps, 1);
  if (violation.cycle.empty()) return text;
  return text + "  and then, again and again:\n" +
         numbered(violation.cycle, violation.steps.size() + 1);
}

std::string explore_report(const ExploreOptions& options, const ExploreResult& result,
                           std::chrono::nanoseconds elapsed) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  const auto rate = static_cast<double>(result.states) / (seconds > 0 ? seconds : 1);
  const std::uint64_t states = result.states == 0 ? 1 : result.states;
  std::string text = question(options) + '\n';
  text += row("states", grouped(result.states));
  text += row("transitions", grouped(result.transitions));
  text += row("quiescent", grouped(result.quiescent));
  text += row("depth", grouped(result.depth));
  if (options.max_messages) {
    text += row("messages", "at most " + grouped(result.messages) + " sent in a run; allowed " +
                                grouped(*options.max_messages));
  }
  text += row("rate", grouped(static_cast<std::uint64_t>(rate)) + " states/s");
  text += row("memory", grouped((result.state_bytes + result.index_bytes) / 1024) + " KiB: " +
                            std::to_string(result.state_bytes / states) + " bytes a state, and " +
                            std::to_string(result.index_bytes / states) + " to find it");
  text += row("verdict", verdict(result));
  if (!result.violation) return text;
  return text + "a shortest counterexample:\n" + explore_steps_text(*result.violation);
}

}  // namespace bully
