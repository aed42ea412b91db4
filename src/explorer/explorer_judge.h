// explorer_judge.h: decides if a property holds in a configuration, and counts how often a search
// has put each property to the test. It never searches.
#pragma once

#include <vector>

#include "explorer/explorer_model.h"

namespace bully {

struct StateJudge {
  const ExploreOptions& options;
  const Model& model;  // both outlive the judge

  // `nodes`: all nodes in `now` (Model::look). Liveness properties need the whole search.
  bool is_kept(const Property& property, const Configuration& now, Nodes nodes,
               bool quiescent) const;
  // properties::one_coordinator: the lower of two coordinators, or 0.
  NodeId second_coordinator(const Configuration& now, Nodes nodes) const;
};

// See explorer.h.
class Tests {
 public:
  explicit Tests(const ExploreOptions& options);

  // A step led to `next`, and `taker` has taken a coordinator in it; `before` has all nodes before
  // the step.
  void count_step(const Snapshot& taker, Nodes before, const Configuration& next);
  void count_state(const Configuration& now);
  void count_end(Nodes nodes, const Configuration& now);

  // `on_the_way`: the number of states that were not yet at their end.
  std::vector<Tested> counts(std::uint64_t on_the_way) const;

 private:
  void count(Tested& each, const Configuration& now);

  const ExploreOptions& options_;
  std::vector<Tested> counts_;
};

}  // namespace bully
