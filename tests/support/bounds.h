// bounds.h: within which bounds a test explores, in words.
#pragma once

#include <set>
#include <string>

#include "explorer/explorer.h"

namespace bully {

// With the links and the reduction that the algorithm allows.
inline ExploreOptions bounds(std::size_t nodes, unsigned crashes, unsigned restarts,
                             const Algorithm& algorithm = default_algorithm()) {
  return {.nodes = nodes,
          .crashes = crashes,
          .restarts = restarts,
          .delivery = algorithm.is_fifo ? Delivery::pair_order : Delivery::any_order,
          .algorithm = &algorithm,
          .reduction = algorithm.forget_idle_words};
}

inline ExploreOptions asynchronous(ExploreOptions options) {
  options.timing = Timing::asynchronous;
  options.false_alarms = 1;
  return options;
}

inline ExploreOptions starting(ExploreOptions options) {
  options.beginning = Beginning::starting;
  return options;
}

inline ExploreOptions leaderless(ExploreOptions options) {
  options.beginning = Beginning::leaderless;
  return options;
}

// Round a ring, in this order.
inline ExploreOptions on_ring(std::string_view algorithm, std::vector<NodeId> arrangement,
                              unsigned crashes, unsigned restarts,
                              std::size_t max_states = 2'000'000) {
  ExploreOptions options =
      bounds(arrangement.size(), crashes, restarts, algorithm_named(algorithm));
  options.arrangement = std::move(arrangement);
  options.max_states = max_states;
  return options;
}

// With no more messages than the count of the arrangement, whose first process notices.
inline ExploreOptions counted_on_ring(ExploreOptions options) {
  const std::vector<NodeId>& order = options.arrangement;
  const std::uint64_t count = election_total(options.algorithm->count({order, order[0], true}));
  options.max_messages = static_cast<unsigned>(count);
  return options;
}

inline ExploreOptions partitioned(ExploreOptions options) {
  options.partitions = 1;
  return options;
}

// Notes how each run may end: whom each node follows and which faults are left.
inline ExploreOptions noting_ends(ExploreOptions options, std::set<std::string>& ends) {
  options.on_quiescent = [&ends](Nodes nodes, const std::array<unsigned, 4>& faults_left) {
    std::string text;
    for (const Snapshot* node : nodes) {
      text += std::to_string(node->coordinator.value_or(0)) + (node->is_alive() ? ' ' : '!');
    }
    for (const unsigned left : faults_left) text += ' ' + std::to_string(left);
    ends.insert(text);
  };
  return options;
}

}  // namespace bully
