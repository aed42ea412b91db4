// The properties that an exploration judges: the promised ones, or the chosen one.

#include <algorithm>
#include <array>

#include "sim/explorer.h"

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

}  // namespace

bool can_explore(const Property& property) {
  const std::array others = {&properties::highest_wins, &properties::one_coordinator,
                             &properties::reachable, &properties::progress};
  return property.holds != nullptr || std::ranges::find(others, &property) != others.end();
}

std::vector<const Property*> not_promised(const ExploreOptions& options) {
  std::vector<const Property*> found;
  for (const Property* property : options.algorithm->properties) {
    const bool is_meant = can_explore(*property) && property != options.only;
    if (is_meant && !is_promised(options, *property)) found.push_back(property);
  }
  return found;
}

std::vector<const Property*> judged_in(const ExploreOptions& options) {
  if (options.only != nullptr) return {options.only};
  std::vector<const Property*> judged;
  for (const Property* property : options.algorithm->properties) {
    const bool is_judged = can_explore(*property) && is_promised(options, *property);
    if (is_judged) judged.push_back(property);
  }
  return judged;
}

}  // namespace bully
