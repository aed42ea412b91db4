// sweep_report.h: the figures of many runs, as a table, a histogram and CSV.
//
// Text only, for a terminal of 80 columns; nothing is printed and nothing is judged here.
// Read next: sweep.h.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/sweep.h"

namespace bully {

// What a sample looks like. All zero where there is no sample.
struct Distribution {
  std::int64_t least = 0;
  std::int64_t median = 0;
  std::int64_t p90 = 0;  // nine out of ten are at most this
  std::int64_t p99 = 0;
  std::int64_t most = 0;
  double mean = 0;
};
Distribution distribution_of(std::vector<std::int64_t> sample);

// One row for each measured quantity: times in milliseconds, messages by type. Above it, how many
// runs ended in agreement; below, for comparison, what one fault-free election costs at worst.
std::string sweep_table(std::span<const SweepRun> runs, std::uint32_t nodes);

// The times to agreement, in `rows` equal intervals, a bar of up to 50 characters for each.
std::string sweep_histogram(std::span<const SweepRun> runs, std::size_t rows = 12);

// One line for each run, after a line with the names of the columns. Times in nanoseconds.
std::string sweep_csv(std::span<const SweepRun> runs);

}  // namespace bully
