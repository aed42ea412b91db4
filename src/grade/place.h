// place.h: the directory in which a program can be graded: a private one if it obeys BULLY_DIR or
// {dir}; otherwise the directory that it has built in, if no other process is there.
#pragma once

#include <set>
#include <string>

#include "grade/exam.h"

namespace bully {

enum class Place : std::uint8_t {
  own,       // the one in the settings
  built_in,  // the standard directory, which the settings name from now on
  taken,     // the standard directory is built in, and has names of others
};

// The standard directory, which one grader at a time may use: others wait for it. Afterwards it is
// as it was: entries that have come meanwhile are removed, except those of live processes.
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

// Starts a process of the program, once or twice. `standard` stays reserved if the program is to be
// graded there. Throws SetupError, Interrupted.
Place find_place(ExamSettings& settings, LocalCluster& cluster, StandardPlace& standard);

}  // namespace bully
