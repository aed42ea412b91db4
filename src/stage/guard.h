// guard.h: a process that cleans up after us, however we end.
//
// It sleeps until we are gone: killed, crashed, or simply done. Then it ends every process that it
// was told of and removes the directory. It does nothing else. Read next: real_stage.h.
#pragma once

#include <sys/types.h>

#include <string>

#include "node/descriptor.h"

namespace bully {

class Guard {
 public:
  // Forks the guard of `directory`. Make it before any signal handler. Throws SetupError.
  explicit Guard(std::string directory);
  // Lets it clean up, and waits until it has.
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // A child of ours that must not outlive us, and one that has been reaped.
  void add(pid_t child) { tell(child); }
  void forget(pid_t child) { tell(-child); }

 private:
  void tell(pid_t word);

  pid_t pid_ = 0;
  Descriptor words_;  // to the guard; its end is our end
};

}  // namespace bully
