// world_options.h: the settings of a simulated world (../sim/world.h): its network, its clocks, and
// the algorithm of its processes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "election/algorithm.h"
#include "trace/environment.h"

namespace bully {

struct Delay {
  enum class Shape : std::uint8_t {
    fixed,    // always `shortest`
    uniform,  // anything from `shortest` to `longest`, all equally likely
    // Mostly close to `shortest`: half of all within 1/256 of the way to `longest`, half of the
    // rest within 2/256, then 4/256, and so on. Queues and retries give a network such delays.
    long_tailed,
  };
  static constexpr int tail_doublings = 8;  // the last doubling reaches `longest`
  // Messages that arrive together share one entry of the network's calendar.
  static constexpr std::chrono::nanoseconds step = std::chrono::microseconds(10);

  Shape shape = Shape::fixed;
  // Neither is negative, nor `longest` the shorter.
  std::chrono::nanoseconds shortest = std::chrono::milliseconds(1);
  std::chrono::nanoseconds longest = std::chrono::milliseconds(1);
};

struct WorldOptions {
  std::uint64_t seed = 1;
  Delay delay = {};
  std::uint32_t loss_ppm = 0;  // lost messages in a million
  std::chrono::nanoseconds answer_timeout = std::chrono::milliseconds(500);
  // Grows with each election that timed out: see wait_range (../election/protocol.h).
  std::chrono::nanoseconds coordinator_timeout = std::chrono::milliseconds(1000);
  Detector detection = Detector::ping;  // off: only suspect() makes a node suspicious
  std::chrono::nanoseconds ping_interval = std::chrono::milliseconds(1000);
  std::chrono::nanoseconds ping_timeout = std::chrono::milliseconds(1000);
  // The number of messages that wait at a paused process, as in a socket's backlog; further ones
  // are lost.
  std::size_t backlog = 128;
  // Slow motion (../election/pace.h): a process pauses before each message that it sends, and
  // before each that it handles.
  std::chrono::nanoseconds pace{0};
  // The nodes' algorithm: for the trace, and for its preferred coordinator.
  const Algorithm* algorithm = &default_algorithm();
  // Whether messages from one node to another arrive in the order of sending; not given: as the
  // algorithm requires.
  std::optional<bool> fifo = std::nullopt;

  bool is_fifo() const { return fifo.value_or(algorithm->is_fifo); }
};

}  // namespace bully
