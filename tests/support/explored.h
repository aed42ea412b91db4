// explored.h: what a test asks of a search, and of the counterexample that it finds.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "commands/reports.h"
#include "support/bounds.h"
#include "support/played.h"

namespace bully {

inline ExploreResult explored(const ExploreOptions& options) {
  return explore(options, options.algorithm->make);
}

inline ExploreResult check_holds(const ExploreOptions& options) {
  const ExploreResult result = explored(options);
  INFO(explore_report(options, result, {}, Language::english));
  CHECK(result.verdict == Verdict::holds);
  CHECK(result.quiescent > 0);
  return result;
}

inline std::string script_of(const ExploreOptions& options, const ProtocolMaker& make,
                             const ExploreResult& found) {
  REQUIRE(found.violation);
  return counterexample_scenario(options, make, *found.violation);
}

// The counterexample shows the violation with what was explored, and with that alone. Returns the
// script.
inline std::string check_script(const ExploreOptions& options, const ProtocolMaker& make,
                                const ExploreResult& found) {
  const std::string script = script_of(options, make, found);
  CAPTURE(script);
  const Played wrong = play_script(script, make);
  CAPTURE(wrong.broken);
  CHECK(wrong.violation_seen);
  const Played right = play_script(script, options.algorithm->make);
  CAPTURE(right.broken);
  CHECK_FALSE(right.violation_seen);
  return script;
}

// Which properties break somewhere within these bounds; each counterexample is played.
inline std::set<const Property*> violated_in(const std::vector<ExploreOptions>& all,
                                             const ProtocolMaker& make) {
  std::set<const Property*> violated;
  for (const ExploreOptions& options : all) {
    const ExploreResult result = explore(options, make);
    if (!result.violation) continue;
    violated.insert(result.violation->property);
    check_script(options, make, result);
  }
  return violated;
}
// Whether one breaks within some of these bounds; the first counterexample is played.
inline bool is_caught(const std::vector<ExploreOptions>& all, const ProtocolMaker& make) {
  return std::ranges::any_of(
      all, [&](const ExploreOptions& options) { return !violated_in({options}, make).empty(); });
}

// By which properties a mutant is caught.
template <typename Mutation>
struct Caught {
  Mutation mutation;
  std::set<const Property*> by;
};
inline void check_same(const std::set<const Property*>& found,
                       const std::set<const Property*>& expected) {
  std::string names;
  for (const Property* property : found) names += " " + std::string(property->key);
  CAPTURE(names);
  CHECK(found == expected);
}

}  // namespace bully
