// sweep.h: many elections under random faults (../sim/experiments.h), and the figures of each.
#pragma once

#include <chrono>
#include <cstdint>

#include "election/message.h"
#include "values/world_options.h"

namespace bully {

struct SweepOptions {
  // Gives each run's ring a random order, if the algorithm has a ring; otherwise by id.
  bool random_arrangement = false;
  std::uint32_t nodes = 5;     // with ids 1 to `nodes`
  std::uint64_t seeds = 1000;  // one run for each, from 1 on
  std::uint32_t crashes = 2;   // in each run; the last running process is spared
  std::uint32_t restarts = 1;  // of crashed processes
  std::uint32_t pauses = 0;    // of running processes; each continues before the faults end
  std::chrono::nanoseconds faults_last = std::chrono::seconds(5);
  // After the last fault, agreement must come within this time.
  std::chrono::nanoseconds bound = std::chrono::seconds(60);
  WorldOptions world;  // except its seed; messages get lost until the faults end
};

struct SweepRun {
  std::uint64_t seed = 0;
  bool agreed = false;
  std::chrono::nanoseconds time_to_agree{};  // from the last fault on; `bound` if it never came
  std::chrono::nanoseconds contested{};      // the total time with two or more coordinators
  MessageCounts sent = {};
};

}  // namespace bully
