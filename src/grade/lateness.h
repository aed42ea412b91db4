// lateness.h: how late this machine runs a process that is ready to run: a measure of other load,
// by a silent process, which sleeps and wakes.
#pragma once

#include <atomic>
#include <cstdint>

#include "stage/local_cluster.h"

namespace bully {

class Lateness {
 public:
  // Starts the process: a child, which ends with all others of this process's. Throws SetupError.
  explicit Lateness(LocalCluster& cluster);
  ~Lateness();
  Lateness(const Lateness&) = delete;
  Lateness& operator=(const Lateness&) = delete;

  // A step of this process was so late.
  void note(Duration late);
  // The latest step so far, of the silent process and of this one.
  Duration most() const { return Duration(most_ns_->load()); }

 private:
  using Shared = std::atomic<std::int64_t>;
  [[noreturn]] void sleep_and_wake();

  Shared* most_ns_;  // shared with the process
};

}  // namespace bully
