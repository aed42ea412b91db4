// compare_test.cc: the tables and pictures of a comparison show all that was measured, and fit.
#include "pictures/compare.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "fixture/compared.h"
#include "fixture/labels.h"
#include "fixture/said.h"
#include "pictures/svg.h"
#include "support/markup.h"
#include "support/process.h"

namespace bully {
namespace {

constexpr Language en = Language::english;
constexpr Language pt = Language::portuguese;
const Quantity& by_messages = compared_quantities[0];
const Quantity& by_time = compared_quantities[1];

// A series whose messages are these figures at n = 2, 3, 4, …
ComparedSeries made(std::string_view name, const std::vector<std::uint64_t>& figures) {
  ComparedSeries series{name, {}};
  for (std::size_t i = 0; i < figures.size(); ++i) {
    ComparedPoint& point = series.points.emplace_back();
    point.nodes = i + 2;
    point.messages = point.time = {figures[i], figures[i], figures[i]};
  }
  return series;
}

}  // namespace

TEST_CASE("compare: the ranking names the cheapest election at a small n and at the largest") {
  ComparedCase compared;
  compared.series = {made("a", {1, 5, 9, 30, 50}), made("b", {2, 4, 10, 20, 30}),
                     made("c", {9, 9, 9, 30, 50})};
  using Sentences = std::vector<std::string>;
  const auto first = compared.series[0].points;
  const auto at = [&](std::size_t i) { return std::to_string(first[i].nodes); };
  REQUIRE(first[1].nodes < 4);
  REQUIRE(first[2].nodes == 4);
  CHECK(ranking_words(compared, by_messages, en) ==
        Sentences{"fewest messages at n = 4: a\u00a09, c\u00a09, b\u00a010",
                  "fewest messages at n = " + at(4) + ": b\u00a030, a\u00a050, c\u00a050"});
  // Of one n alone, or of such as tell nothing, there is one ranking.
  compared.series = {made("a", {3, 4}), made("b", {1, 2})};
  CHECK(ranking_words(compared, by_time, en) ==
        Sentences{"fastest at n = 3, in message delays: b\u00a02, a\u00a04"});
  CHECK(ranking_words(compared, by_messages, pt) ==
        Sentences{"menos mensagens com n = 3: b\u00a02, a\u00a04"});
  CHECK(ranking_words({}, by_messages, en).empty());
}

TEST_CASE("compare: scales with round ticks that hold all that is drawn") {
  for (const std::uint64_t base : {2U, 10U}) {
    for (const auto& ends :
         {std::pair<std::uint64_t, std::uint64_t>{1, 4031}, {1, 1}, {2, 2}, {3, 9}, {7, 260}}) {
      const std::uint64_t least = ends.first;
      const std::uint64_t most = ends.second;
      const LogScale scale = log_scale(least, most, base);
      CAPTURE(base);
      CAPTURE(least);
      CHECK(scale.ticks.front() <= least);
      CHECK(scale.ticks.back() >= most);
      CHECK(scale.place(scale.ticks.front()) == doctest::Approx(0));
      CHECK(scale.place(scale.ticks.back()) == doctest::Approx(1));
      CHECK(scale.ticks.size() >= 2);
    }
  }
  using Ticks = std::vector<std::uint64_t>;
  CHECK(log_scale(1, 4031, 10).ticks == Ticks{1, 10, 100, 1000, 10000});
  CHECK(log_scale(3, 9, 10).ticks == Ticks{2, 5, 10});
  CHECK(log_scale(3, 40, 2).ticks == Ticks{2, 4, 8, 16, 32, 64});
  CHECK(log_scale(5, 5, 2).ticks == Ticks{4, 8});
  CHECK(log_scale(1, UINT64_MAX, 10).ticks.size() >= 18);
}

TEST_CASE("compare: where all figures are 0, there is nothing to draw") {
  ComparedCase compared;
  compared.series = {made("a", {0, 0})};
  CHECK(!plot_of(compared, by_messages));
}

TEST_CASE("compare: a note is there where it is true") {
  // Without a count in the textbook nothing equals it.
  ComparedCase compared;
  compared.runs = 3;
  compared.series = {made("a", {1, 3})};
  CHECK(!contains(compare_table(compared, en), "exactly the textbook's count"));
  for (ComparedPoint& point : compared.series[0].points) point.textbook = point.messages;
  CHECK(contains(compare_table(compared, en), "exactly the textbook's count"));
  // Of bully, if it is compared.
  CHECK(compare_notes({{compared}}, en).size() == 2);
  compared.series[0].algorithm = default_algorithm().name;
  CHECK(compare_notes({{compared}}, en).size() == 3);
}

TEST_CASE("compare: tables fit into 80 columns, and in the picture no words overlap") {
  const Comparison comparison = compare(everything(from_to(2, is_sanitized ? 24 : 64)));
  for (const Language language : {en, pt}) {
    const std::string refused = language == en ? "the kernel refuses those at once" : "recusa logo";
    for (const ComparedCase& compared : comparison.cases) {
      std::string page = compare_table(compared, language);
      for (const std::string& note : compare_notes(comparison, language)) page += beside("", note);
      check_fits(page);
      CHECK(!contains(page, " \n"));
      CHECK(contains(page, refused));
      for (const Algorithm& algorithm : algorithms()) {
        CHECK(contains(page, algorithm.name));
      }
    }
    const std::string svg = compare_svg(comparison, language);
    CHECK(markup_error(svg) == "");
    CHECK(!contains(svg, "nan"));
    CHECK(contains(svg, refused));
    // Names and sentences begin at x; a character is at most 9 wide there, and a line 14 high.
    std::vector<Box> boxes;
    for (const Shape& text : shapes_in(svg, "text")) {
      const std::string& kind = text.kind();
      const double size = kind == "title" ? 13.0 : kind == "case" ? 9.6 : 7.6;
      const double part_left = kind == "tick count" ? 1 : kind.ends_with("nodes") ? 0.5 : 0;
      boxes.push_back(box_of(text, size * static_cast<double>(width(text.words)), part_left));
    }
    REQUIRE(boxes.size() > 60);
    check_apart(svg, boxes);
  }
}

// A line leads from the end of each curve to its name, and to a mark of its kind.
void check_line_names(const std::string& picture, std::size_t curves) {
  std::map<std::string, std::size_t> leaders;
  const std::vector<Shape> names = shapes_in(picture, "text");
  for (const Shape& line : shapes_in(picture, "line")) {
    if (!line.kind().starts_with("leader ")) continue;
    const std::string series = line.kind().substr(std::string_view("leader ").size());
    ++leaders[series];
    const std::string end = " L " + svg_point(line.at("x1"), line.at("y1"));
    const auto is_curve = [&](const Shape& path) {
      return path.kind() == "curve " + series && path.attributes.at("d").ends_with(end);
    };
    std::vector<Shape> paths = shapes_in(picture, "path");
    CHECK(std::ranges::any_of(paths, is_curve));
    const auto is_name = [&](const Shape& text) {
      return text.kind() == "name" && std::abs(text.at("y") - 4 - line.at("y2")) < 0.2 &&
             std::abs(text.at("x") - 18 - line.at("x2")) < 0.2;
    };
    CHECK(std::ranges::count_if(names, is_name) == 1);
  }
  CHECK(leaders.size() == curves);
  for (const auto& [series, count] : leaders) CHECK(count == compared_quantities.size());
}

TEST_CASE("compare: the pictures of the READMEs, which have the shape of a slide") {
  const CompareOptions options = everything(from_to(2, 64), {ElectionCase::worst});
  const Comparison comparison = compare(options);
  for (const auto& [name, language] :
       {std::pair("compare.svg", en), std::pair("compare.pt-BR.svg", pt)}) {
    const std::string picture = compare_svg(comparison, language);
    const bool is_golden = picture == contents(std::string("tests/golden/") + name);
    CHECK(is_golden);
    const Shape page = shapes_in(picture, "svg").at(0);
    CHECK(page.at("width") == 1280);
    CHECK(page.at("height") == 720);
    for (const Shape& frame : shapes_in(picture, "rect")) {
      if (frame.kind() == "frame") CHECK(frame.at("width") > 340);
    }
    check_line_names(picture, options.algorithms.size());
    // In a table a name and its figure are separated by a space like any other.
    const std::string table = compare_table(comparison.cases[0], language);
    CHECK(contains(table, "tanenbaum-ring 126, "));
    CHECK(!contains(table, "\u00a0"));
  }
}

TEST_CASE("compare: a table, word for word") {
  CompareOptions options = everything({4, 8}, {ElectionCase::worst});
  options.algorithms = {find_algorithm("bully"), find_algorithm("dolev-klawe-rodeh"),
                        find_algorithm("chang-roberts")};
  CHECK(compare_table(compare(options).cases[0], en) ==
        "The coordinator crashes, and the lowest process notices; each ring is in the\n"
        "worst order known of it\n\n"
        "  n  algorithm          messages  textbook  at most  time\n"
        "  4  bully                    11        11       11     2\n"
        "     dolev-klawe-rodeh        12        12       12     7\n"
        "     chang-roberts             9         9        9     6\n"
        "  8  bully                    55        55       55     2\n"
        "     dolev-klawe-rodeh        42        42       42    19\n"
        "     chang-roberts            35        35       35    14\n\n"
        "  fewest messages at n = 4: chang-roberts 9, bully 11,\n"
        "      dolev-klawe-rodeh 12\n"
        "  fewest messages at n = 8: chang-roberts 35, dolev-klawe-rodeh 42,\n"
        "      bully 55\n"
        "  fastest at n = 4, in message delays: bully 2, chang-roberts 6,\n"
        "      dolev-klawe-rodeh 7\n"
        "  fastest at n = 8, in message delays: bully 2, chang-roberts 14,\n"
        "      dolev-klawe-rodeh 19\n");
}

}  // namespace bully
