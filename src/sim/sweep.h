// sweep.h: many elections under random faults, each of them judged.
//
// One run: processes crash, are started again, are stopped and go on, and messages get lost, all by
// chance and all from one seed. Then the faults stop: what was stopped goes on, nothing is lost any
// more; and within a bound all that live must follow the highest of them. This unit counts and
// judges; sweep_report.h turns the figures into text. It prints nothing.
// Read next: world.h, sweep_report.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/world.h"

namespace bully {

struct SweepOptions {
  const Algorithm* algorithm = &default_algorithm();
  // Each run's ring stands in an order of its own; without it, by id. Nothing to an algorithm that
  // knows no ring.
  bool random_arrangement = false;
  std::uint32_t nodes = 5;  // with ids 1 to `nodes`
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 1000;  // so many runs
  std::uint32_t crashes = 2;   // in each; the last process that runs is spared
  std::uint32_t restarts = 1;  // of crashed processes
  std::uint32_t pauses = 0;    // of running processes; each goes on before the faults end
  std::uint32_t loss_ppm = 0;  // of a million messages, until the faults end
  std::chrono::nanoseconds faults_last = std::chrono::seconds(5);
  // After the last fault, agreement must come within this time.
  std::chrono::nanoseconds bound = std::chrono::seconds(60);
  WorldOptions world;  // all but its seed, its loss and whether links are FIFO
};

struct SweepRun {
  std::uint64_t seed = 0;
  bool agreed = false;
  std::chrono::nanoseconds time_to_agree{};  // from the end of the faults; `bound` if it never came
  std::chrono::nanoseconds contested{};      // two or more coordinators at the same time, in all
  MessageCounts sent{};
};

// One run, the same whenever it is repeated. `sink`, where there is one, is told all that happens.
// `make`, where it is given, makes other protocols than the algorithm does.
SweepRun sweep_one(const SweepOptions& options, std::uint64_t seed, Sink* sink = nullptr,
                   const ProtocolMaker& make = {});

// All runs, by seed. After each one `progress` is asked whether to go on.
std::vector<SweepRun> sweep(const SweepOptions& options,
                            const std::function<bool(const SweepRun&)>& progress,
                            const ProtocolMaker& make = {});

}  // namespace bully
