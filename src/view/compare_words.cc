#include "view/compare_words.h"

#include <algorithm>

namespace bully {

namespace {

Text noticing_text(const ComparedCase& compared) {
  switch (compared.noticing) {
    case Noticing::highest:
      return Text::compare_by_highest;
    case Noticing::lowest:
      return Text::compare_by_lowest;
    case Noticing::all:
      return Text::compare_by_all;
    case Noticing::as_case:
      break;
  }
  switch (compared.election_case) {
    case ElectionCase::best:
      return Text::compare_by_highest;
    case ElectionCase::worst:
      return Text::compare_by_lowest;
    case ElectionCase::random:
      break;
  }
  return Text::compare_by_someone;
}

}  // namespace

std::string case_words(const ComparedCase& compared, Language language) {
  Text name = Text::compare_random;
  Text ring = Text::compare_ring_random;
  if (compared.election_case == ElectionCase::best) {
    name = Text::compare_best;
    ring = Text::compare_ring_by_id;
  } else if (compared.election_case == ElectionCase::worst) {
    name = Text::compare_worst;
    ring = Text::compare_ring_worst;
  }
  return std::string(text(name, language)) + ": " +
         std::string(text(noticing_text(compared), language)) + "; " +
         text(ring, language, {std::to_string(compared.runs)});
}

std::vector<std::string> overtaking_words(const ComparedCase& compared, Quantity quantity,
                                          Language language) {
  const bool messages = quantity == Quantity::messages;
  std::vector<std::string> sentences;
  for (const Overtaking& overtaking : overtakings(compared, quantity)) {
    const std::string_view less = compared.series[overtaking.less].algorithm;
    const std::string_view more = compared.series[overtaking.more].algorithm;
    Text words = messages ? Text::compare_fewer_from : Text::compare_faster_from;
    if (overtaking.as_much) {
      words = messages ? Text::compare_fewer_nobody : Text::compare_faster_nobody;
    } else if (!overtaking.from) {
      words = messages ? Text::compare_fewer_always : Text::compare_faster_always;
    }
    sentences.push_back(
        text(words, language, {less, more, std::to_string(overtaking.from.value_or(0))}));
  }
  return sentences;
}

std::optional<CompareAxes> axes_of(const ComparedCase& compared, Quantity quantity) {
  std::vector<std::uint64_t> nodes;
  std::uint64_t least = UINT64_MAX;
  std::uint64_t most = 0;
  for (const ComparedSeries& series : compared.series) {
    for (const ComparedPoint& point : series.points) {
      const Spread& spread = spread_in(point, quantity);
      nodes.push_back(point.nodes);
      most = std::max(most, spread.most);
      for (const std::uint64_t figure : {spread.least, spread.median, spread.most}) {
        if (figure > 0) least = std::min(least, figure);
      }
    }
  }
  if (most == 0) return std::nullopt;
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return CompareAxes{doubling_axis(nodes), decimal_axis(least, most)};
}

}  // namespace bully
