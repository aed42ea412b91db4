// log_axis.h: an axis on which equal steps are equal factors, and where its ticks stand.
//
// What grows as a power of n is a straight line where both axes are such ones, and the steeper line
// wins in the end. Read next: compare_plot.h and compare_svg.h, which draw with it.
#pragma once

#include <cstdint>
#include <vector>

namespace bully {

struct LogAxis {
  std::uint64_t low = 1;
  std::uint64_t high = 1;
  std::vector<std::uint64_t> ticks = {};  // rising, within the axis

  // From 0, where `low` stands, to 1, where `high` does. REQUIRES: value > 0.
  double place(std::uint64_t value) const;
};

// Round numbers from below `least` to above `most`: powers of ten, and 2 and 5 times these where
// there would be few. REQUIRES: 0 < least <= most.
LogAxis decimal_axis(std::uint64_t least, std::uint64_t most);

// Exactly from the first to the last of these, with ticks at the powers of two, or at the values
// themselves where there would be few. REQUIRES: `values` rise, from above 0, and are not empty.
LogAxis doubling_axis(const std::vector<std::uint64_t>& values);

}  // namespace bully
