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

// For poll(2): whole milliseconds until `deadline`, rounded up so that it has passed on waking; -1
// for never.
inline int poll_timeout(Time deadline, Time now) {
  if (deadline == never) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

}  // namespace bully
