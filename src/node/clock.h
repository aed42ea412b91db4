// clock.h: the one clock of a node, CLOCK_MONOTONIC. Setting the wall clock changes nothing here.
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace bully {

using Duration = std::chrono::nanoseconds;
using Time = std::chrono::nanoseconds;  // since an arbitrary moment, the same for all processes

inline constexpr Time never = Time::max();

inline Time monotonic_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// How much longer than they are told to should processes wait for each other that are so many? One
// machine does the work of all: n that elect at once have n² messages for it, of some 10 µs each,
// and twice that is generous. Whoever waits less long would mistake a crowd for the dead.
inline Duration crowd_time(std::size_t processes) {
  constexpr Duration message_cost = std::chrono::microseconds(20);
  return message_cost * static_cast<std::int64_t>(processes * processes);
}

// For poll(2): whole milliseconds until `deadline`, rounded up so that it has passed on waking; -1
// for never.
inline int poll_timeout(Time deadline, Time now) {
  if (deadline == never) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

}  // namespace bully
