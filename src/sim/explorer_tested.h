// explorer_tested.h: counts how often a search has put each property to the test. It never judges.
// See explorer.h: a search in which no step could break a property has not proved it.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/explorer_judge.h"

namespace bully {

class Tests {
 public:
  explicit Tests(const ExploreOptions& options) : options_(options) {
    for (const Property* property : judged_in(options)) counts_.push_back({property});
    for (const Property* property : {&properties::reachable, &properties::progress}) {
      if (options.only == nullptr) counts_.push_back({property});
    }
    for (Tested& each : counts_) {
      const bool is_at_every_moment = each.property->moment == Property::Moment::every;
      if (each.property->moment == Property::Moment::in_the_end) by_end_.push_back(&each);
      if (each.property->is_at_stake != nullptr) {
        by_step_.push_back(&each);
      } else if (is_at_every_moment) {
        by_state_.push_back(&each);
      }
    }
  }
  Tests(const Tests&) = delete;  // contains pointers into itself
  Tests& operator=(const Tests&) = delete;

  // A step led to `next`, and `taker` has taken a coordinator in it; `before` has all nodes before
  // the step.
  void count_step(const Snapshot& taker, Nodes before, const Configuration& next) {
    for (Tested* each : by_step_) {
      if (each->property->is_at_stake(taker, before)) count(*each, next);
    }
  }
  void count_state(const Configuration& now) {
    for (Tested* each : by_state_) count(*each, now);
  }
  void count_end(Nodes nodes, const Configuration& now) {
    if (std::ranges::none_of(nodes, &Snapshot::is_alive)) return;
    for (Tested* each : by_end_) count(*each, now);
  }

  // The number of states that were not yet at their end.
  std::vector<Tested> counts(std::uint64_t on_the_way) const {
    std::vector<Tested> all = counts_;
    for (auto& [property, times] : all) {
      const bool is_about_ways =
          property == &properties::reachable || property == &properties::progress;
      if (is_about_ways) times = on_the_way;
    }
    return all;
  }

 private:
  void count(Tested& each, const Configuration& now) {
    if (is_owed(options_, *each.property, now)) ++each.times;
  }

  const ExploreOptions& options_;
  std::vector<Tested> counts_;
  std::vector<Tested*> by_step_;
  std::vector<Tested*> by_state_;
  std::vector<Tested*> by_end_;
};

}  // namespace bully
