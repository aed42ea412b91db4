// play_printer.cc: titles, paragraphs, frames and verdicts between the lines of the log.
#include "view/play_printer.h"

#include <utility>

#include "base/list.h"
#include "base/text.h"
#include "history/figures.h"
#include "words/names.h"

namespace bully {

PlayPrinter::PlayPrinter(const Scenario& scenario, const PlayStyle& style)
    : scenario_(scenario),
      style_(style),
      log_(style_.log, seconds_since(style_.began_ns), [this](std::string_view lines) {
        blank_ = false;
        (style_.effects ? style_.effects : style_.output)(lines);
      }) {}

void PlayPrinter::begin() {
  const std::string& title = text_for(scenario_.title, style_.log.language);
  print("\n" + title_text(title.empty() ? harmless(scenario_.name) : title, style_.log));
  const std::string& watch = text_for(scenario_.watch, style_.log.language);
  if (!watch.empty()) print(explanation_text(say(Text::play_watch, {watch}), style_.log));
}

void PlayPrinter::end(const PlayResult& result) {
  finish_explanation();
  print("\n");
  if (result.broken > 0 || (style_.verdicts && result.kept > 0)) {
    print_verdict(result.broken == 0, say(Text::play_summary, {result.kept, result.broken}));
  } else if (style_.verdicts) {
    print("  " + say(Text::play_no_expectation) + '\n');
  }
  const std::string& question = text_for(scenario_.question, style_.log.language);
  if (question.empty()) return;
  const std::string& answer = text_for(scenario_.answer, style_.log.language);
  std::string words = say(Text::play_question, {question});
  if (!style_.answers && !answer.empty()) words += ' ' + say(Text::play_ask_answer);
  begin_part();
  print(explanation_text(words, style_.log));
  if (!style_.answers) return;
  begin_part();
  print(explanation_text(say(Text::play_answer, {answer}), style_.log));
}

void PlayPrinter::record(const Record& record) {
  history_.take(record, records_);
  arrows_.record(record, records_++, history_);
  if (is_about_ping(record)) return;
  if (!founding_ || record.event == TraceEvent::start) log_.record(record);
}

void PlayPrinter::on_step(const Step& step) {
  log_.flush();
  finish_founding();
  if (style_.on_step) style_.on_step(step);
  if (step.verb != Verb::say) finish_explanation();
  founding_ = step.verb == Verb::nodes;
  // All other steps show by their effects.
  if (style_.script && step.verb < Verb::say) print_line("▸", Color::bold, step.text);
}

void PlayPrinter::on_say(Language language, std::string_view words) {
  if (language != style_.log.language) return;
  explanation_.append(explanation_.empty() ? "" : " ").append(words);
}

void PlayPrinter::on_frame(const Texts& label, std::span<const Snapshot> nodes,
                           const MessageCounts& sent) {
  begin_part();
  const Language language = style_.log.language;
  print(
      frame_text(text_for(label, language), nodes, arrows_.take(),
                 counts_words(sent, textbook_for(history_, sent), scenario_.algorithm(), language),
                 style_.log, style_.frame_rows));
  begin_part();
}

void PlayPrinter::on_kept(const Step& step) {
  if (style_.verdicts) print_verdict(true, step.text + ": " + say(Text::play_kept));
}

void PlayPrinter::on_broken(const Step& step, std::span<const Problem> wrong) {
  if (style_.on_broken) style_.on_broken();
  const std::string place = harmless(scenario_.name) + ":" + std::to_string(step.line);
  print_verdict(false, place + ": " + step.text + ": " + words_of(wrong, style_.log.language));
}

// Leaves out how the processes came to agree: shows only them and their coordinator.
void PlayPrinter::finish_founding() {
  if (!std::exchange(founding_, false)) return;
  arrows_.clear();
  const std::vector<NodeId> nodes = history_.nodes();
  if (nodes.empty()) return;
  const NodeId followed = history_.snapshot(nodes.front()).coordinator.value_or(nodes.front());
  print_line("*", Color::green, say(Text::play_preset, {followed}));
}

void PlayPrinter::finish_explanation() {
  if (explanation_.empty()) return;
  begin_part();
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

void PlayPrinter::print_verdict(bool is_right, const std::string& words) {
  print_line(is_right ? "✓" : "✗", is_right ? Color::green : Color::bold_red, words);
}

void PlayPrinter::print_line(std::string_view sign, Color color, const std::string& words) {
  for (const std::string& line : wrapped(words, narration_columns - 4)) {
    print("  " + colored(color, std::string(sign) + ' ' + line, style_.log.color) + "\n");
    sign = " ";
  }
}

}  // namespace bully
