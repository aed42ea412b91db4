// pages.cc: a play in portions, and the way through them by lines of standard input.
#include "terminal/pages.h"

#include <unistd.h>

#include <iostream>
#include <utility>

#include "base/text.h"
#include "terminal/output.h"
#include "terminal/question.h"
#include "terminal/screen.h"
#include "terminal/slides.h"

namespace bully {

namespace {

// On a terminal of 24 rows: without an empty one above, and the keys below.
constexpr std::size_t frame_rows = 22;

// Reads a line after the prompt; the user's Enter has already moved a terminal to the next line.
// False at `q`, and at Ctrl-D. When another input has ended, all goes on by itself; and so do steps
// that go into a file, where nobody at the keyboard sees the prompt.
bool goes_on(const std::string& prompt, std::string& line, bool is_question) {
  line.clear();
  const bool is_typed = isatty(STDIN_FILENO) == 1;
  if (!std::cin || (is_typed && isatty(STDOUT_FILENO) != 1 && !is_question)) {
    if (is_question) narrate(prompt + '\n');
    return true;
  }
  narrate(prompt + ' ');
  std::getline(std::cin, line);
  if (!is_typed) narrate("\n");
  return line != "q" && (std::cin || !is_typed);
}

}  // namespace

std::optional<std::string> verdict_on(std::string_view answer, const Page& page,
                                      const Invocation& invocation) {
  const std::string solution = solution_words(*page.asked, invocation.language);
  const bool is_empty = answer.find_first_not_of(" \t\r") == std::string_view::npos;
  if (page.is_broken) return "";
  if (is_empty) return "  " + invocation.say(Text::ask_solution, {solution});
  const auto right = is_right(answer, *page.asked, invocation.language);
  if (!right) return std::nullopt;
  if (*right) return "  ✓ " + invocation.say(Text::ask_right, {solution});
  return "  ✗ " + invocation.say(Text::ask_wrong, {harmless(answer), solution});
}

void Pages::take(PlayStyle& style) {
  fills_screen_ = steps && Screen::is_possible();
  style.output = [this](std::string_view text) { add(text); };
  style.effects = [this](std::string_view lines) { effects_ += lines; };
  style.on_step = [this](const Step& step) { begin(step); };
  style.on_broken = [this] { pages_.back().is_broken = pages_.back().asked.has_value(); };
  style.verdicts = !asks && !fills_screen_;
  if (!fills_screen_) return;
  style.script = false;
  style.answers = true;  // on the page after the question
  style.frame_rows = frame_rows;
  style.on_part = [this] {
    show_effects();
    if (!pages_.back().text.empty()) pages_.emplace_back();
  };
}

void Pages::begin(const Step& step) {
  const bool is_asked = asks && step.is_expectation() && can_be_asked(step);
  if (!is_asked) show_effects();
  if (!fills_screen_) {
    if (step.verb < Verb::say || is_asked) pages_.emplace_back();
    if (is_asked) pages_.back().asked = step;
  } else if (is_asked) {
    // Below the latest text; the next question is below the same.
    const bool is_new = pages_.back().text.empty() && pages_.size() > 1;
    const std::string latest = is_new ? pages_.rbegin()[1].text : pages_.back().text;
    if (is_new || pages_.back().asked) pages_.push_back({latest});
    pages_.back().asked = step;
  }
}

void Pages::show_effects() {
  if (!effects_.empty()) add(std::exchange(effects_, {}));
}

void Pages::add(std::string_view text) {
  show_effects();
  const bool is_blank = text.find_first_not_of('\n') == std::string_view::npos;
  if (fills_screen_ && (is_blank || pages_.back().asked)) {
    if (is_blank) return;
    pages_.emplace_back();
  }
  pages_.back().text += text;
}

bool Pages::show(const Invocation& invocation, bool is_last) {
  show_effects();
  if (fills_screen_) return show_slides(pages_, invocation, is_last);
  return show_lines(invocation);
}

bool Pages::show_lines(const Invocation& invocation) const {
  std::string line;
  std::size_t at = 0;
  const auto is_back = [&] { return steps && line == "b"; };
  while (true) {
    const Page& page = pages_[at];
    if (page.asked) {
      std::string question = question_words(*page.asked, invocation.language);
      std::optional<std::string> verdict;
      while (!verdict) {
        if (!goes_on("\n  ? " + question, line, true)) return false;
        if (is_back()) break;
        verdict = verdict_on(line, page, invocation);
        if (!verdict) {
          narrate("  " + no_answer_words(line, *page.asked, invocation.language) + '\n');
        }
      }
      if (verdict && !verdict->empty()) narrate(*verdict + '\n');
    }
    if (!page.asked || !is_back()) {
      narrate(page.text);
      if (++at == pages_.size()) return true;
      if (!steps || pages_[at].asked) continue;
      if (!goes_on("  " + invocation.say(Text::pages_keys), line, false)) return false;
    }
    // Shown again: the page before the latest.
    if (is_back()) at = at > 1 ? at - 2 : 0;
  }
}

}  // namespace bully
