#include "sim/delay.h"

namespace bully {

namespace {

// How many times the long tail can double: the last doubling reaches `longest`.
constexpr int tail_doublings = 8;

constexpr std::chrono::nanoseconds step = std::chrono::microseconds(10);

}  // namespace

std::chrono::nanoseconds Delay::draw(Random& random) const {
  if (shape == Shape::fixed) return shortest;
  std::int64_t range = (longest - shortest) / step;
  if (shape == Shape::long_tailed) {
    int doublings = 0;
    while (doublings < tail_doublings && random.below(2) == 0) ++doublings;
    range >>= tail_doublings - doublings;
  }
  return shortest + step * random.between(0, range);
}

}  // namespace bully
