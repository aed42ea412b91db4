// The comparison: its counts are the textbook's, it can fail, and its views show what was measured.
#include "election/algorithm.h"
#include "sim/experiments.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "election/bully.h"
#include "fixture/labels.h"
#include "fixture/said.h"
#include "mutants/bully_mutants.h"
#include "pictures/compare.h"
#include "pictures/svg.h"
#include "support/markup.h"
#include "support/process.h"

namespace bully {
namespace {

constexpr Language en = Language::english;
constexpr Language pt = Language::portuguese;
const auto& [by_messages, by_time, by_bytes] = compared_quantities;

// The first five of the table: those of the picture in the README.
CompareOptions everything(std::vector<std::size_t> nodes,
                          std::vector<ElectionCase> cases = {
                              ElectionCase::best, ElectionCase::worst, ElectionCase::random}) {
  CompareOptions options;
  for (const Algorithm& algorithm : algorithms().first(5)) options.algorithms.push_back(&algorithm);
  options.nodes = std::move(nodes);
  options.cases = std::move(cases);
  options.runs = 7;
  return options;
}

std::vector<std::size_t> from_to(std::size_t first, std::size_t last) {
  std::vector<std::size_t> nodes(last - first + 1);
  std::iota(nodes.begin(), nodes.end(), first);
  return nodes;
}

const ComparedSeries& series_of(const ComparedCase& compared, std::string_view name) {
  const auto found = std::ranges::find(compared.series, name, &ComparedSeries::algorithm);
  REQUIRE(found != compared.series.end());
  return *found;
}

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

TEST_CASE("compare: the worst orders reach the bounds, whatever the number of processes") {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.topology != Topology::ring) continue;
    CAPTURE(algorithm.name);
    // Where no order takes more than another, the most is taken if all notice.
    if (algorithm.arrange_worst == nullptr) {
      const std::vector<NodeId> ring = {3, 1, 2};
      CHECK(algorithm.count({.processes = ring, .noticed = 3}) == algorithm.bound(3));
      continue;
    }
    for (std::size_t n = 2; n <= 200; ++n) {
      std::vector<NodeId> ring = one_to(n);
      algorithm.arrange_worst(ring);
      const MessageCounts worst = algorithm.count({.processes = ring});
      // The textbook's bound for Hirschberg and Sinclair is not tight: see ring_test.cc.
      if (algorithm.name == "hirschberg-sinclair") {
        CHECK(election_total(worst) < election_total(algorithm.bound(n)));
      } else {
        CHECK(worst == algorithm.bound(n));
      }
      CHECK(std::ranges::is_permutation(ring, one_to(n)));
    }
    std::vector<NodeId> none;
    algorithm.arrange_worst(none);
    CHECK(none.empty());
  }
}

TEST_CASE("compare: the messages of each case are the textbook's formulas") {
  const Comparison comparison = compare(everything({2, 3, 4, 5, 8, 9, 16, 17, 33, 65}));
  CHECK(comparison.is_right);
  for (const ComparedCase& compared : comparison.cases) {
    CHECK(compared.runs == (compared.election_case == ElectionCase::random ? 7U : 1U));
    for (const ComparedSeries& series : compared.series) {
      for (const ComparedPoint& point : series.points) {
        CHECK(point.messages == point.textbook);
        CHECK(point.messages.most <= point.bound);
      }
    }
  }
  const ComparedCase& best = comparison.cases[0];
  const ComparedCase& worst = comparison.cases[1];
  for (std::size_t i = 0; i < best.series[0].points.size(); ++i) {
    const std::uint64_t n = best.series[0].points[i].nodes;
    CAPTURE(n);
    const auto median = [i](const ComparedCase& compared, std::string_view name) {
      return series_of(compared, name).points[i].messages.median;
    };
    CHECK(median(best, "bully") == n - 1);
    CHECK(median(worst, "bully") == n * n - n - 1);
    if (n == 2) continue;
    const std::uint64_t m = n - 1;  // the ring without the coordinator that crashed
    const auto rounds = static_cast<std::uint64_t>(std::bit_width(m)) - 1;
    CHECK(median(best, "dolev-klawe-rodeh") == 4 * m);
    CHECK(median(worst, "dolev-klawe-rodeh") == 2 * m * rounds + 2 * m);
    CHECK(median(best, "chang-roberts") == 3 * m - 1);
    CHECK(median(worst, "chang-roberts") == m * (m + 3) / 2);
  }
}

TEST_CASE("compare: time in message delays") {
  const Comparison comparison = compare(everything({3, 5, 9, 17}));
  for (std::size_t i = 0; i < 4; ++i) {
    // The highest follower tells the others at once; from the lowest, one ELECTION goes before.
    CHECK(series_of(comparison.cases[0], "bully").points[i].time.median == 1);
    CHECK(series_of(comparison.cases[1], "bully").points[i].time.median == 2);
    // The highest sends its id once round, and then the LEADER up to the last.
    const ComparedPoint& plain = series_of(comparison.cases[0], "chang-roberts").points[i];
    CHECK(plain.time.median == 2 * (plain.nodes - 1) - 1);
  }
}

TEST_CASE(
    "compare: the detecting process changes bully's count as the textbook has it, and of the "
    "rings' only that of lists") {
  const std::uint64_t n = 12;
  std::vector<std::vector<ComparedPoint>> by_noticing;
  for (const Noticing noticing : {Noticing::highest, Noticing::lowest, Noticing::all}) {
    CompareOptions options = everything({n});
    options.noticing = noticing;
    const Comparison comparison = compare(options);
    CHECK(comparison.is_right);
    const ComparedCase& random = comparison.cases[2];
    by_noticing.push_back({});
    for (const ComparedSeries& series : random.series) {
      by_noticing.back().push_back(series.points[0]);
    }
  }
  CHECK(by_noticing[0][0].messages == Spread{n - 1, n - 1, n - 1});
  CHECK(by_noticing[1][0].messages.most == n * n - n - 1);
  CHECK(by_noticing[2][0].messages.least == n * n - n - 1);
  CHECK(by_noticing[2][0].time == Spread{1, 1, 1});
  for (std::size_t k = 1; k < by_noticing[0].size(); ++k) {
    CHECK(by_noticing[0][k].messages == by_noticing[1][k].messages);
    const bool is_list = algorithms()[k].arrange_worst == nullptr;
    const std::uint64_t lists = is_list ? n - 1 : 1;
    CHECK(by_noticing[1][k].messages.most * lists == by_noticing[2][k].messages.most);
    CHECK(by_noticing[1][k].messages.least * lists == by_noticing[2][k].messages.least);
  }
}

TEST_CASE("compare: bytes are those of the encoded messages that are counted") {
  const Comparison comparison = compare(everything({2, 3}, {ElectionCase::best}));
  const ComparedCase& best = comparison.cases[0];
  // ELECTION to the crashed one, with its name, and COORDINATOR.
  Message election{.type = messages::election, .from = 2, .number = 1};
  election.set(fields::lost, 3);
  const Message coordinator{.type = messages::coordinator, .from = 2, .number = 2};
  const std::uint64_t both = encode(election).size() + encode(coordinator).size();
  CHECK(series_of(best, "bully").points[1].bytes.median == both);
  // What a ring sends to the crashed one is not counted, nor are its bytes.
  CHECK(series_of(best, "dolev-klawe-rodeh").points[0].messages == Spread{});
  CHECK(series_of(best, "dolev-klawe-rodeh").points[0].bytes == Spread{});
}

TEST_CASE("compare: a list makes few messages long, and that is said") {
  CompareOptions options = everything({4, 8, 16, 32, 64}, {ElectionCase::worst});
  options.algorithms = {find_algorithm("dolev-klawe-rodeh"), find_algorithm("tanenbaum-ring")};
  const ComparedCase compared = compare(options).cases[0];
  CHECK(ranking_words(compared, by_messages, en) ==
        std::vector<std::string>{
            "fewest messages at n = 4: tanenbaum-ring\u00a06, dolev-klawe-rodeh\u00a012",
            "fewest messages at n = 64: tanenbaum-ring\u00a0126, dolev-klawe-rodeh\u00a0756"});
  CHECK(ranking_words(compared, by_bytes, en) ==
        std::vector<std::string>{
            "fewest bytes at n = 4: tanenbaum-ring\u00a084, dolev-klawe-rodeh\u00a0111",
            "fewest bytes at n = 64: dolev-klawe-rodeh\u00a08,696, tanenbaum-ring\u00a018,162"});
}

std::vector<const Algorithm*> all_algorithms() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : algorithms()) all.push_back(&algorithm);
  return all;
}

TEST_CASE("compare: every algorithm survives loss, a stop and a partition") {
  const Survivals survivals = try_out(all_algorithms(), 100, 1);
  REQUIRE(survivals.algorithms.size() == algorithms().size());
  for (const Survival& one : survivals.algorithms) {
    CAPTURE(one.algorithm);
    for (const std::uint64_t survived : one.survived) CHECK(survived == 100);
  }
  const Survival& bully = survivals.algorithms.front();
  const Survival& ring = survivals.algorithms[1];
  for (const std::uint64_t contested : bully.contested) CHECK(contested > 0);
  // A stopped coordinator is one in its own belief, whatever the algorithm.
  for (const Survival& one : survivals.algorithms) {
    CAPTURE(one.algorithm);
    CHECK(one.contested[static_cast<std::size_t>(Trial::stop)] > 0);
  }
  CHECK(ring.contested[static_cast<std::size_t>(Trial::partition)] > 0);
}

template <Mutation mutation>
Algorithm mutant(std::string_view name) {
  Algorithm wrong = default_algorithm();
  wrong.name = name;
  wrong.make = [](NodeId self) { return mutants(mutation)(self); };
  return wrong;
}

TEST_CASE("compare: what an election told wrongly does not survive is found, by its seed") {
  const Algorithm hopeful = mutant<Mutation::no_coordinator_timer>("hopeful");
  const Algorithm stubborn = mutant<Mutation::ignores_deposed>("stubborn");
  const Survivals survivals = try_out(std::array{&hopeful, &stubborn}, 50, 1);
  const auto survived = [&](std::size_t which, Trial trial) {
    return survivals.algorithms[which].survived.at(static_cast<std::size_t>(trial));
  };
  CHECK(survived(0, Trial::loss) < 50);
  CHECK(survived(0, Trial::stop) == 50);
  CHECK(survived(1, Trial::partition) < 50);
  const std::string table = survival_table(survivals, en);
  CAPTURE(table);
  CHECK(table.find("✗ " + std::to_string(survived(0, Trial::loss)) + "  ") != std::string::npos);
  CHECK(survival_table(try_out(std::array{&hopeful, &stubborn}, 50, 1), en) == table);
}

TEST_CASE("compare: what is survived, word for word, and in 80 columns") {
  const Survivals made{.nodes = 5,
                       .runs = 9,
                       .algorithms = {{"bully", {9, 9, 9}, {1, 0, 9}},
                                      {"hirschberg-sinclair", {9, 0, 8}, {0, 2, 3}}}};
  CHECK(survival_table(made, en).starts_with(
      "Faults survived by each: 5 processes, 9 runs of each\n\n"
      "  algorithm            loss  two  stop  two  partition  two\n"
      "  bully                   ✓    1     ✓    0          ✓    9\n"
      "  hirschberg-sinclair     ✓    0   ✗ 0    2        ✗ 8    3\n\n"));
  for (const Language language : {en, pt}) {
    check_fits(survival_table(made, language));
  }
}

TEST_CASE("compare: a seed gives the same figures, and each n the same beside any others") {
  CompareOptions options = everything({4, 9, 14});
  CHECK(compare_csv(compare(options)) == compare_csv(compare(options)));
  const Comparison three = compare(options);
  options.nodes = {9};
  const Comparison one = compare(options);
  for (std::size_t k = 0; k < one.cases[2].series.size(); ++k) {
    const ComparedPoint& alone = one.cases[2].series[k].points[0];
    CHECK(alone.messages == three.cases[2].series[k].points[1].messages);
    CHECK(alone.time == three.cases[2].series[k].points[1].time);
  }
  options.seed = 2;
  CHECK(compare_csv(compare(options)) != compare_csv(one));
}

TEST_CASE("compare: an election that is wrong is noticed and told") {
  // A bully whose books promise less than it takes, and one that follows no process.
  Algorithm stingy = default_algorithm();
  stingy.name = "stingy";
  stingy.bound = [](std::size_t n) { return bully_algorithm().bound(n - 1); };
  stingy.count = [](const CountedElection&) { return MessageCounts{}; };
  const Algorithm deaf = mutant<Mutation::ignores_coordinator>("deaf");
  const Comparison comparison = compare({.algorithms = {&default_algorithm(), &stingy, &deaf},
                                         .nodes = {6},
                                         .cases = {ElectionCase::worst}});
  CHECK(!comparison.is_right);
  const auto point = [&](std::size_t i) { return comparison.cases[0].series[i].points[0]; };
  CHECK(point(0).is_right());
  CHECK(point(1).over_bound == 1);
  CHECK(point(1).miscounted == 1);
  CHECK(point(1).disagreed == 0);
  CHECK(point(2).disagreed == 1);
  const std::string table = compare_table(comparison.cases[0], en);
  check_says(table, {"✗ n = 6, stingy: of 1 runs, 0 did not agree, 1 exceeded the bound, 1 "
                     "differed from the textbook's count",
                     "✗ n = 6, deaf: of 1 runs, 1 did not agree"});
}

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

TEST_CASE("compare: one election takes fewer messages than another from a certain n on") {
  constexpr std::size_t most = 40;
  const ComparedCase compared =
      compare(everything(from_to(2, most), {ElectionCase::worst})).cases[0];
  const auto cheaper_from = [&](std::string_view less, std::string_view more) {
    std::size_t n = most + 1;
    const auto messages_of = [&](std::string_view name) {
      return series_of(compared, name).points[n - 3].messages.median;
    };
    while (n > 2 && messages_of(less) < messages_of(more)) --n;
    return n;
  };
  // As the formulas of the test of each case have it.
  CHECK(cheaper_from("dolev-klawe-rodeh", "bully") == 7);
  CHECK(cheaper_from("chang-roberts", "bully") == 4);
  CHECK(cheaper_from("dolev-klawe-rodeh", "chang-roberts") == 19);
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

TEST_CASE("compare: tables fit into 80 columns, and in the picture no words overlap") {
  const Comparison comparison = compare(everything(from_to(2, is_sanitized ? 24 : 64)));
  for (const Language language : {en, pt}) {
    for (const ComparedCase& compared : comparison.cases) {
      const std::string page = compare_table(compared, language) + compare_notes(language);
      check_fits(page);
      CHECK(!contains(page, " \n"));
      CHECK(contains(page, language == en ? "refuses a message to the crashed process at once"
                                          : "recusa na hora a mensagem ao processo que caiu"));
      for (const Algorithm& algorithm : algorithms().first(5)) {
        CHECK(contains(page, algorithm.name));
      }
    }
    const std::string svg = compare_svg(comparison, language);
    CHECK(markup_error(svg) == "");
    CHECK(!contains(svg, "nan"));
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
  CompareOptions options = everything(from_to(2, 64), {ElectionCase::worst});
  options.algorithms = all_algorithms();
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
        "Worst case: the lowest process notices; each ring is in its worst order\n\n"
        "  n  algorithm          messages  textbook  at most  bytes  time\n"
        "  4  bully                    11        11       11     70     2\n"
        "     dolev-klawe-rodeh        12        12       12    111     7\n"
        "     chang-roberts             9         9        9     81     6\n"
        "  8  bully                    55        55       55    356     2\n"
        "     dolev-klawe-rodeh        42        42       42    392    19\n"
        "     chang-roberts            35        35       35    315    14\n\n"
        "  fewest messages at n = 4: chang-roberts 9, bully 11,\n"
        "      dolev-klawe-rodeh 12\n"
        "  fewest messages at n = 8: chang-roberts 35, dolev-klawe-rodeh 42,\n"
        "      bully 55\n"
        "  fastest at n = 4, in message delays: bully 2, chang-roberts 6,\n"
        "      dolev-klawe-rodeh 7\n"
        "  fastest at n = 8, in message delays: bully 2, chang-roberts 14,\n"
        "      dolev-klawe-rodeh 19\n"
        "  fewest bytes at n = 4: bully 70, chang-roberts 81, dolev-klawe-rodeh 111\n"
        "  fewest bytes at n = 8: chang-roberts 315, bully 356,\n"
        "      dolev-klawe-rodeh 392\n");
}

}  // namespace bully
