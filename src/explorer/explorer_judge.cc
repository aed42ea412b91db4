// explorer_judge.cc: properties that the model's own world knows, and the count of tests.
#include "explorer/explorer_judge.h"

#include <algorithm>

namespace bully {

namespace {

// False if a node has joined and the property assumes that none does, unless it was chosen by name.
bool is_owed(const ExploreOptions& options, const Property& property, const Configuration& now) {
  const bool has_joined = now.restarts_left != options.restarts;
  return options.only != nullptr || !has_joined || !property.assumes.has(Assumption::nobody_joins);
}

// properties::highest_wins.
bool has_wrong_coordinator(const Algorithm& algorithm, Nodes nodes) {
  return std::ranges::any_of(nodes, [&](const Snapshot* node) {
    return node->coordinator && std::ranges::any_of(nodes, [&](const Snapshot* other) {
             return other->is_alive() && algorithm.prefers(other->id, *node->coordinator);
           });
  });
}

}  // namespace

// --- Judgement ---

bool StateJudge::is_kept(const Property& property, const Configuration& now, Nodes nodes,
                         bool quiescent) const {
  if (!is_owed(options, property, now)) return true;
  if (&property == &properties::highest_wins) {
    return !has_wrong_coordinator(*options.algorithm, nodes);
  }
  if (&property == &properties::one_coordinator) return second_coordinator(now, nodes) == 0;
  const bool is_due = property.moment == Property::Moment::every ||
                      (quiescent && property.moment == Property::Moment::in_the_end);
  return !is_due || property.holds == nullptr || property.holds(*options.algorithm, nodes);
}

NodeId StateJudge::second_coordinator(const Configuration& now, Nodes nodes) const {
  const auto will_be_told = [&](NodeId id) {
    return std::ranges::any_of(now.inbox[id - 1].all(), [&](MessageId number) {
      const Message& message = model.message(id - 1, number);
      return message.type->role == Role::announces && options.algorithm->prefers(message.from, id);
    });
  };
  for (const Snapshot* lower : nodes) {
    if (lower->coordinator != lower->id || will_be_told(lower->id)) continue;
    for (const Snapshot* higher : nodes) {
      const bool is_above = options.algorithm->prefers(higher->id, lower->id);
      if (is_above && higher->coordinator == higher->id) return lower->id;
    }
  }
  return 0;
}

// --- Tests ---

Tests::Tests(const ExploreOptions& options) : options_(options) {
  for (const Property* property : judged_in(options)) counts_.push_back({property});
  if (options.only != nullptr) return;
  for (const Property* property : {&properties::reachable, &properties::progress}) {
    counts_.push_back({property});
  }
}

void Tests::count_step(const Snapshot& taker, Nodes before, const Configuration& next) {
  for (Tested& each : counts_) {
    const auto is_at_stake = each.property->is_at_stake;
    if (is_at_stake != nullptr && is_at_stake(taker, before)) count(each, next);
  }
}

void Tests::count_state(const Configuration& now) {
  for (Tested& each : counts_) {
    const bool is_of_states = each.property->moment == Property::Moment::every;
    if (is_of_states && each.property->is_at_stake == nullptr) count(each, now);
  }
}

void Tests::count_end(Nodes nodes, const Configuration& now) {
  if (std::ranges::none_of(nodes, &Snapshot::is_alive)) return;
  for (Tested& each : counts_) {
    if (each.property->moment == Property::Moment::in_the_end) count(each, now);
  }
}

void Tests::count(Tested& each, const Configuration& now) {
  if (is_owed(options_, *each.property, now)) ++each.times;
}

std::vector<Tested> Tests::counts(std::uint64_t on_the_way) const {
  std::vector<Tested> all = counts_;
  for (auto& [property, times] : all) {
    if (is_about_ways(*property)) times = on_the_way;
  }
  return all;
}

}  // namespace bully
