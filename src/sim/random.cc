#include "sim/random.h"

#include <cassert>

namespace bully {

std::uint64_t Random::next() {
  state_ += 0x9E3779B97F4A7C15;
  std::uint64_t bits = state_;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
  return bits ^ (bits >> 31);
}

std::uint64_t Random::below(std::uint64_t bound) {
  assert(bound > 0);
  // 2^64 is seldom a multiple of `bound`: the first few numbers would come up once too often.
  const std::uint64_t surplus = (0 - bound) % bound;
  std::uint64_t bits = next();
  while (bits < surplus) bits = next();
  return bits % bound;
}

std::int64_t Random::between(std::int64_t low, std::int64_t high) {
  assert(low <= high);
  return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
}

bool Random::chance(std::uint32_t parts_per_million) {
  return parts_per_million > 0 && below(1'000'000) < parts_per_million;
}

}  // namespace bully
