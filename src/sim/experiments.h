// experiments.h: elections by the hundred in virtual time, counted, timed and judged.
//
// compare(): the same election with each algorithm (README.md). No timer ever expires and no other
// fault occurs, so all figures are the same on any machine.
//
// sweep_one(): an election under random faults. Processes crash, restart, stop and continue, and
// messages get lost, all at random and all from one seed. Then the faults stop, and within a bound
// all live processes must follow the highest of them.
//
// This unit measures; it prints and draws nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/world.h"
#include "values/comparison.h"
#include "values/sweep.h"

namespace bully {

inline constexpr std::size_t min_compared_nodes = 2;
inline constexpr std::size_t max_compared_nodes = 1000;

struct CompareOptions {
  std::vector<const Algorithm*> algorithms;
  std::vector<std::size_t> nodes;  // including the coordinator that crashes; each at least 2
  std::vector<ElectionCase> cases;
  std::optional<Noticing> noticing = {};
  std::uint64_t runs = 101;  // of the random case, for each number of processes; at least 1
  std::uint64_t seed = 1;
};

Comparison compare(const CompareOptions& options);

// One run, always the same. `sink` and `make` as in World (world.h).
SweepRun sweep_one(const SweepOptions& options, std::uint64_t seed, Sink* sink = nullptr,
                   const ProtocolMaker& make = {});

}  // namespace bully
