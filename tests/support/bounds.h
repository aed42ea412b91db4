// bounds.h: within which bounds a test explores, in words.
#pragma once

#include <set>
#include <string>

#include "sim/explorer.h"

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
