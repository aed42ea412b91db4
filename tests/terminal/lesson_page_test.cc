// lesson_page_test.cc: a lesson says the same on its page and in the terminal.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/carried.h"
#include "base/json.h"
#include "base/layout.h"
#include "base/text.h"
#include "fixture/scripts.h"
#include "support/process.h"

using namespace bully;

namespace {

// A part of a page's data that has these words.
std::string on_page(const std::string& words) {
  const std::string quoted = json_string(words);
  return replaced(quoted.substr(1, quoted.size() - 2), "<", "\\u003c");
}

// What it says in the terminal: its paragraphs, with its hint, its question and its answer; and the
// messages below its pictures.
std::vector<std::string> said(const std::string& shown) {
  constexpr std::string_view bar = "┃ ";
  constexpr std::string_view indent = "   ";
  std::vector<std::string> all;
  bool goes_on = false;
  for (const std::string& line : lines_in(shown)) {
    const bool is_counts = line.starts_with(std::string(indent) + "messages: ");
    if (is_counts) all.push_back(line.substr(indent.size()));
    const bool is_said = line.starts_with(bar);
    if (is_said && goes_on) all.back() += ' ' + line.substr(bar.size());
    if (is_said && !goes_on) all.push_back(line.substr(bar.size()));
    goes_on = is_said;
  }
  return all;
}

}  // namespace

TEST_CASE("a lesson's page says each paragraph and each count that the terminal shows") {
  const Place place;
  std::size_t textbooks = 0;
  for (const CarriedText& lesson : lessons()) {
    for (const std::string language : {"en", "pt-BR"}) {
      const Words words = {"./bully", "scenario", std::string(lesson.name), "--lang=" + language};
      const std::string shown = run(place, words + Words{"--answer"}).output;
      const std::string page = run(place, words + Words{"--format=html"}).output;
      CAPTURE(lesson.name);
      for (const std::string& one : said(shown)) {
        CAPTURE(one);
        CHECK(contains(page, on_page(one)));
        textbooks += contains(one, "(textbook ") ? 1 : 0;
      }
    }
  }
  CHECK(textbooks > 5);
}

TEST_CASE("the label of a frame is shown at its moment, not from the beginning of the run on") {
  const Place place;
  const std::string script =
      place.written("label", "nodes 1..3\ncrash 3\nsuspect 2\nrun\nframe (a)\n");
  const std::string page = run(place, {"./bully", "scenario", script, "--format=html"}).output;
  CHECK(contains(page, R"("chapters":[{"frame":0,)"));
  CHECK(contains(page, R"-({"frame":4,"words":"","line":"(a)"}])-"));
}

TEST_CASE("a question before the first step is not about steps") {
  const Place place;
  const std::string script = place.written("early", "nodes 1..3\nexpect coordinator 3\n");
  const std::string page = run(place, {"./bully", "scenario", script, "--format=html"}).output;
  CHECK(contains(page, "which process is coordinator"));
  CHECK(!contains(page, "after these steps"));
}

TEST_CASE("all lessons are pages, with an index in each language whose links lead to them") {
  const Place place;
  const std::string pages = place.path() / "lessons";
  const Result made = run(place, {"src/lessons.sh", binary_under_test(), pages});
  CAPTURE(made.output);
  REQUIRE(made.status == 0);
  std::uintmax_t bytes = 0;
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(pages)) {
    bytes += file.file_size();
    ++files;
  }
  CHECK(files == 2 * (lessons().size() + 2));
  CHECK(bytes < 10'000'000);
  for (const std::string end : {".html", ".pt-BR.html"}) {
    const std::string index = contents(pages + "/index" + end);
    for (const CarriedText& lesson : lessons()) {
      CHECK(contains(index, "<li><a href=\"" + std::string(lesson.name) + end + "\">"));
    }
    std::size_t planned = 0;
    for (std::size_t at = 0; (at = index.find("href=\"", at)) != index.npos; ++planned) {
      at += 6;
      const std::string target = index.substr(at, index.find('"', at) - at);
      CHECK_MESSAGE(std::filesystem::exists(pages + '/' + target), target);
    }
    // And the plan's lessons, its page of a cut, and the other language.
    CHECK(planned > lessons().size() + 8);
  }
}

TEST_CASE("a lesson that cannot be written fails, and so does the writing of all") {
  const Place place;
  const std::string fails =
      place.written("fails", "#!/bin/sh\ncase \"$*\" in *ghost*) exit 3 ;; esac\nexec " +
                                 binary_under_test() + " \"$@\"\n");
  std::filesystem::permissions(fails, std::filesystem::perms::owner_all);
  CHECK(run(place, {"src/lessons.sh", fails, place.path() / "lessons"}).status == 3);
}
