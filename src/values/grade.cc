// grade.cc: values as text, and points.
#include "values/grade.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"

namespace bully {

const std::string& text_of(const std::string& text) {
  return text;
}

std::string text_of(const std::vector<NodeId>& ids) {
  return joined(ids, ", ");
}

std::string text_of(Duration time, int places) {
  std::array<char, 32> text{};
  const double time_s = std::chrono::duration<double>(time).count();
  std::snprintf(text.data(), text.size(), "%.*f s", places, time_s);
  return text.data();
}

std::string readable(std::string_view bytes) {
  constexpr std::size_t most = 60;
  std::string text;
  for (const char& one : bytes.substr(0, most)) {
    if (one == '\n') {
      text += "\\n";
    } else if (one == '\0') {
      text += "\\0";
    } else {
      text += harmless({&one, 1});
    }
  }
  return bytes.size() > most ? text + "…" : text;
}

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

}  // namespace bully
