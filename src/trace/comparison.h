// comparison.h: plain figures of the same elections with each algorithm (../sim/experiments.h).
#pragma once

#include <array>
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
  worst,   // in the algorithm's own worst order; the lowest notices
  random,  // in an order drawn by chance, the same for all algorithms; and so is who notices
};

// Elections among this number of processes, including the coordinator that crashed.
struct ComparedPoint {
  std::size_t nodes = 0;
  Spread messages;
  Spread bytes;             // of these messages, as they are on the wire
  Spread time;              // from the detection until the last one follows, in message delays
  // The messages that the textbook counts for exactly these elections, and the most that it allows
  // for any. Nothing if no textbook counts them.
  std::optional<Spread> textbook = {};
  std::optional<std::uint64_t> bound = {};
  // In how many of the runs something was wrong:
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

// What may befall an election besides a crash, and passes.
enum class Trial : std::uint8_t {
  loss,       // the coordinator crashes while one message in five is lost
  stop,       // the coordinator is stopped, and goes on
  partition,  // the network is cut in two somewhere, and heals
};
inline constexpr std::array<std::string_view, 3> trial_names = {"loss", "stop", "partition"};

// Of one algorithm, in the order of Trial.
struct Survival {
  std::string_view algorithm;
  // In how many runs all that it promises for the end held once the trial was over.
  std::array<std::uint64_t, trial_names.size()> survived = {};
  // In how many there were two coordinators at some moment.
  std::array<std::uint64_t, trial_names.size()> contested = {};
};

struct Survivals {
  std::size_t nodes = 0;
  std::uint64_t runs = 0;  // of each algorithm in each trial
  std::vector<Survival> algorithms;
};

struct Comparison {
  std::vector<ComparedCase> cases;
  bool is_right = true;  // each point is
};

}  // namespace bully
