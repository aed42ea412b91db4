// How fast a long trace is read and judged, and the most memory that this takes: of one run under
// random faults for each algorithm.
//
//   check_bench [RECORDS]      by default 500000 at least of each. Exit status 1 where one is not
//   RIGHT.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "election/algorithm.h"
#include "sim/experiments.h"
#include "stage/trace_file.h"
#include "support/process.h"
#include "support/scratch.h"
#include "verdict/verdict.h"

namespace {

// The records of a run, in a file.
struct Recorded : bully::Sink {
  explicit Recorded(const std::string& path) : file(path) {}
  void record(const bully::Record& record) override {
    file.record(record);
    ++records;
  }
  bully::TraceFile file;
  std::size_t records = 0;
};

// Of a run whose faults last ever longer, until its trace has `records` lines or more.
void record_long_run(const bully::Algorithm& algorithm, std::size_t records,
                     const std::string& path) {
  bully::SweepOptions options{.nodes = 12, .world = {}};
  options.world.algorithm = &algorithm;
  for (options.faults_last = std::chrono::minutes(1);; options.faults_last *= 2) {
    options.crashes = static_cast<std::uint32_t>(options.faults_last / std::chrono::seconds(2));
    options.restarts = options.crashes;
    std::filesystem::remove(path);
    Recorded run(path);
    bully::sweep_one(options, 1, &run);
    if (run.records >= records) return;
  }
}

// Of processor time: the machine's other work does not count.
double seconds_of(const std::function<void()>& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

bool measure(const bully::Algorithm& algorithm, const std::string& path) {
  bully::Trace trace;
  bully::Report report;
  const double to_read = seconds_of([&] { trace = bully::read_traces({path}); });
  const double to_judge = seconds_of([&] { report = bully::check_trace(trace); });
  const bool right = report.verdict == bully::RunVerdict::right;
  const auto million = static_cast<double>(trace.records.size()) / 1e6;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  std::printf(
      "%-20s %9zu records, %4ju MB  %6zu elections  read %5.2f M/s  judged %5.2f M/s  "
      "%4ld MiB  %s\n",
      std::string(algorithm.name).c_str(), trace.records.size(),
      std::filesystem::file_size(path) / 1'000'000, report.history.elections().all().size(),
      million / to_read, million / to_judge, used.ru_maxrss / 1024, right ? "RIGHT" : "not RIGHT");
  std::fflush(stdout);
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t records = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 500'000;
  bully::guard_this_program();
  const bully::Scratch scratch;
  const std::string path = scratch.path() + "/trace";
  bool all_right = true;
  for (const bully::Algorithm& algorithm : bully::built_in_algorithms()) {
    record_long_run(algorithm, records, path);
    // In a process of its own, for its memory.
    bully::Child child([&] {
      if (!measure(algorithm, path)) throw std::runtime_error("not RIGHT");
    });
    all_right = child.end(std::chrono::hours(1)).exit_code == 0 && all_right;
  }
  return all_right ? 0 : 1;
}
