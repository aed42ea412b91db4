// compare.cc: a comparison in words, as a table and as CSV, and the scales of its plots.
#include "pictures/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/layout.h"
#include "base/list.h"
#include "base/text.h"
#include "election/algorithm.h"
#include "words/names.h"

namespace bully {

namespace {

// In the order of ElectionCase, and of Noticing.
constexpr std::array<std::string_view, 3> case_names = {"best", "worst", "random"};
constexpr std::array<std::string_view, 4> noticing_names = {"highest", "lowest", "all", "someone"};

// Among fewer processes, each of these elections takes hardly any messages.
constexpr std::size_t telling_nodes = 4;
// Keeps a name and its figure in one line.
constexpr std::string_view unbroken_space = "\u00a0";
constexpr std::string_view ranking_indent = "      ";

// With more numbers of processes than this, only some get rows.
constexpr std::size_t most_rows = 12;

struct Column {
  Text heading;
  std::optional<std::uint64_t> figure;  // nothing: there is none
};
std::vector<Column> columns_of(const ComparedPoint& point, bool several) {
  using enum Text;
  const Spread& messages = point.messages;
  const Spread& time = point.time;
  if (!several) {
    return {
        {compare_messages, messages.median},
        {compare_textbook, point.textbook ? std::optional(point.textbook->median) : std::nullopt},
        {compare_at_most, point.bound},
        {compare_time, time.median}};
  }
  return {{compare_least, messages.least}, {compare_median, messages.median},
          {compare_most, messages.most},   {compare_least, time.least},
          {compare_median, time.median},   {compare_most, time.most}};
}

// The numbers of these digits, from the last one <= `least` to the first one >= `most`.
std::vector<std::uint64_t> round_numbers(std::uint64_t least, std::uint64_t most,
                                         std::uint64_t base,
                                         std::initializer_list<std::uint64_t> digits) {
  std::vector<std::uint64_t> round;
  for (std::uint64_t power = 1; power <= UINT64_MAX / base / base; power *= base) {
    for (const std::uint64_t digit : digits) {
      const std::uint64_t number = digit * power;
      if (number <= least) round.clear();
      round.push_back(number);
      if (number >= most && round.size() > 1) return round;
    }
  }
  return round;
}

}  // namespace

std::string case_words(const ComparedCase& compared, Language language) {
  const auto name = case_names.at(static_cast<std::size_t>(compared.election_case));
  const auto noticing = noticing_names.at(static_cast<std::size_t>(compared.noticing));
  // If the highest wins, ids can name the first and the last in rank.
  const bool by_id = std::ranges::all_of(compared.series, [](const ComparedSeries& series) {
    return algorithm_named(series.algorithm).prefers == higher_first;
  });
  const std::string_view key = by_id ? "compare_by_" : "compare_by_rank_";
  return text(
      Text::compare_crash, language,
      {word_or(word_key(key, noticing), word_key("compare_by_", noticing), language),
       word(word_key("compare_ring_", name), language, {grouped(compared.runs, language)})});
}

std::vector<std::string> ranking_words(const ComparedCase& compared, const Quantity& quantity,
                                       Language language) {
  if (compared.series.empty() || compared.series.front().points.empty()) return {};
  const std::vector<ComparedPoint>& points = compared.series.front().points;
  const auto is_telling = [](const ComparedPoint& point) { return point.nodes >= telling_nodes; };
  const auto small = std::ranges::find_if(points, is_telling);
  std::vector<std::size_t> shown = {points.size() - 1};
  if (small < points.end() - 1) shown.insert(shown.begin(), std::size_t(small - points.begin()));
  std::vector<std::string> sentences;
  for (const std::size_t i : shown) {
    std::vector<std::pair<std::uint64_t, std::string_view>> ranks;
    for (const ComparedSeries& series : compared.series) {
      ranks.emplace_back((series.points[i].*quantity.spread).median, series.algorithm);
    }
    std::ranges::stable_sort(ranks, {}, &decltype(ranks)::value_type::first);
    const auto rank = [language](const auto& one) {
      return std::string(one.second).append(unbroken_space).append(grouped(one.first, language));
    };
    sentences.push_back(
        text(quantity.ranking, language, {points[i].nodes, joined(ranks, ", ", rank)}));
  }
  return sentences;
}

std::string compare_table(const ComparedCase& compared, Language language) {
  const auto say = [language](Text name) { return std::string(text(name, language)); };
  const bool several = compared.runs > 1;
  Table rows;
  if (several) {
    rows.push_back({"", "", "", say(Text::compare_messages), "", "", say(Text::compare_time)});
  }
  rows.push_back({"n", say(Text::compare_algorithm)});
  for (const Column& column : columns_of({}, several)) rows.back().push_back(say(column.heading));
  const std::size_t count = compared.series.empty() ? 0 : compared.series.front().points.size();
  const bool is_cut = count > most_rows;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t nodes = compared.series.front().points[i].nodes;
    if (is_cut && i > 0 && i + 1 < count && !std::has_single_bit(nodes)) continue;
    for (const ComparedSeries& series : compared.series) {
      const bool is_first = &series == &compared.series.front();
      rows.push_back({is_first ? std::to_string(nodes) : "", std::string(series.algorithm)});
      for (const Column& column : columns_of(series.points[i], several)) {
        rows.back().push_back(column.figure ? grouped(*column.figure, language) : "–");
      }
    }
  }
  std::string page = rewrapped(case_words(compared, language) + "\n\n");
  const auto add = [&page](const std::string& line) { page += "  " + line + '\n'; };
  std::ranges::for_each(aligned(rows, "rlr"), add);
  if (is_cut) add(say(Text::compare_more_rows));
  page += '\n';
  for (const Quantity& quantity : compared_quantities) {
    for (const std::string& sentence : ranking_words(compared, quantity, language)) {
      const auto lines = wrapped(sentence, narration_columns - ranking_indent.size());
      const std::string ranking = joined(lines, '\n' + std::string(ranking_indent));
      add(replaced(ranking, unbroken_space, " "));
    }
  }
  bool is_equal = several;
  for (const ComparedSeries& series : compared.series) {
    for (const ComparedPoint& point : series.points) {
      is_equal = is_equal && point.is_right() && point.textbook;
      if (point.is_right()) continue;
      add("✗ " + text(Text::compare_wrong, language,
                      {point.nodes, series.algorithm, compared.runs, point.disagreed,
                       point.over_bound, point.miscounted}));
    }
  }
  if (is_equal) add(say(Text::compare_note_equal));
  return page;
}

std::vector<std::string> compare_notes(const Comparison& comparison, Language language) {
  std::vector<std::string> notes = {std::string(text(Text::compare_note_n, language)),
                                    std::string(text(Text::compare_note_counted, language))};
  const auto has_bully = [](const ComparedCase& one) {
    return std::ranges::count(one.series, default_algorithm().name, &ComparedSeries::algorithm) > 0;
  };
  if (std::ranges::any_of(comparison.cases, has_bully)) {
    notes.emplace_back(text(Text::compare_note_refused, language));
  }
  return notes;
}

std::string compare_csv(const Comparison& comparison) {
  std::string lines =
      "case,nodes,algorithm,runs,messages_least,messages_median,messages_most,textbook_least,"
      "textbook_median,textbook_most,bound,time_least,time_median,time_most,disagreed,over_bound,"
      "miscounted\n";
  for (const ComparedCase& compared : comparison.cases) {
    for (const ComparedSeries& series : compared.series) {
      for (const ComparedPoint& point : series.points) {
        lines.append(case_names.at(static_cast<std::size_t>(compared.election_case))).append(",");
        lines.append(std::to_string(point.nodes)).append(",").append(series.algorithm);
        const auto counted = [&point](std::uint64_t Spread::*which) {
          return point.textbook ? std::optional((*point.textbook).*which) : std::nullopt;
        };
        for (const std::optional<std::uint64_t> figure :
             std::initializer_list<std::optional<std::uint64_t>>{
                 compared.runs, point.messages.least, point.messages.median, point.messages.most,
                 counted(&Spread::least), counted(&Spread::median), counted(&Spread::most),
                 point.bound, point.time.least, point.time.median, point.time.most, point.disagreed,
                 point.over_bound, point.miscounted}) {
          lines += ',' + (figure ? std::to_string(*figure) : "");
        }
        lines += '\n';
      }
    }
  }
  return lines;
}

double LogScale::place(std::uint64_t value) const {
  const auto log_of = [](std::uint64_t number) {
    return std::log(static_cast<double>(std::max<std::uint64_t>(number, 1)));
  };
  const double low = log_of(ticks.front());
  return (log_of(value) - low) / (log_of(ticks.back()) - low);
}

LogScale log_scale(std::uint64_t least, std::uint64_t most, std::uint64_t base) {
  constexpr std::size_t few_ticks = 3;
  LogScale scale{round_numbers(least, most, base, {1})};
  const bool is_finer = base == 10 && scale.ticks.size() <= few_ticks;
  if (is_finer) scale.ticks = round_numbers(least, most, base, {1, 2, 5});
  return scale;
}

std::optional<Plot> plot_of(const ComparedCase& compared, const Quantity& quantity) {
  std::vector<std::uint64_t> nodes;
  std::vector<std::uint64_t> figures;
  std::vector<ComparedSeries> drawn = compared.series;
  for (ComparedSeries& series : drawn) {
    for (const ComparedPoint& point : series.points) {
      nodes.push_back(point.nodes);
      const Spread& spread = point.*quantity.spread;
      figures.insert(figures.end(), {spread.least, spread.median, spread.most});
    }
    std::erase_if(series.points,
                  [&](const ComparedPoint& point) { return (point.*quantity.spread).median == 0; });
  }
  std::erase(figures, 0);
  if (figures.empty()) return std::nullopt;
  return Plot{quantity, log_scale(std::ranges::min(nodes), std::ranges::max(nodes), 2),
              log_scale(std::ranges::min(figures), std::ranges::max(figures), 10),
              std::move(drawn)};
}

}  // namespace bully
