// place.h: the directory in which a program can be graded.
#pragma once

#include <set>
#include <string>

#include "grade/exam.h"

namespace bully {

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

// Finds the directory in which the program can be graded, by starting it once or twice: the one in
// the settings if it obeys BULLY_DIR or {dir}; otherwise the standard one, if that is built in.
// Then the settings name it, and `standard` stays reserved. False if that has names of others, or
// is another user's. Throws SetupError, Interrupted.
bool find_place(ExamSettings& settings, LocalCluster& cluster, StandardPlace& standard);

}  // namespace bully
