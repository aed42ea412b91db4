// slides.cc: a page as a screen, the keys between pages, and the typing of answers.
#include "terminal/slides.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/layout.h"
#include "base/text.h"
#include "node/system.h"
#include "terminal/output.h"
#include "terminal/question.h"
#include "terminal/screen.h"

namespace bully {

namespace {

struct Slides {
  const std::vector<Page>& pages;
  const Invocation& invocation;
  bool is_last;
  std::size_t at = 0;
  std::size_t offset = 0;                            // lines above the screen
  std::string typed = {};                            // the answer, so far
  std::string again = {};                            // why the latest answer was none
  std::map<std::size_t, std::string> verdicts = {};  // the verdicts, by page

  enum class Next : std::uint8_t { stay, leave, go_on };

  bool is_asking() const { return pages[at].asked && !verdicts.contains(at); }
  bool is_end() const { return is_last && at + 1 == pages.size(); }

  // The lines below the text: the question with its answer.
  std::vector<std::string> question_lines(std::size_t columns) const {
    if (!pages[at].asked) return {};
    std::vector<std::string> lines = {""};
    const auto add = [&](std::string_view words) {
      for (std::string& line : lines_in(folded(words, columns))) lines.push_back(std::move(line));
    };
    add("  ? " + question_words(*pages[at].asked, invocation.language));
    if (!again.empty()) add("  " + again);
    if (is_asking()) {
      add("  > " + typed + "█");
    } else {
      add(verdicts.at(at));
    }
    return lines;
  }

  std::vector<std::string> screen(std::size_t rows, std::size_t columns) {
    std::vector<std::string> text = lines_in(folded(pages[at].text, columns));
    while (!text.empty() && text.front().empty()) text.erase(text.begin());
    while (!text.empty() && text.back().empty()) text.pop_back();
    const std::vector<std::string> question = question_lines(columns);
    const std::size_t taken = question.size() + 1;
    const std::size_t body = rows > taken + 2 ? rows - taken : 2;
    if (text.size() < body) text.insert(text.begin(), "");
    offset = std::min(offset, text.size() - std::min(text.size(), body));
    text.erase(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset));
    if (text.size() > body) {
      const std::size_t hidden = text.size() - (body - 1);
      text.resize(body - 1);
      text.push_back("  " + invocation.say(Text::slides_more, {hidden}));
    }
    text.insert(text.end(), question.begin(), question.end());
    if (is_asking()) {  // its end is where one types
      const std::size_t above = text.size() - std::min(text.size(), rows - 1);
      text.erase(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(above));
    }
    text.resize(rows - 1);
    const Text keys = is_asking() ? Text::slides_answer
                      : is_end()  ? Text::slides_last
                                  : Text::slides_keys;
    const std::string place = std::to_string(at + 1) + '/' + std::to_string(pages.size());
    text.push_back(place + "  " + invocation.say(keys));
    for (std::string& line : text) line = fitted(line, columns);
    return text;
  }

  void turn_to(std::size_t page) {
    at = page;
    offset = 0;
    typed.clear();
    again.clear();
  }

  void answer() {
    const auto verdict = verdict_on(typed, pages[at], invocation);
    again = verdict ? "" : no_answer_words(typed, *pages[at].asked, invocation.language);
    if (verdict) verdicts[at] = *verdict;
    typed.clear();
  }

  Next take(std::string_view key) {
    const bool is_enter = key == "\n" || key == "\r";
    const bool is_left = key == "\033[D";
    if (key == "\033[A") offset -= std::min<std::size_t>(offset, 1);
    if (key == "\033[5~") offset -= std::min<std::size_t>(offset, 10);
    if (key == "\033[B") offset += 1;
    if (key == "\033[6~") offset += 10;
    if (typed.empty() && (key == "q" || key == "Q")) return Next::leave;
    if (is_left || (typed.empty() && (key == "b" || key == "B"))) {
      turn_to(at - std::min<std::size_t>(at, 1));
    } else if (is_asking()) {
      type(key, is_enter);
    } else if (is_enter || key == " " || key == "\033[C") {
      if (at + 1 < pages.size()) {
        turn_to(at + 1);
      } else if (!is_last) {
        return Next::go_on;
      }
    }
    return Next::stay;
  }

  void type(std::string_view key, bool is_enter) {
    if (is_enter) return answer();
    if (key == "\x7f" || key == "\b") {
      while (!typed.empty() && (static_cast<unsigned char>(typed.back()) & 0xC0) == 0x80) {
        typed.pop_back();
      }
      if (!typed.empty()) typed.pop_back();
    } else if (key.size() == 1 && static_cast<unsigned char>(key.front()) >= ' ') {
      typed += key;
    }
  }

  // Throws Interrupted.
  bool run() {
    SignalPipe signals(Screen::signals());
    Screen screen;
    while (true) {
      const auto [rows, columns] = Screen::size();
      screen.show(this->screen(std::max<std::size_t>(rows, 4), columns));
      std::array<pollfd, 2> polled = {pollfd{signals.fd(), POLLIN, 0},
                                      pollfd{STDIN_FILENO, POLLIN, 0}};
      poll_for(polled, -1);
      while (const std::optional<int> signal = signals.next()) {
        if (!screen.handles(*signal)) throw Interrupted{*signal};
      }
      if (polled[1].revents == 0) continue;
      const auto keys = Screen::keys();
      if (!keys) return false;
      for (const std::string& key : *keys) {
        const Next next = take(key);
        if (next != Next::stay) return next == Next::go_on;
      }
    }
  }
};

}  // namespace

bool show_slides(const std::vector<Page>& pages, const Invocation& invocation, bool is_last) {
  std::vector<Page> shown;
  std::ranges::copy_if(pages, std::back_inserter(shown),
                       [](const Page& page) { return !page.text.empty() || page.asked; });
  if (shown.empty()) return true;
  return Slides{shown, invocation, is_last}.run();
}

}  // namespace bully
