// sweep_report.h: the figures of many runs, as a table, a histogram and CSV.
//
// Text only, for a terminal of 80 columns; nothing is printed and nothing is judged here.
// Read next: sweep.h.
#pragma once

#include <functional>
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

// What the table says, in the language of whoever reads it.
struct SweepWords {
  std::string agreed;  // so many of so many runs ended in agreement
  std::string least;
  std::string median;
  std::string most;
  std::string time_to_agree;
  std::string contested;
  std::function<std::string(MessageType)> message_name;
  // What one election costs at worst, by type: the whole sentence.
  std::function<std::string(const std::string& counts)> at_worst;
};

// One row for each measured quantity: times in milliseconds, and the algorithm's own messages by
// type. Above it, how many runs ended in agreement; below, for comparison, the most that one
// election takes that no fault disturbs.
std::string sweep_table(std::span<const SweepRun> runs, const SweepOptions& options,
                        const SweepWords& words);

// The times to agreement, in `rows` equal intervals, a bar of up to 50 characters for each.
std::string sweep_histogram(std::span<const SweepRun> runs, std::size_t rows = 12);

// One line for each run, after a line with the names of the columns: the messages by the names of
// the algorithm's own types. Times in nanoseconds.
std::string sweep_csv(std::span<const SweepRun> runs, const Algorithm& algorithm);

}  // namespace bully
