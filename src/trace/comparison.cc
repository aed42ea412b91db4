#include "trace/comparison.h"

#include <algorithm>
#include <utility>

namespace bully {

Spread spread_of(std::vector<std::uint64_t> sample) {
  if (sample.empty()) return {};
  std::sort(sample.begin(), sample.end());
  return {sample.front(), sample[(sample.size() - 1) / 2], sample.back()};
}

std::string_view election_case_name(ElectionCase election_case) {
  switch (election_case) {
    case ElectionCase::best:
      return "best";
    case ElectionCase::worst:
      return "worst";
    case ElectionCase::random:
      return "random";
  }
  return "";
}

bool Comparison::is_right() const {
  return std::all_of(cases.begin(), cases.end(), [](const ComparedCase& compared) {
    return std::all_of(
        compared.series.begin(), compared.series.end(), [](const ComparedSeries& series) {
          return std::all_of(series.points.begin(), series.points.end(),
                             [](const ComparedPoint& point) { return point.is_right(); });
        });
  });
}

const Spread& spread_in(const ComparedPoint& point, Quantity quantity) {
  return quantity == Quantity::messages ? point.messages : point.time;
}

namespace {

// Below zero where `a` takes less than `b`, above it where more.
int order_at(const ComparedSeries& a, const ComparedSeries& b, std::size_t i, Quantity quantity) {
  const std::uint64_t of_a = spread_in(a.points[i], quantity).median;
  const std::uint64_t of_b = spread_in(b.points[i], quantity).median;
  return (of_a > of_b ? 1 : 0) - (of_a < of_b ? 1 : 0);
}

}  // namespace

std::vector<Overtaking> overtakings(const ComparedCase& compared, Quantity quantity) {
  std::vector<Overtaking> found;
  const std::vector<ComparedSeries>& series = compared.series;
  for (std::size_t a = 0; a < series.size(); ++a) {
    for (std::size_t b = a + 1; b < series.size(); ++b) {
      std::size_t first = series[a].points.size();
      if (first == 0) continue;
      const int in_the_end = order_at(series[a], series[b], first - 1, quantity);
      while (first > 0 && order_at(series[a], series[b], first - 1, quantity) == in_the_end) {
        --first;
      }
      Overtaking overtaking{.less = a, .more = b, .as_much = in_the_end == 0};
      if (in_the_end > 0) std::swap(overtaking.less, overtaking.more);
      if (first > 0) overtaking.from = series[a].points[first].nodes;
      found.push_back(overtaking);
    }
  }
  return found;
}

}  // namespace bully
