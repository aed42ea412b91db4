// sweep_report.h: the figures of many elections under random faults: a table, a histogram, a file
// of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "election/algorithm.h"
#include "values/sweep.h"
#include "words/words.h"

namespace bully {

// The smallest value that at least `percent` of all do not exceed; 0 without values.
std::int64_t quantile(const std::vector<std::int64_t>& sorted, std::size_t percent);
// One row for each measured quantity: times in milliseconds, and the algorithm's own messages by
// type. Above it, the number of runs that ended in agreement; below, for comparison, the largest
// cost of one undisturbed election.
std::string sweep_table(std::span<const SweepRun> runs, const SweepOptions& options,
                        Language language);
// The times to agreement, in `rows` equal intervals, a bar of up to 50 characters for each.
std::string sweep_histogram(std::span<const SweepRun> runs, Language language,
                            std::size_t rows = 12);
// A line with the names of the columns, then one line for each run: the messages by the names of
// the algorithm's own types. Times in nanoseconds.
std::string sweep_csv(std::span<const SweepRun> runs, const Algorithm& algorithm);

}  // namespace bully
