// scratch.h: nothing that a program of tests makes or starts is left, however the program ends.
//
// A guard (stage/local_cluster.h) is told of each directory made here, and by each forked process.
#pragma once

#include <string>

namespace bully {

inline constexpr const char* no_processes_variable = "BULLY_TEST_NO_PROCESSES";

// To be called first of all in main, and in a forked child that starts processes or makes
// directories itself. Throws system_error. If that variable of the environment is set, a fork from
// then on ends the program instead, as if it had run one test and skipped it: so the sanitizers can
// try all that needs no other process.
void guard_this_program();

// A directory of its own, removed at the end with all that is in it. Throws system_error.
class Scratch {
 public:
  explicit Scratch(const std::string& name = "bully-test");
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }
  // It is to be looked at when the program has ended.
  void keep();

 private:
  std::string path_;
  bool is_kept_ = false;
};

}  // namespace bully
