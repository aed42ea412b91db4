// slides_terminal_test.cc: `bully scenario --step` on a terminal: one page at a time, by keys.
#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "base/layout.h"
#include "fixture/session.h"
#include "support/process.h"
#include "support/pseudo_terminal.h"
#include "support/scratch.h"

using namespace bully;

namespace {

// A lesson on a terminal of 24 rows and 80 columns.
struct Slides : PseudoTerminal {
  explicit Slides(const Arguments& more, unsigned short height = 24)
      : PseudoTerminal(Arguments{"scenario"} + more + Arguments{"--step"}, height, 80),
        rows{height} {}

  // "3/27  Enter next …"
  std::string keys() { return lines()[rows - 1]; }
  bool shows_place(const std::string& place) {
    return wait_until([&] { return keys().starts_with(place); });
  }
  void check_left(const std::string& key, int exit_code) {
    CHECK(end_by(key).exit_code == exit_code);
    CHECK(!is_other_screen());
    CHECK(is_cursor_shown());
    CHECK(has_first_settings());
  }
  // Calls `see` on each page.
  template <typename See>
  void go_through(See see) {
    std::string shown;
    do {
      // The last line is written last, and whole; between two lessons there is none, or a rule.
      std::string seen;
      REQUIRE(wait_until([&] {
        seen = keys();
        return width(seen) == 80 && contains(seen, "   q ") && seen != shown;
      }));
      shown = seen;
      see();
      press(contains(shown, "Enter") ? "\n" : "");
    } while (contains(shown, "Enter"));
  }

  std::size_t rows;
};

void check_page(Slides& slides) {
  const std::string page = slides.text();
  CAPTURE(page);
  for (std::size_t i = 0; i < slides.rows; ++i) CHECK(width(slides.lines()[i]) <= 80);
  CHECK(slides.lines()[slides.rows].empty());
  CHECK(!contains(page, "▸"));
  if (!contains(page, "\n  ── ")) return;
  CHECK(contains(page, "\n  " + repeated("─", 74)));  // whole, with its last rule
}

// How often each word occurs.
using Words = std::map<std::string, int>;

void count_words(std::string_view line, Words& words) {
  std::istringstream rest{std::string(line)};
  for (std::string word; rest >> word;) ++words[word];
}

// Of a play in a pipe, without the lines of the script, and its expectations.
Words words_in_pipe(const Arguments& options) {
  Words words;
  bool is_script = false;
  for (const std::string& line :
       lines_in(run_bully(Arguments{"scenario", "--answer"} + options).output)) {
    const bool goes_on = is_script && line.starts_with("    ") && line.substr(4, 1) != " ";
    is_script = goes_on || line.starts_with("  ▸ ") || line.starts_with("  ✓ ");
    if (!is_script) count_words(line, words);
  }
  words.erase("…");  // of a frame: all of its words are on the slide
  return words;
}

}  // namespace

TEST_CASE("With --step, a long log is a page with the number of lines below it") {
  Slides slides({"naive", "--lang=en"});
  REQUIRE(slides.shows_place("1/"));
  for (int i = 2; !contains(slides.text(), "more (↓)"); ++i) {
    REQUIRE(contains(slides.keys(), "Enter"));
    slides.press("\n");
    REQUIRE(slides.shows_place(std::to_string(i) + '/'));
  }
  const std::string before = slides.text();
  slides.press("\033[6~");
  CHECK(wait_until([&] { return slides.text() != before; }));
  slides.check_left("q", 0);
}

TEST_CASE("With --step, a word that is wider than the screen is broken, and nothing of it lost") {
  const Scratch scratch;
  const std::string script = scratch.path() + "/wide";
  const std::string word = "https://example.org/" + repeated("abcdefghi/", 14);
  std::ofstream(script) << "nodes 1..2\nen: See " << word << " for more.\nrun\n";
  Slides slides({script, "--lang=en"});
  REQUIRE(slides.shows_place("1/"));
  REQUIRE(slides.shows_after("\n", "for more."));
  std::string shown;
  for (const std::string& line : slides.lines()) {
    CHECK(width(line) <= 80);
    std::istringstream rest(line);
    for (std::string part; rest >> part;) shown += part == "┃" ? "" : part;
  }
  CHECK(contains(shown, word + "formore."));
  slides.check_left("q", 0);
}

TEST_CASE("Each lesson fits a terminal of 24 rows and 80 columns, page by page") {
  for (const char* const language : {"--lang=en", "--lang=pt-BR"}) {
    CAPTURE(language);
    Slides slides({"all", language});
    std::size_t pages = 0;
    slides.go_through([&] {
      check_page(slides);
      ++pages;
    });
    CHECK(pages > 200);
    slides.check_left("q", 0);
  }
}

TEST_CASE("With --step, no word of a lesson is lost, and none is cut") {
  for (const char* const language : {"--lang=en", "--lang=pt-BR"}) {
    CAPTURE(language);
    Slides slides({"all", language}, 4000);
    Words shown;
    slides.go_through([&] {
      for (std::size_t i = 0; i + 1 < slides.rows; ++i) count_words(slides.lines()[i], shown);
    });
    for (const auto& word : words_in_pipe({"all", language})) {
      CAPTURE(word.first);
      CHECK(shown[word.first] >= word.second);
    }
    slides.check_left("q", 0);
  }
}

TEST_CASE("With --step and --ask, a question is below its text, and the answer is judged") {
  Slides slides({"tanenbaum", "--lang=en", "--ask"});
  REQUIRE(slides.shows_place("1/"));
  for (int i = 2; !contains(slides.text(), "? how many messages"); ++i) {
    slides.press("\n");
    REQUIRE(slides.shows_place(std::to_string(i) + '/'));
  }
  CHECK(slides.shows_after("many\n", "this is no answer: many"));
  CHECK(slides.shows_after("2\n", "✗ you said 2, it was 3"));
  CHECK(!contains(slides.text(), "✓"));
  // The log of the step would have said it.
  CHECK(slides.shows_after("\n", "→  ELECTION     to 5, 6, 7"));
  CHECK(slides.shows_after("\n", "── (a) ──"));
  slides.check_left("q", 0);
}

TEST_CASE("scenario --step shows one page at a time, and leaves the terminal as it was") {
  check_session("tests/terminal/slides.session");
}
