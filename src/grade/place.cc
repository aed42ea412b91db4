// place.cc: tries the private directory first, then lends the standard one.
#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "grade/place.h"
#include "node/registry.h"

namespace bully {

namespace fs = std::filesystem;

namespace {

bool starts_in(const std::string& directory, ExamSettings settings, LocalCluster& cluster) {
  settings.directory = directory;
  Exam exam(settings, cluster);
  try {
    exam.processes.start();
  } catch (const Finding& finding) {
    // With a name it has found the place; other faults are left to the checks.
    return finding.diagnosis != "died" && finding.diagnosis != "never-starts";
  } catch (Unclear) {
    // No time was left: the checks say so.
  }
  return true;
}

std::string parent_of_standard() {
  return fs::path(standard_directory).parent_path().string();
}

std::set<std::string> standard_entries() {
  std::set<std::string> entries;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(standard_directory, error)) {
    entries.insert(entry.path().filename());
  }
  return entries;
}

std::vector<NodeId> standard_names() {
  const auto directory = Directory::existing(std::string(standard_directory));
  return directory ? directory->ids() : std::vector<NodeId>();
}

}  // namespace

StandardPlace::StandardPlace()
    : was_there_(fs::exists(standard_directory)), entries_(standard_entries()) {}

StandardPlace::~StandardPlace() {
  try {
    if (!lock_) lock_ = try_lock(parent_of_standard());
    release();
  } catch (const std::exception&) {
    // What cannot be cleaned up stays: a destructor that throws would end the program.
  }
}

void StandardPlace::release() {
  if (!lock_) return;
  std::error_code ignored;  // a process that is no program of ours may have come meanwhile
  for (const std::string& entry : standard_entries()) {
    if (entries_.contains(entry)) continue;
    const fs::path path = fs::path(standard_directory) / entry;
    const auto id = parse_id(entry);
    const bool is_socket = fs::is_socket(path, ignored);
    if (is_socket && id) Registry(std::string(standard_directory), false).sweep(*id);
    const bool is_dead = is_socket && !id && connect_to(path).reach == Reach::gone;
    if (is_dead || (!is_socket && !fs::is_directory(path, ignored))) fs::remove(path, ignored);
  }
  if (!was_there_) fs::remove(standard_directory, ignored);
  lock_.reset();
}

bool StandardPlace::reserve(Time deadline, LocalCluster& cluster) {
  const auto is_decided = [this] {
    lock_ = try_lock(parent_of_standard());
    return lock_ || (errno != EWOULDBLOCK && errno != EINTR);
  };
  cluster.wait_until(is_decided, deadline - monotonic_now());
  return static_cast<bool>(lock_);
}

bool find_place(ExamSettings& settings, LocalCluster& cluster, StandardPlace& standard) {
  std::optional<std::vector<NodeId>> before;
  try {
    before = standard_names();
  } catch (const SetupError&) {
    // It is another user's: the program can have no name there, and need not.
  }
  if (starts_in(cluster.private_directory() + "/nodes", settings, cluster)) return true;
  if (!before || !standard.reserve(settings.deadline, cluster)) return false;
  // By now its names there belong to the dead.
  bool has_left_one = false;
  for (const NodeId id : standard_names()) {
    if (std::ranges::binary_search(*before, id)) continue;
    has_left_one = true;
    Registry(std::string(standard_directory), false).sweep(id);
  }
  if (!standard_names().empty()) {
    standard.release();
    return !has_left_one;
  }
  const std::string directory(standard_directory);
  if (starts_in(directory, settings, cluster)) {
    settings.directory = directory;
  } else {
    standard.release();
  }
  return true;
}

}  // namespace bully
