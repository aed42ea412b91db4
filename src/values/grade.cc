// grade.cc: points and faults.
#include "values/grade.h"

#include <algorithm>

namespace bully {

std::string_view name_of(CheckStatus status) {
  constexpr std::string_view names[] = {"passed", "failed", "skipped", "inconclusive"};
  return names[static_cast<std::size_t>(status)];
}

unsigned Grade::points_of(std::initializer_list<CheckStatus> statuses) const {
  unsigned sum = 0;
  for (const CheckResult& result : results) {
    if (std::ranges::count(statuses, result.status) > 0) sum += result.kind.points;
  }
  return sum;
}

unsigned Grade::most() const {
  using enum CheckStatus;
  return points_of({passed, failed, skipped, inconclusive});
}

std::size_t Grade::count(CheckStatus status) const {
  return static_cast<std::size_t>(std::ranges::count(results, status, &CheckResult::status));
}

std::vector<const CheckResult*> Grade::faults() const {
  std::map<Diagnosis, const CheckResult*> first;
  for (const CheckResult& result : results) {
    if (result.finding) first.emplace(result.finding->diagnosis, &result);
  }
  return list_of(first, [](const auto& entry) { return entry.second; });
}

std::vector<std::string_view> Grade::diagnoses() const {
  return list_of(faults(), [](const CheckResult* one) { return one->finding->diagnosis.name(); });
}

}  // namespace bully
