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

std::string row(const char* name, const Distribution& d, double unit, int decimals) {
  const auto in_unit = [unit](std::int64_t value) { return static_cast<double>(value) / unit; };
  char line[128];
  std::snprintf(line, sizeof line, "%-22s %9.*f %9.*f %9.*f %9.*f %9.*f\n", name, decimals,
                in_unit(d.least), decimals, in_unit(d.median), decimals, in_unit(d.p90), decimals,
                in_unit(d.p99), decimals, in_unit(d.most));
  return line;
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

std::string sweep_table(std::span<const SweepRun> runs, std::uint32_t nodes) {
  const auto agreed =
      std::count_if(runs.begin(), runs.end(), [](const SweepRun& run) { return run.agreed; });
  std::string table = std::to_string(agreed) + " of " + std::to_string(runs.size()) +
                      " runs ended in agreement\n\n";
  char head[128];
  std::snprintf(head, sizeof head, "%-22s %9s %9s %9s %9s %9s\n", "", "least", "median", "90%",
                "99%", "most");
  table += head;

  const auto add = [&](const char* name, const Measure& measure, double unit, int decimals) {
    table += row(name, distribution_of(sample(runs, measure)), unit, decimals);
  };
  constexpr double ns_per_ms = 1e6;
  add(
      "time to agreement, ms", [](const SweepRun& run) { return run.time_to_agree.count(); },
      ns_per_ms, 1);
  add(
      "two coordinators, ms", [](const SweepRun& run) { return run.contested.count(); }, ns_per_ms,
      1);
  add("ELECTION", messages(MessageType::election), 1, 0);
  add("ANSWER", messages(MessageType::answer), 1, 0);
  add("COORDINATOR", messages(MessageType::coordinator), 1, 0);

  if (nodes < 2) return table;
  const std::uint64_t n = nodes;
  table += "\none election of " + std::to_string(n) + ", at worst: ELECTION " +
           std::to_string(n * (n - 1) / 2) + ", ANSWER " + std::to_string((n - 1) * (n - 2) / 2) +
           ", COORDINATOR " + std::to_string(n - 2) + "\n";
  return table;
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

std::string sweep_csv(std::span<const SweepRun> runs) {
  std::string text = "seed,agreed,time_to_agree_ns,contested_ns,election,answer,coordinator\n";
  for (const SweepRun& run : runs) {
    text += std::to_string(run.seed) + (run.agreed ? ",1," : ",0,") +
            std::to_string(run.time_to_agree.count()) + "," + std::to_string(run.contested.count());
    for (const MessageType type :
         {MessageType::election, MessageType::answer, MessageType::coordinator}) {
      text += "," + std::to_string(count_of(run.sent, type));
    }
    text += "\n";
  }
  return text;
}

}  // namespace bully
