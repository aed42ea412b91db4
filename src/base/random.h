// random.h: random numbers that are the same on every machine.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace bully {

// Random numbers: a seed gives the same numbers on every machine. SplitMix64
// [Steele, Lea, Flood], since the distributions of <random> differ from one standard library to the
// next.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return bits ^ (bits >> 31);
  }
  // A number from 0 to `bound` - 1, all equally likely. REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    assert(bound > 0);
    // 2^64 is seldom a multiple of `bound`: the first few numbers would come up once too often.
    const std::uint64_t surplus = (0 - bound) % bound;
    std::uint64_t bits = next();
    while (bits < surplus) bits = next();
    return bits % bound;
  }
  // A number from `low` to `high`, both included. REQUIRES: low <= high.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    assert(low <= high);
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  bool chance(std::uint32_t parts_per_million) {
    return parts_per_million > 0 && below(1'000'000) < parts_per_million;
  }
  template <class Items>
  void shuffle(Items&& items) {
    for (std::size_t left = std::size(items); left > 1; --left) {
      std::swap(items[left - 1], items[below(left)]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace bully
