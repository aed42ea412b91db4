// explorer_judge.h: decides if a property holds in a configuration. It never searches.
#pragma once

#include <algorithm>

#include "sim/explorer_model.h"

namespace bully {

// False if a node has joined and the property assumes that none does, unless it was chosen by name.
inline bool is_owed(const ExploreOptions& options, const Property& property,
                    const Configuration& now) {
  const bool has_joined = now.restarts_left != options.restarts;
  return options.only != nullptr || !has_joined || !property.assumes.has(Assumption::nobody_joins);
}

class Judge {
 public:
  // Both arguments outlive the judge.
  Judge(const ExploreOptions& options, const Model& model) : options_(options), model_(model) {}

  // `nodes`: all nodes in `now` (Model::look). Liveness properties need the whole search.
  bool is_kept(const Property& property, const Configuration& now, Nodes nodes,
               bool quiescent) const {
    if (!is_owed(options_, property, now)) return true;
    if (&property == &properties::highest_wins) return !has_wrong_coordinator(nodes);
    if (&property == &properties::one_coordinator) return second_coordinator(now, nodes) == 0;
    const bool is_due = property.moment == Property::Moment::every ||
                        (quiescent && property.moment == Property::Moment::in_the_end);
    return !is_due || property.holds == nullptr || property.holds(*options_.algorithm, nodes);
  }

  // properties::one_coordinator: the lower of two coordinators, or 0.
  NodeId second_coordinator(const Configuration& now, Nodes nodes) const {
    for (const Snapshot* lower : nodes) {
      if (lower->coordinator != lower->id || will_be_told(now, lower->id)) continue;
      for (const Snapshot* higher : nodes) {
        const bool is_above = options_.algorithm->prefers(higher->id, lower->id);
        if (is_above && higher->coordinator == higher->id) return lower->id;
      }
    }
    return 0;
  }

 private:
  // properties::highest_wins.
  bool has_wrong_coordinator(Nodes nodes) const {
    return std::ranges::any_of(nodes, [&](const Snapshot* node) {
      return node->coordinator && std::ranges::any_of(nodes, [&](const Snapshot* other) {
               return other->is_alive() &&
                      options_.algorithm->prefers(other->id, *node->coordinator);
             });
    });
  }

  bool will_be_told(const Configuration& now, NodeId id) const {
    return std::ranges::any_of(now.inbox[id - 1].all(), [&](MessageId number) {
      const Message& message = model_.message(id - 1, number);
      return message.type->role == Role::announces && options_.algorithm->prefers(message.from, id);
    });
  }

  const ExploreOptions& options_;
  const Model& model_;
};

}  // namespace bully
