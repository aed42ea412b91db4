#include "grade/result.h"

#include <algorithm>

#include "trace/json.h"

namespace bully {

namespace {

constexpr std::array<std::string_view, diagnosis_count> diagnosis_names = {
    "never-starts",
    "wrong-name",
    "died",
    "wrong-bytes",
    "answers-on-same-connection",
    "asks-the-pid",
    "too-many-processes",
    "no-election",
    "no-coordinator",
    "answers-nothing",
    "no-election-when-asked",
    "answerer-dies",
    "election-storm",
    "two-coordinators",
    "wrong-coordinator",
    "hard-coded-cluster",
    "usurper-accepted",
    "silent-returner",
    "returner-ignored",
    "lost-lamb",
    "does-not-come-back",
    "hung-coordinator-unseen",
    "ids-compared-as-text",
    "deaf-in-election",
    "deaf-while-blocked",
    "killed-by-garbage",
    "killed-by-a-dead-peer",
    "false-suspicion",
    "orphan-monitor",
    "busy-loop",
};

}  // namespace

std::string_view name_of(Diagnosis diagnosis) {
  return diagnosis_names.at(static_cast<std::size_t>(diagnosis));
}

std::string key_of(Diagnosis diagnosis) {
  std::string key = "grade_" + std::string(name_of(diagnosis));
  std::ranges::replace(key, '-', '_');
  return key;
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

std::string_view name_of(Unclear why) {
  constexpr auto names = std::to_array<std::string_view>(
      {"none", "order_of_ids", "not_forced", "slow_machine", "out_of_time", "no_election"});
  return names.at(static_cast<std::size_t>(why));
}

std::string_view name_of(CheckStatus status) {
  constexpr auto names =
      std::to_array<std::string_view>({"passed", "failed", "skipped", "inconclusive"});
  return names.at(static_cast<std::size_t>(status));
}

unsigned Grade::points() const {
  unsigned sum = 0;
  for (const CheckResult& result : results) sum += result.points();
  return sum;
}

unsigned Grade::most() const {
  unsigned sum = 0;
  for (const CheckResult& result : results) sum += result.kind.points;
  return sum;
}

unsigned Grade::most_open() const {
  unsigned sum = points();
  for (const CheckResult& result : results) {
    if (result.status == CheckStatus::inconclusive) sum += result.kind.points;
  }
  return sum;
}

bool Grade::has_failed() const {
  return std::ranges::count(results, CheckStatus::failed, &CheckResult::status) > 0;
}

bool Grade::is_unclear() const {
  return std::ranges::count(results, CheckStatus::inconclusive, &CheckResult::status) > 0;
}

std::vector<const Finding*> Grade::findings() const {
  std::vector<const Finding*> all;
  for (const CheckResult& result : results) {
    for (const Finding& finding : result.findings) {
      const auto is_same = [&](const Finding* known) {
        return known->diagnosis == finding.diagnosis;
      };
      if (std::ranges::none_of(all, is_same)) all.push_back(&finding);
    }
  }
  std::ranges::stable_sort(all, {}, &Finding::diagnosis);
  return all;
}

}  // namespace bully
