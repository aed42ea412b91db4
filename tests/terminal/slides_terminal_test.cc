// slides_terminal_test.cc: `bully scenario --step` on a terminal: one page at a time, by keys.
#include <doctest/doctest.h>
#include <unistd.h>

#include <string>

#include "base/layout.h"
#include "fixture/said.h"
#include "support/pseudo_terminal.h"

using namespace bully;

namespace {

// A lesson on a terminal of 24 rows and 80 columns.
struct Slides : PseudoTerminal {
  explicit Slides(const Arguments& more)
      : PseudoTerminal(Arguments{"scenario"} + more + Arguments{"--step"}, 24, 80) {}

  // "3/27  Enter next …"
  std::string keys() { return lines()[23]; }
  bool shows_place(const std::string& place) {
    return wait_until([&] { return keys().starts_with(place); });
  }
  void check_left(const std::string& key, int exit_code) {
    CHECK(end_by(key).exit_code == exit_code);
    CHECK(!is_other_screen());
    CHECK(is_cursor_shown());
    CHECK(settings().c_lflag == first_settings().c_lflag);
  }
};

void check_page(Slides& slides) {
  const std::string page = slides.text();
  CAPTURE(page);
  for (const std::string& line : slides.lines()) CHECK(width(line) <= 80);
  CHECK(slides.lines()[24].empty());
  CHECK(!contains(page, "▸"));
  if (!contains(page, "\n  ── ")) return;
  CHECK(contains(page, "\n  " + repeated("─", 74)));
  CHECK(!contains(page, "(↓)"));
}

}  // namespace

TEST_CASE("scenario --step shows one page at a time; q leaves the terminal as it was") {
  Slides slides({"tanenbaum", "--lang=en"});
  REQUIRE(slides.shows_place("1/"));
  CHECK(slides.is_other_screen());
  CHECK(slides.shows("Watch for"));
  slides.press(" ");
  CHECK(slides.shows_place("2/"));
  CHECK(!contains(slides.text(), "Watch for"));
  CHECK(!contains(slides.text(), "▸"));
  slides.press("\033[C");
  CHECK(slides.shows_place("3/"));
  slides.press("\033[D");
  CHECK(slides.shows_place("2/"));
  slides.press("b");
  CHECK(slides.shows_place("1/"));
  slides.check_left("q", 0);
}

TEST_CASE("With --step, Ctrl-C leaves the terminal as it was, too") {
  Slides slides({"tanenbaum", "--lang=en"});
  REQUIRE(slides.shows_place("1/"));
  slides.check_left("\003", 130);
}

TEST_CASE("With --step, --script shows the script's lines and --quiet leaves out the log") {
  Slides script({"tanenbaum", "--lang=en", "--script"});
  REQUIRE(script.shows_place("1/"));
  CHECK(script.shows_after("\n", "▸ nodes 0..7"));
  script.check_left("q", 0);
  Slides quiet({"tanenbaum", "--lang=en", "--quiet"});
  REQUIRE(quiet.shows_place("1/"));
  quiet.press("\n");
  CHECK(quiet.shows_place("2/"));
  CHECK(!contains(quiet.text(), "joins as process"));
  quiet.check_left("q", 0);
}

TEST_CASE("With --step, a long log is a page with the number of lines below it") {
  Slides slides({"naive", "--lang=en", "--script"});
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
  CHECK(slides.shows_after("\n", "── (a) ──"));
  slides.check_left("q", 0);
}

TEST_CASE("Each lesson fits a terminal of 24 rows and 80 columns, page by page") {
  for (const char* const language : {"--lang=en", "--lang=pt-BR"}) {
    CAPTURE(language);
    Slides slides({"all", language});
    REQUIRE(slides.shows_place("1/"));
    std::size_t pages = 0;
    while (true) {
      check_page(slides);
      ++pages;
      const std::string keys = slides.keys();
      if (!contains(keys, "Enter")) break;
      slides.press("\n");
      REQUIRE(wait_until([&] { return slides.keys() != keys; }));
    }
    CHECK(pages > 200);
    slides.check_left("q", 0);
  }
}
