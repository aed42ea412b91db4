// explorer_scope.cc: the properties that an exploration judges, and how it begins.
#include <algorithm>
#include <functional>

#include "base/list.h"
#include "explorer/explorer.h"

namespace bully {

namespace {

// True if runs of `options` can break this assumption, by a choice that concerns all of them.
bool is_given_up(const ExploreOptions& options, Assumption assumption) {
  const bool has_partitions = options.partitions > 0;
  if (assumption == Assumption::no_loss) return has_partitions;
  // A live process on the other side is suspected.
  if (assumption == Assumption::synchronous) {
    return has_partitions || options.timing == Timing::asynchronous;
  }
  return assumption == Assumption::nobody_joins && options.beginning == Beginning::starting;
}

bool is_promised(const ExploreOptions& options, const Property& property) {
  return std::ranges::none_of(assumptions, [&](Assumption each) {
    return property.assumes.has(each) && is_given_up(options, each);
  });
}

// Those among the algorithm's properties that can be explored, and are promised or are not.
std::vector<const Property*> of_algorithm(const ExploreOptions& options, bool promised) {
  const auto is_wanted = [&](const Property* property) {
    return can_explore(*property) && is_promised(options, *property) == promised;
  };
  return list_of(options.algorithm->properties, is_wanted, std::identity());
}

}  // namespace

bool is_about_ways(const Property& property) {
  return &property == &properties::reachable || &property == &properties::progress;
}

bool can_explore(const Property& property) {
  return property.holds != nullptr || is_about_ways(property) ||
         &property == &properties::highest_wins || &property == &properties::one_coordinator;
}

std::vector<const Property*> not_promised(const ExploreOptions& options) {
  std::vector<const Property*> found = of_algorithm(options, false);
  std::erase(found, options.only);
  return found;
}

std::vector<const Property*> not_judged(const ExploreOptions& options) {
  const auto is_other = [](const Property* property) {
    return !can_explore(*property) && property != &properties::ends;
  };
  return list_of(options.algorithm->properties, is_other, std::identity());
}

std::vector<const Property*> judged_in(const ExploreOptions& options) {
  if (options.only != nullptr) return {options.only};
  return of_algorithm(options, true);
}

NodeId first_coordinator(const ExploreOptions& options) {
  if (options.beginning == Beginning::leaderless) {
    return options.algorithm->preferred_of({{NodeId{0}, options.nodes + 1}});
  }
  return options.algorithm->preferred_of(one_to(options.nodes));
}

}  // namespace bully
