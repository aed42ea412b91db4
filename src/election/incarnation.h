// incarnation.h: numbers that no process of one id uses twice, though no state survives a crash.
//
// A new process counts on from Started::incarnation, which a real process takes from the time. The
// last `life_bits` bits of that are 0: in its numbers they show the count since it started.
#pragma once

#include <cstdint>

namespace bully {

inline constexpr unsigned life_bits = 10;
constexpr std::uint64_t counted_in_life(std::uint64_t number) {
  return number & ((1U << life_bits) - 1);
}

}  // namespace bully
