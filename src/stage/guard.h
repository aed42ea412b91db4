// guard.h: a process that cleans up after this one, however it ends.
//
// The guard listens until nobody is left who could tell it something: then we have been killed,
// have crashed, or are simply done. It kills every process that it was told of, removes the
// directories, and does nothing else. It is in a session of its own and ignores all signals that
// can be ignored. Read next: leftovers.h.
#pragma once

#include <sys/types.h>

#include <string>

#include "node/descriptor.h"

namespace bully {

class Guard {
 public:
  // Forks the guard. Make it before any signal handler. Throws SetupError.
  Guard();
  // Lets it clean up, and waits until it has.
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // For a forked child, about itself: it must not outlive us, nor must a process group that it
  // leads. Said by the child before it is another program, there is no moment in which we could
  // die and only we would have known of it.
  void add_this_process() const;
  // For a forked child that stays this program: as long as it could speak, the guard would wait.
  void close_inherited() { words_.reset(); }

  // A new directory of ours alone, whose path is `prefix` and what makes it unique. It is guarded.
  // Throws SetupError.
  std::string make_directory(const std::string& prefix) const;
  // It may be left behind, or is removed already.
  void forget_directory(const std::string& path) const { tell('-' + path); }

 private:
  void tell(const std::string& word) const;

  pid_t owner_;
  Descriptor words_;  // to the guard; its end is our end
};

}  // namespace bully
