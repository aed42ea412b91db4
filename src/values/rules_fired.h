// rules_fired.h: by which rules, and by which variants of an election, the nodes of a run acted.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "trace/elections.h"

namespace bully {

struct RuleCount {
  const Rule* rule = nullptr;
  std::uint64_t fired = 0;
};

// Of the nodes' algorithms, in their order. Empty if an older program's trace names no rule.
std::vector<RuleCount> rules_fired(const Trace& trace, const Timeline& timeline);
std::set<std::string_view> variants_run(const Trace& trace, const Timeline& timeline);

}  // namespace bully
