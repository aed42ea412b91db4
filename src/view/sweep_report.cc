// sweep_report.cc: quantiles, intervals and columns.
#include "view/sweep_report.h"

#include <algorithm>
#include <functional>

#include "base/layout.h"
#include "base/list.h"
#include "base/time.h"
#include "words/names.h"

namespace bully {

namespace {

constexpr std::size_t longest_bar = 50;
// The first column is as wide as the usual longest name, or wider.
constexpr std::size_t measure_columns = 23;
constexpr std::size_t figure_columns = 9;

using Measure = std::function<std::int64_t(const SweepRun&)>;

std::int64_t time_to_agree(const SweepRun& run) {
  return run.time_to_agree.count();
}

std::vector<std::int64_t> sample(std::span<const SweepRun> runs, const Measure& measure) {
  std::vector<std::int64_t> values = list_of(runs, measure);
  std::ranges::sort(values);
  return values;
}

}  // namespace

std::int64_t quantile(const std::vector<std::int64_t>& sorted, std::size_t percent) {
  if (sorted.empty()) return 0;
  const std::size_t count = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<std::size_t>(count, 1) - 1];
}

std::string sweep_table(std::span<const SweepRun> runs, const SweepOptions& options,
                        Language language) {
  const auto say = [language](Text name) { return std::string(text(name, language)); };
  const Algorithm& algorithm = *options.world.algorithm;
  const auto agreed = static_cast<std::uint64_t>(std::ranges::count_if(runs, &SweepRun::agreed));
  std::string table = text(Text::sweep_agreed_of, language,
                           {grouped(agreed, language), grouped(runs.size(), language)}) +
                      "\n\n";
  const auto line = [&table](const std::string& name, const std::vector<std::string>& figures) {
    table += padded(name, measure_columns);
    for (const std::string& figure : figures) table += ' ' + right_aligned(figure, figure_columns);
    table += '\n';
  };
  line("", {say(Text::compare_least), say(Text::compare_median), "90%", "99%",
            say(Text::compare_most)});
  const auto row = [&](const std::string& name, double unit, const Measure& measure) {
    const std::vector<std::int64_t> sorted = sample(runs, measure);
    std::vector<std::string> figures;
    for (const std::size_t percent : {0U, 50U, 90U, 99U, 100U}) {
      const double value = static_cast<double>(quantile(sorted, percent)) / unit;
      figures.push_back(unit > 1 ? decimal(value, 1, language)
                                 : grouped(static_cast<std::uint64_t>(value), language));
    }
    line(name, figures);
  };
  row(say(Text::sweep_time_to_agree), ns_per_ms, time_to_agree);
  row(say(Text::sweep_contested), ns_per_ms,
      [](const SweepRun& run) { return run.contested.count(); });
  const bool has_bound = algorithm.bound != nullptr && options.nodes >= 2;
  std::vector<std::string> most;  // "ELECTION 28", "ANSWER 21"
  for (const MessageType type : algorithm.messages) {
    const std::string name = name_of(type, language);
    row(name, 1,
        [type](const SweepRun& run) { return static_cast<std::int64_t>(run.sent.of(type)); });
    const std::uint64_t bound = has_bound ? algorithm.bound_after_crash(options.nodes).of(type) : 0;
    if (bound > 0) most.push_back(name + ' ' + grouped(bound, language));
  }
  if (most.empty()) return table;
  return table + '\n' +
         rewrapped(text(Text::sweep_at_worst, language, {options.nodes, joined(most, ", ")}) +
                   '\n');
}

std::string sweep_histogram(std::span<const SweepRun> runs, Language language, std::size_t rows) {
  if (runs.empty() || rows == 0) return {};
  const std::vector<std::int64_t> times = sample(runs, time_to_agree);
  // No finer than the labels, which have one decimal.
  constexpr std::int64_t least_step = 100'000;
  const std::int64_t step =
      std::max(least_step, times.back() / static_cast<std::int64_t>(rows) + 1);
  rows = static_cast<std::size_t>(times.back() / step) + 1;
  if (rows == 1) return {};  // the table shows it already
  std::vector<std::size_t> counts(rows);
  for (const std::int64_t time : times) ++counts[static_cast<std::size_t>(time / step)];
  const std::size_t fullest = std::ranges::max(counts);

  std::string shown = '\n' + std::string(text(Text::sweep_histogram, language)) + '\n';
  for (std::size_t i = 0; i < rows; ++i) {
    const double from_ms = static_cast<double>(step) * static_cast<double>(i) / ns_per_ms;
    const std::string label = right_aligned(decimal(from_ms, 1, language), 9) + " ms " +
                              right_aligned(grouped(counts[i], language), 8);
    // Rounded up: any number above 0 is visible.
    const std::size_t bar = (counts[i] * longest_bar + fullest - 1) / fullest;
    shown += label + (bar > 0 ? ' ' + std::string(bar, '#') : "") + '\n';
  }
  return shown;
}

std::string sweep_csv(std::span<const SweepRun> runs, const Algorithm& algorithm) {
  std::string csv = "seed,agreed,time_to_agree_ns,contested_ns";
  for (const MessageType type : algorithm.messages) csv += ',' + std::string(type->name);
  csv += '\n';
  for (const SweepRun& run : runs) {
    csv += std::to_string(run.seed) + (run.agreed ? ",1," : ",0,") +
           std::to_string(run.time_to_agree.count()) + ',' + std::to_string(run.contested.count());
    for (const MessageType type : algorithm.messages) {
      csv += ',' + std::to_string(run.sent.of(type));
    }
    csv += '\n';
  }
  return csv;
}

}  // namespace bully
