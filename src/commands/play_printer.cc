#include "commands/play_printer.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "trace/harmless.h"

namespace bully {

namespace {

constexpr std::string_view green = "\033[32m";
constexpr std::string_view bold_red = "\033[1;31m";
constexpr std::string_view dim = "\033[2m";
constexpr std::string_view bold = "\033[1m";
constexpr std::string_view color_off = "\033[0m";

// Steps that are shown by what they bring about, or not at all.
bool speaks_for_itself(const Deed& deed) {
  return std::visit(
      [](const auto& step) {
        using Step = std::decay_t<decltype(step)>;
        return std::is_same_v<Step, step::Say> || std::is_same_v<Step, step::Frame> ||
               std::is_same_v<Step, step::ExpectCoordinator> ||
               std::is_same_v<Step, step::ExpectCoordinators> ||
               std::is_same_v<Step, step::ExpectState> ||
               std::is_same_v<Step, step::ExpectVariables> ||
               std::is_same_v<Step, step::ExpectMessages>;
      },
      deed);
}

// "d 4  e 4  f –": what the textbook writes beside a process.
std::string beside(const Variables& variables, std::size_t columns) {
  std::string shown;
  for (const Variable& variable : variables) {
    if (variable.name.empty()) continue;
    const std::string value = variable.value ? std::to_string(*variable.value) : "–";
    shown.append(shown.empty() ? "" : "  ").append(variable.name).append(" ");
    shown += right_aligned(value, columns);
  }
  return shown;
}

// Writes them beside each, the numbers of all in columns.
void write_beside(std::vector<FrameNode>& nodes, const std::vector<Variables>& variables) {
  std::size_t columns = 1;
  for (const Variables& of_one : variables) {
    for (const Variable& variable : of_one) {
      if (variable.value) columns = std::max(columns, std::to_string(*variable.value).size());
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].beside = nodes[i].state == "down" ? "" : beside(variables[i], columns);
  }
}

std::vector<Variables> variables_of(const std::vector<Actor>& cast) {
  std::vector<Variables> variables;
  variables.reserve(cast.size());
  for (const Actor& actor : cast) variables.push_back(actor.variables);
  return variables;
}

std::vector<FrameNode> frame_nodes(const std::vector<Actor>& cast) {
  std::vector<FrameNode> nodes;
  nodes.reserve(cast.size());
  for (const Actor& actor : cast) {
    nodes.push_back({.id = actor.id,
                     .state = actor.life == Actor::Life::crashed ? "down" : actor.state,
                     .paused = actor.life == Actor::Life::paused,
                     .coordinator = actor.coordinator});
  }
  return nodes;
}

}  // namespace

PlayPrinter::PlayPrinter(PlayStyle style)
    : style_(std::move(style)),
      log_(style_.log, seconds_since(style_.start_ns), [this](std::string_view lines) {
        blank_ = false;
        style_.output(lines);
      }) {}

void PlayPrinter::begin(const Scenario& scenario) {
  const bool english = style_.log.language == Language::english;
  const std::string& wanted = english ? scenario.title_en : scenario.title_pt;
  const std::string& other = english ? scenario.title_pt : scenario.title_en;
  const std::string& title = wanted.empty() ? other : wanted;
  print("\n" + title_text(title.empty() ? harmless(scenario.name) : title, style_.log));
}

void PlayPrinter::end(const Performance& performance) {
  flush();
  finish_explanation();
  const bool all = performance.passed_over == 0;
  const std::string words =
      text(all ? Text::play_summary : Text::play_summary_real, style_.log.language,
           {std::to_string(performance.kept), std::to_string(performance.broken),
            std::to_string(performance.passed_over)});
  print("\n");
  if (performance.broken == 0) {
    print_line("✓", green, words);
  } else {
    print_line("✗", bold_red, words);
  }
}

void PlayPrinter::record(const Record& record) {
  arrows_.record(record);
  learn(standings_, record);
  if (out_of_step_) since_.push_back(record);
  if (style_.quiet || is_about_ping(record)) return;
  if (!founding_ || record.event == TraceEvent::start) log_.record(record);
}

void PlayPrinter::flush() {
  log_.flush();
}

void PlayPrinter::on_step(const ScenarioStep& step) {
  log_.flush();
  finish_founding();
  if (!std::holds_alternative<step::Say>(step.deed)) finish_explanation();
  founding_ = std::holds_alternative<step::Nodes>(step.deed);
  if (style_.quiet || speaks_for_itself(step.deed)) return;
  print_line("▸", bold, step.text);
}

void PlayPrinter::on_say(ScriptLanguage language, std::string_view words) {
  const bool ours =
      (language == ScriptLanguage::english) == (style_.log.language == Language::english);
  if (ours) explanation_.append(explanation_.empty() ? "" : " ").append(words);
}

void PlayPrinter::on_frame(std::string_view label, const std::vector<Actor>& cast) {
  std::vector<FrameNode> nodes = frame_nodes(cast);
  write_beside(nodes, variables_of(cast));
  print(frame_text(label, nodes, arrows_.take(), style_.log));
}

void PlayPrinter::on_late_frame(std::string_view label) {
  late_frames_.emplace_back(label);
}

void PlayPrinter::on_caught_up(const std::vector<Actor>& cast) {
  log_.flush();
  if (!late_frames_.empty()) {
    print(explanation_text(text(Text::play_frames_after, style_.log.language), style_.log));
  }
  const auto rounds = rounds_of(since_, standings_before_, late_frames_.size());
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    std::vector<FrameNode> nodes = frame_nodes(cast);
    std::vector<Variables> variables(nodes.size());
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      FrameNode& node = nodes[j];
      const auto standing = rounds[i].standings.find(node.id);
      if (node.state == "down" || standing == rounds[i].standings.end()) continue;
      node.state = standing->second.state;
      node.coordinator = standing->second.coordinator;
      variables[j] = standing->second.variables;
    }
    write_beside(nodes, variables);
    print(frame_text(late_frames_[i], nodes, rounds[i].arrows, style_.log));
  }
  late_frames_.clear();
  since_.clear();
  out_of_step_ = false;
  arrows_.clear();
}

void PlayPrinter::on_passed_over(const ScenarioStep& step, PassedOver why, std::string_view what) {
  const Language language = style_.log.language;
  if (!out_of_step_ && why == PassedOver::not_possible) {
    out_of_step_ = true;
    standings_before_ = standings_;
  }
  std::string words(text(Text::play_not_possible, language));
  if (why == PassedOver::not_reached) words = text(Text::play_not_reached, language);
  if (why == PassedOver::not_comparable) words = text(Text::play_not_comparable, language, {what});
  if (!speaks_for_itself(step.deed)) return print_line("○", dim, words);
  print_line("○", dim, step.text + ": " + words);
}

void PlayPrinter::on_kept(const ScenarioStep& step) {
  print_line("✓", green,
             step.text + ": " + std::string(text(Text::play_kept, style_.log.language)));
}

void PlayPrinter::on_broken(const ScenarioStep& step, std::string_view what) {
  const std::string place = harmless(style_.file) + ":" + std::to_string(step.line);
  print_line("✗", bold_red, place + ": " + step.text + ": " + harmless(what));
}

// How a cast comes to agree before the lesson begins is left out: only who it is, and whom all
// follow then.
void PlayPrinter::finish_founding() {
  if (!std::exchange(founding_, false)) return;
  arrows_.clear();
  if (style_.quiet || standings_.empty()) return;
  const NodeId highest = standings_.rbegin()->first;
  print_line("*", green, text(Text::play_founded, style_.log.language, {std::to_string(highest)}));
}

void PlayPrinter::finish_explanation() {
  if (explanation_.empty()) return;
  print(explanation_text(explanation_, style_.log));
  explanation_.clear();
}

void PlayPrinter::print(const std::string& text) {
  log_.flush();
  // Never two empty lines in a row.
  std::string_view shown = text;
  if (blank_ && shown.starts_with("\n")) shown.remove_prefix(1);
  blank_ = shown.ends_with("\n\n");
  style_.output(shown);
}

void PlayPrinter::print_line(std::string_view sign, std::string_view color,
                             const std::string& words) {
  std::string line = "  ";
  if (style_.log.color) line += color;
  line.append(sign).append(" ").append(words);
  if (style_.log.color) line += color_off;
  print(line + "\n");
}

}  // namespace bully
