// experiments_compare_test.cc: the comparison counts as the textbook does, and can fail.
#include "election/algorithm.h"
#include "sim/experiments.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "election/bully.h"
#include "fixture/compared.h"
#include "fixture/said.h"
#include "mutants/bully_mutants.h"
#include "pictures/compare.h"
#include "support/process.h"

namespace bully {
namespace {

constexpr Language en = Language::english;

const ComparedSeries& series_of(const ComparedCase& compared, std::string_view name) {
  const auto found = std::ranges::find(compared.series, name, &ComparedSeries::algorithm);
  REQUIRE(found != compared.series.end());
  return *found;
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
      CHECK(algorithm.count({.processes = ring}) == algorithm.bound(n));
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
    if (!algorithms()[k].has_ring()) continue;
    CHECK(by_noticing[0][k].messages == by_noticing[1][k].messages);
    const bool is_list = algorithms()[k].arrange_worst == nullptr;
    const std::uint64_t lists = is_list ? n - 1 : 1;
    CHECK(by_noticing[1][k].messages.most * lists == by_noticing[2][k].messages.most);
    CHECK(by_noticing[1][k].messages.least * lists == by_noticing[2][k].messages.least);
  }
}

template <Mutation mutation>
Algorithm mutant(std::string_view name) {
  Algorithm wrong = default_algorithm();
  wrong.name = name;
  wrong.make = [](NodeId self) { return mutants(mutation)(self); };
  return wrong;
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

}  // namespace bully
