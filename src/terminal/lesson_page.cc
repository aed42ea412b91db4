// lesson_page.cc: chapters of a play.
#include "terminal/lesson_page.h"

#include <utility>

#include "base/text.h"
#include "pictures/diagram_steps.h"
#include "terminal/question.h"
#include "words/names.h"

namespace bully {

void LessonPage::record(const Record& record) {
  trace_.records.push_back(record);
}

void LessonPage::on_step(const Step& step) {
  if (std::exchange(is_founding_, false)) latest_ = founded_ = trace_.records.size();
  is_founding_ = step.verb == Verb::nodes;
  if (step.verb == Verb::count) counted_from_.push_back(trace_.records.size());
  if (step.verb != Verb::say) finish_paragraph();
  if (!step.is_expectation() || !can_be_asked(step)) return;
  const std::string asked = question_words(step, language_);
  question_ = "? " + asked;
  const bool has_steps = latest_ < trace_.records.size();
  add(latest_, has_steps ? "? " + text(Text::html_predict, language_, {asked}) : question_);
}

void LessonPage::on_say(Language language, std::string_view words) {
  if (language != language_) return;
  paragraph_.append(paragraph_.empty() ? "" : " ").append(words);
}

void LessonPage::on_frame(const Texts& label, std::span<const Snapshot> /*nodes*/,
                          const MessageCounts& /*sent*/) {
  add(trace_.records.size(), text_for(label, language_));
}

void LessonPage::on_kept(const Step& step) {
  if (!question_.empty()) add_verdict("✓ " + solution_words(step, language_));
}

void LessonPage::on_broken(const Step& step, std::span<const Problem> wrong) {
  add_verdict("✗ " + step.text + ": " + words_of(wrong, language_));
}

void LessonPage::add_verdict(const std::string& verdict) {
  const std::string question = std::exchange(question_, {});
  add(trace_.records.size(), question + (question.empty() ? "" : " ") + verdict);
}

void LessonPage::finish_paragraph() {
  if (paragraph_.empty()) return;
  words_ = std::exchange(paragraph_, {});
  add(trace_.records.size(), "");
}

void LessonPage::add(std::size_t records, const std::string& line) {
  parts_.push_back({records, words_, line});
  latest_ = trace_.records.size();
}

std::string LessonPage::html() {
  finish_paragraph();
  const std::size_t end = trace_.records.size();
  const auto say = [&](Text key, const Texts& words) {
    return text(key, language_, {text_for(words, language_)});
  };
  if (!text_for(scenario_.question, language_).empty()) {
    words_ = say(Text::play_question, scenario_.question);
    add(end, "");
    const bool is_answered = !text_for(scenario_.answer, language_).empty();
    if (is_answered) add(end, say(Text::play_answer, scenario_.answer));
  }
  const Diagram diagram = make_diagram(trace_, {founded_, end}, false);
  Lesson lesson{.title = text_for(scenario_.title, language_)};
  if (lesson.title.empty()) lesson.title = harmless(scenario_.name);
  if (!text_for(scenario_.watch, language_).empty()) {
    lesson.watch = say(Text::play_watch, scenario_.watch);
  }
  for (const Part& part : parts_) {
    lesson.chapters.push_back({diagram.steps_before(part.records), part.words, part.line});
  }
  // The steps before the first words, or of a play without any, are a chapter as well.
  if (lesson.chapters.empty() || lesson.chapters.front().step > 0) {
    lesson.chapters.insert(lesson.chapters.begin(), {0, lesson.title});
  }
  for (const std::size_t records : counted_from_) {
    lesson.counted_from.push_back(diagram.steps_before(records));
  }
  return diagram_html(diagram, language_, lesson);
}

}  // namespace bully
