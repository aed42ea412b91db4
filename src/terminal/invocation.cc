// invocation.cc: the options as they were typed, and names that were meant.
#include "terminal/invocation.h"

#include <algorithm>
#include <numeric>

#include "base/list.h"

namespace bully {

// The name that differs by the fewest letters, capitals aside.
std::string Invocation::meant(std::string_view named,
                              const std::vector<std::string_view>& known) const {
  std::string name(named);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  // Levenshtein's distance, row by row.
  const auto distance = [&name](std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < name.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i + 1);
      for (std::size_t k = 0; k < other.size(); ++k) {
        const std::size_t replaced = diagonal + (name[i] == other[k] ? 0 : 1);
        diagonal = row[k + 1];
        row[k + 1] = std::min({replaced, diagonal + 1, row[k] + 1});
      }
    }
    return row.back();
  };
  const auto found = std::ranges::min_element(known, {}, distance);
  // Farther away it is another word.
  const std::size_t slips = std::max<std::size_t>(1, name.size() * 2 / 5);
  const bool is_near = found != known.end() && distance(*found) <= slips;
  return is_near ? say(Text::usage_did_you_mean, {*found}) : "";
}

std::vector<std::string> Invocation::given_of(const std::vector<std::string_view>& names,
                                              bool others) const {
  std::vector<std::string> options;
  std::ranges::copy_if(given, std::back_inserter(options), [&](std::string_view option) {
    const auto name = std::ranges::find(names, option.substr(0, option.find('=')));
    return (name == names.end()) == others;
  });
  return options;
}

}  // namespace bully
