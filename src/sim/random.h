// random.h: the simulator's dice. The same seed throws the same numbers on every machine.
//
// SplitMix64, the generator of Steele, Lea and Flood, written out because the distributions of
// <random> differ from one standard library to the next. Integers only: no rounding, no surprises.
// Nothing else in this room may draw random numbers. Read next: delay.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace bully {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // Any 64 bits.
  std::uint64_t next();
  // A number from 0 to `bound` - 1, each as likely. REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound);
  // A number from `low` to `high`, both included. REQUIRES: low <= high.
  std::int64_t between(std::int64_t low, std::int64_t high);
  // True `parts` times in a million.
  bool chance(std::uint32_t parts_per_million);
  // Any order of `items`, each as likely.
  template <typename Item>
  void shuffle(std::span<Item> items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[below(left)]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace bully
