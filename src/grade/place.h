// place.h: whether a program can be graded, and in which directory.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/problem.h"
#include "grade/exam.h"

namespace bully {

// Why no process can start as this program, a path or a name to be searched for in $PATH; nothing
// if one can. A text must begin with `#!` and an interpreter that is there: the system itself
// starts no other text, and a shell would take it for a shell script.
std::optional<Problem> why_not_startable(const std::string& program);

// The standard directory, which one grader at a time may use: others wait for it. Afterwards it is
// as it was: entries that have come meanwhile are removed, except the names of live processes.
class StandardPlace {
 public:
  StandardPlace();
  ~StandardPlace();
  StandardPlace(const StandardPlace&) = delete;
  StandardPlace& operator=(const StandardPlace&) = delete;

  // Whether it is ours, until release(). Waits for other graders until then. Throws Interrupted.
  bool reserve(Time deadline, LocalCluster& cluster);
  void release();

 private:
  bool was_there_;
  std::set<std::string> entries_;  // before
  Descriptor lock_;                // of the directory that it is in, which is there in any case
};

// Starts the program once or twice, to find where it can be graded: in any directory if it obeys
// BULLY_DIR or {dir}; otherwise in the standard one, if that is built in: then the settings name
// that, and `standard` stays reserved. False if that has names of others, or is another user's.
// Throws SetupError, Interrupted.
bool find_place(ExamSettings& settings, LocalCluster& cluster, StandardPlace& standard);

}  // namespace bully
