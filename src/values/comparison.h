// comparison.h: plain figures of the same elections with each algorithm (../sim/experiments.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "election/algorithm.h"

namespace bully {

struct Spread {
  std::uint64_t least = 0;
  std::uint64_t median = 0;
  std::uint64_t most = 0;
  bool operator==(const Spread&) const = default;
};

enum class ElectionCase : std::uint8_t {
  best,    // by id, as real processes do; the highest follower notices
  worst,   // in the algorithm's worst order; the lowest notices
  random,  // in a random order, the same for all algorithms; a random process notices
};

// Elections among this number of processes, including the coordinator that crashed.
struct ComparedPoint {
  std::size_t nodes = 0;
  Spread messages;
  Spread time;  // from the detection until the last process follows, in message delays
  // The messages that the textbook counts for exactly these elections, and the most that it allows
  // for any. Nothing without a textbook count.
  std::optional<Spread> textbook = {};
  std::optional<std::uint64_t> bound = {};
  // The numbers of runs with a fault:
  std::uint64_t disagreed = 0;
  std::uint64_t over_bound = 0;  // in messages of some type
  std::uint64_t miscounted = 0;  // in messages of some type, compared with the textbook's count
  bool is_right() const { return disagreed + over_bound + miscounted == 0; }
};

struct ComparedSeries {
  std::string_view algorithm;
  std::vector<ComparedPoint> points;  // by the number of processes
};

struct ComparedCase {
  ElectionCase election_case = ElectionCase::worst;
  Noticing noticing = Noticing::lowest;
  std::uint64_t runs = 1;              // for each number of processes
  std::vector<ComparedSeries> series;  // all with the same numbers of processes
};

struct Comparison {
  std::vector<ComparedCase> cases;
  bool is_right = true;  // true if each point is right
};

}  // namespace bully
