#include "grade/place.h"

#include <algorithm>

#include "node/registry.h"

namespace bully {

namespace {

bool starts_in(ExamSettings& settings, const Guard& guard, SignalPipe& signals) {
  Exam exam(settings, guard, signals);
  try {
    exam.start();
  } catch (const Finding& finding) {
    // With a name it has found the place; other faults are left to the checks.
    return finding.diagnosis != Diagnosis::died && finding.diagnosis != Diagnosis::never_starts;
  }
  return true;
}

std::vector<NodeId> standard_names() {
  const auto directory = Directory::existing(std::string(standard_directory));
  return directory ? directory->ids() : std::vector<NodeId>();
}

}  // namespace

Place find_place(ExamSettings& settings, const Guard& guard, SignalPipe& signals) {
  const std::vector<NodeId> before = standard_names();
  if (starts_in(settings, guard, signals)) return Place::own;
  // By now its names there belong to the dead.
  bool has_left_one = false;
  for (const NodeId id : standard_names()) {
    if (std::ranges::binary_search(before, id)) continue;
    has_left_one = true;
    Registry(std::string(standard_directory), false).sweep(id);
  }
  if (!before.empty()) return has_left_one ? Place::taken : Place::own;
  const std::string own = std::exchange(settings.directory, std::string(standard_directory));
  if (starts_in(settings, guard, signals)) return Place::built_in;
  settings.directory = own;
  return Place::own;
}

}  // namespace bully
