// explorer_liveness.h: does every run of free steps end in agreement?
//
// Works on the finished graph of free steps: one walk (Tarjan's strongly connected components, a
// component's successors before itself) tells which states can still reach agreement, and which
// components a fair run can stay in for ever.
//
// Fair means weakly fair: a step that stays possible from some point on is taken. A fair run that
// never comes to rest ends up going round in one component for ever. There is such a run exactly if
// no step is possible in all states of the component and taken inside it in none: then the run that
// visits every state and takes every edge, again and again, is one. Otherwise that step leaves.
//
// Read next: explorer_search.cc, which asks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/explorer_store.h"

namespace bully {

// The free steps between states, by number.
struct FreeGraph {
  ChunkedVector<std::uint32_t> targets;
  ChunkedVector<std::uint32_t> begins;  // by state: its first target; one more at the end

  std::uint64_t bytes() const { return targets.bytes() + begins.bytes(); }
};

struct LivenessFindings {
  std::optional<std::uint32_t> hopeless;  // the first state that cannot reach agreement
  // The component of the first state where a fair run can stay, if there is one; sorted.
  std::vector<std::uint32_t> trap;
  std::uint64_t bytes = 0;  // memory used beside the graph
};

// `agreed`: whether a state is one of agreement, where a run may end.
// `is_fair`: whether a fair run can stay in this component, which has a cycle.
LivenessFindings check_liveness(
    const FreeGraph& graph, const std::function<bool(std::uint32_t)>& agreed,
    const std::function<bool(const std::vector<std::uint32_t>&)>& is_fair);

}  // namespace bully
