// delay.h: how long a message is on its way.
//
// Drawn in steps of ten microseconds, so that messages which arrive together share one entry of the
// network's calendar (flights.h). Read next: world.h.
#pragma once

#include <chrono>

#include "sim/random.h"

namespace bully {

struct Delay {
  enum class Shape : std::uint8_t {
    fixed,    // always `shortest`
    uniform,  // anything from `shortest` to `longest`, each as likely
    // Mostly close to `shortest`: half of all within 1/256 of the way to `longest`, half of the
    // rest within 2/256, then 4/256, and so on. What queues and retries make of a network.
    long_tailed,
  };

  Shape shape = Shape::fixed;
  std::chrono::nanoseconds shortest = std::chrono::milliseconds(1);
  std::chrono::nanoseconds longest = std::chrono::milliseconds(1);

  // One message's delay. REQUIRES: 0 <= shortest <= longest.
  std::chrono::nanoseconds draw(Random& random) const;
};

}  // namespace bully
