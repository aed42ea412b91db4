// rules_fired.cc: counts rules by their records.
#include "values/rules_fired.h"

#include <map>

namespace bully {

std::vector<RuleCount> rules_fired(const Trace& trace, const Timeline& timeline) {
  std::map<std::string_view, std::uint64_t> fired;
  for (const auto& [i, record] : trace.records) {
    if (record.event == TraceEvent::rule) ++fired[record.rule];
  }
  std::vector<RuleCount> counts;
  if (fired.empty()) return counts;
  std::set<const Rule*> counted;  // rings share some
  for (const Algorithm* algorithm : timeline.algorithms) {
    for (const Rule* rule : algorithm->rules) {
      if (counted.insert(rule).second) counts.push_back({rule, fired[rule->key]});
    }
  }
  return counts;
}

std::set<std::string_view> variants_run(const Trace& trace, const Timeline& timeline) {
  std::set<std::string_view> variants;
  for (const Incarnation& incarnation : timeline.incarnations) {
    const Record first = trace.records[incarnation.first];
    if (first.given == nullptr || first.given->variant.empty()) continue;
    variants.insert(first.given->variant);
  }
  return variants;
}

}  // namespace bully
