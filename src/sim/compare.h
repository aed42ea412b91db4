// compare.h: the same election with each algorithm, counted and timed.
//
// The coordinator of n processes crashes, some notice, the others elect. Every message takes
// exactly one delay, no timer ever expires and nothing else goes wrong, so that all figures are
// exact and any machine gets the same. This unit measures; it prints and draws nothing.
// Read next: ../trace/comparison.h, for the figures; world.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "election/algorithm.h"
#include "trace/comparison.h"

namespace bully {

inline constexpr std::size_t least_compared_nodes = 2;
inline constexpr std::size_t most_compared_nodes = 1000;

struct CompareOptions {
  std::vector<const Algorithm*> algorithms;
  std::vector<std::size_t> nodes;  // the coordinator that crashes counted in; each at least 2
  std::vector<ElectionCase> cases;
  Noticing noticing = Noticing::as_case;
  std::uint64_t runs = 101;  // of the random case, for each number of processes; at least 1
  std::uint64_t seed = 1;
};

Comparison compare(const CompareOptions& options);

}  // namespace bully
