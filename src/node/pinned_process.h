// pinned_process.h: one process, and never another one that gets its PID later.
//
// Linux has descriptors that stand for a process (pidfd). Elsewhere there is only the PID: then a
// process whose parent has reaped it must be dropped before its PID can come round again.
#pragma once

#include <sys/types.h>

#include "node/descriptor.h"

namespace bully {

class PinnedProcess {
 public:
  // The process that has this PID now.
  explicit PinnedProcess(pid_t pid);

  pid_t pid() const { return pid_; }
  // A zombie has ended; but where there are no such descriptors, only when it has been reaped.
  bool has_ended() const;
  // Whether it has such a descriptor.
  bool is_pinned() const { return static_cast<bool>(descriptor_); }
  // Sends nothing to a process that has ended. Returns 0, or the errno: then ESRCH.
  int signal(int number) const;

 private:
  pid_t pid_;
  Descriptor descriptor_;
  bool exists_ = true;
};

}  // namespace bully
