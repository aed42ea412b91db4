// How fast a long trace is read and judged: of one run under random faults for each algorithm.
//
//   check_bench [RECORDS]      by default 500000 at least of each. Exit status 1 where one is not
//   RIGHT.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "election/algorithm.h"
#include "sim/experiments.h"
#include "trace/verdict.h"

namespace {

struct Text : bully::Sink {
  void record(const bully::Record& record) override { lines += bully::trace_line(record); }
  std::string lines;
};

// A run whose faults last ever longer, until its trace has `records` lines or more.
std::string long_trace(const bully::Algorithm& algorithm, std::size_t records) {
  bully::SweepOptions options{.nodes = 12, .world = {}};
  options.world.algorithm = &algorithm;
  options.faults_last = std::chrono::minutes(1);
  while (true) {
    options.crashes = static_cast<std::uint32_t>(options.faults_last / std::chrono::seconds(2));
    options.restarts = options.crashes;
    Text text;
    bully::sweep_one(options, 1, &text);
    const auto lines = static_cast<std::size_t>(std::ranges::count(text.lines, '\n'));
    if (lines >= records) return std::move(text.lines);
    options.faults_last *= 2;
  }
}

// Of processor time: the machine's other work does not count.
double seconds_of(const std::function<void()>& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

bool measure(const bully::Algorithm& algorithm, std::size_t records) {
  const std::string text = long_trace(algorithm, records);
  bully::Trace trace;
  bully::Report report;
  const double to_read = seconds_of([&] { trace = bully::parse_trace(text, "long"); });
  const double to_judge = seconds_of([&] { report = bully::check_trace(trace); });
  const bool right = report.verdict == bully::RunVerdict::right;
  const auto million = static_cast<double>(trace.records.size()) / 1e6;
  std::printf("%-20s %9zu records  %6zu elections  read %5.2f M/s  judged %5.2f M/s  %s\n",
              std::string(algorithm.name).c_str(), trace.records.size(), report.elections.size(),
              million / to_read, million / to_judge, right ? "RIGHT" : "not RIGHT");
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t records = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 500'000;
  bool all_right = true;
  for (const bully::Algorithm& algorithm : bully::built_in_algorithms()) {
    all_right = measure(algorithm, records) && all_right;
  }
  return all_right ? 0 : 1;
}
