#include "sim/sweep_report.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>

namespace bully {

namespace {

using Measure = std::function<std::int64_t(const SweepRun&)>;

constexpr std::size_t longest_bar = 50;

std::vector<std::int64_t> sample(std::span<const SweepRun> runs, const Measure& measure) {
  std::vector<std::int64_t> values;
  values.reserve(runs.size());
  for (const SweepRun& run : runs) values.push_back(measure(run));
  return values;
}

Measure messages(MessageType type) {
  return
      [type](const SweepRun& run) { return static_cast<std::int64_t>(count_of(run.sent, type)); };
}

// The first column is as wide as the longest name that is usual there, or wider.
constexpr std::size_t name_columns = 22;
constexpr std::size_t figure_columns = 9;

// Characters, not bytes: a name may have accents.
std::size_t columns_of(const std::string& name) {
  return static_cast<std::size_t>(std::count_if(name.begin(), name.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80;
  }));
}

std::string spaces(std::size_t columns, const std::string& name) {
  const std::size_t used = columns_of(name);
  return std::string(columns > used ? columns - used : 0, ' ');
}

std::string row(const std::string& name, const Distribution& d, double unit, int decimals) {
  std::string line = name + spaces(name_columns, name);
  for (const std::int64_t value : {d.least, d.median, d.p90, d.p99, d.most}) {
    char cell[32];
    std::snprintf(cell, sizeof cell, " %*.*f", static_cast<int>(figure_columns), decimals,
                  static_cast<double>(value) / unit);
    line += cell;
  }
  return line + '\n';
}

std::string heading(const SweepWords& words) {
  std::string line(name_columns, ' ');
  for (const std::string& word :
       {words.least, words.median, std::string("90%"), std::string("99%"), words.most}) {
    line += ' ' + spaces(figure_columns, word) + word;
  }
  return line + '\n';
}

// "ELECTION 28, ANSWER 21, COORDINATOR 6"
std::string counts_text(const MessageCounts& counts, const Algorithm& algorithm,
                        const SweepWords& words) {
  std::string shown;
  for (const MessageType type : algorithm.messages) {
    const std::uint64_t count = count_of(counts, type);
    if (count == 0) continue;
    shown += (shown.empty() ? "" : ", ") + words.message_name(type) + ' ' + std::to_string(count);
  }
  return shown;
}

}  // namespace

Distribution distribution_of(std::vector<std::int64_t> sample) {
  if (sample.empty()) return {};
  std::sort(sample.begin(), sample.end());
  // The smallest value that at least `percent` of all do not exceed.
  const auto rank = [&](std::size_t percent) {
    const std::size_t count = (sample.size() * percent + 99) / 100;
    return sample[std::max<std::size_t>(count, 1) - 1];
  };
  const double sum = std::accumulate(sample.begin(), sample.end(), 0.0);
  return {.least = sample.front(),
          .median = rank(50),
          .p90 = rank(90),
          .p99 = rank(99),
          .most = sample.back(),
          .mean = sum / static_cast<double>(sample.size())};
}

std::string sweep_table(std::span<const SweepRun> runs, const SweepOptions& options,
                        const SweepWords& words) {
  constexpr double ns_per_ms = 1e6;
  std::string table = words.agreed + "\n\n" + heading(words);
  const auto add = [&](const std::string& name, const Measure& measure, double unit, int decimals) {
    table += row(name, distribution_of(sample(runs, measure)), unit, decimals);
  };
  add(
      words.time_to_agree, [](const SweepRun& run) { return run.time_to_agree.count(); }, ns_per_ms,
      1);
  add(
      words.contested, [](const SweepRun& run) { return run.contested.count(); }, ns_per_ms, 1);
  const Algorithm& algorithm = *options.algorithm;
  for (const MessageType type : algorithm.messages) {
    add(words.message_name(type), messages(type), 1, 0);
  }
  if (options.nodes < 2) return table;
  const MessageCounts bound = algorithm.bound(options.nodes);
  return table + '\n' + words.at_worst(counts_text(bound, algorithm, words)) + '\n';
}

std::string sweep_histogram(std::span<const SweepRun> runs, std::size_t rows) {
  if (runs.empty() || rows == 0) return {};
  const auto times = sample(runs, [](const SweepRun& run) { return run.time_to_agree.count(); });
  const std::int64_t longest = *std::max_element(times.begin(), times.end());
  const std::int64_t width = longest / static_cast<std::int64_t>(rows) + 1;
  std::vector<std::size_t> counts(rows);
  for (const std::int64_t time : times) ++counts[static_cast<std::size_t>(time / width)];
  const std::size_t fullest = *std::max_element(counts.begin(), counts.end());

  std::string text;
  for (std::size_t i = 0; i < rows; ++i) {
    const double from_ms = static_cast<double>(width) * static_cast<double>(i) / 1e6;
    char label[64];
    std::snprintf(label, sizeof label, "%9.1f ms %8zu ", from_ms, counts[i]);
    // Rounded up: what is there at all can be seen.
    text += label + std::string((counts[i] * longest_bar + fullest - 1) / fullest, '#') + "\n";
  }
  return text;
}

std::string sweep_csv(std::span<const SweepRun> runs, const Algorithm& algorithm) {
  std::string text = "seed,agreed,time_to_agree_ns,contested_ns";
  for (const MessageType type : algorithm.messages) text += ',' + std::string(message_name(type));
  text += '\n';
  for (const SweepRun& run : runs) {
    text += std::to_string(run.seed) + (run.agreed ? ",1," : ",0,") +
            std::to_string(run.time_to_agree.count()) + "," + std::to_string(run.contested.count());
    for (const MessageType type : algorithm.messages) {
      text += "," + std::to_string(count_of(run.sent, type));
    }
    text += "\n";
  }
  return text;
}

}  // namespace bully
