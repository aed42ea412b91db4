// time.h: a length of time, and a moment.
#pragma once

#include <chrono>

namespace bully {

using Duration = std::chrono::nanoseconds;
using Time = std::chrono::nanoseconds;  // since an arbitrary moment, the same for all processes

inline constexpr Time never = Time::max();

inline constexpr double ns_per_ms = 1e6;

}  // namespace bully
