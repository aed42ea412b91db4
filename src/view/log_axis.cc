#include "view/log_axis.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bully {

namespace {

constexpr std::size_t few_ticks = 3;
constexpr std::uint64_t most_ten = 1'000'000'000'000'000'000;

// The round numbers that these digits make, with the last one below `least` or at it, and the first
// one above `most` or at it.
std::vector<std::uint64_t> round_numbers(std::uint64_t least, std::uint64_t most,
                                         const std::vector<std::uint64_t>& digits) {
  std::vector<std::uint64_t> round;
  for (std::uint64_t ten = 1; ten <= most_ten / 10; ten *= 10) {
    for (const std::uint64_t digit : digits) {
      const std::uint64_t number = digit * ten;
      if (number <= least) round.clear();
      round.push_back(number);
      if (number >= most && round.size() > 1) return round;
    }
  }
  return round;
}

}  // namespace

double LogAxis::place(std::uint64_t value) const {
  if (high == low) return 0.5;
  const auto log_of = [](std::uint64_t number) { return std::log(static_cast<double>(number)); };
  return (log_of(value) - log_of(low)) / (log_of(high) - log_of(low));
}

LogAxis decimal_axis(std::uint64_t least, std::uint64_t most) {
  std::vector<std::uint64_t> ticks = round_numbers(least, most, {1});
  if (ticks.size() <= few_ticks) ticks = round_numbers(least, most, {1, 2, 5});
  return {ticks.front(), ticks.back(), ticks};
}

LogAxis doubling_axis(const std::vector<std::uint64_t>& values) {
  LogAxis axis{values.front(), values.back(), {}};
  for (std::uint64_t power = std::bit_ceil(axis.low); power <= axis.high && power > 0; power *= 2) {
    axis.ticks.push_back(power);
  }
  if (axis.ticks.size() < few_ticks) axis.ticks = values;
  return axis;
}

}  // namespace bully
