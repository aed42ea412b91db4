// problem.h: a problem, as a value, to be said in the user's language.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace bully {

// The key of a text (../words), and the words for the text's places.
struct Problem {
  std::string_view key;
  std::vector<std::string> values = {};
};

inline Problem problem(std::string_view key, std::initializer_list<std::uint64_t> numbers) {
  Problem made{key};
  for (const std::uint64_t number : numbers) made.values.push_back(std::to_string(number));
  return made;
}

}  // namespace bully
