// list.h: lists made from other lists, texts joined from lists, and the choice from a list of
// names.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bully {

// Joins the results of `show` for each element, words or a number, with `between` between them.
template <class Range, class Show = std::identity>
std::string joined(const Range& range, std::string_view between, Show show = {}) {
  std::string all;
  bool is_first = true;
  for (const auto& element : range) {
    if (!std::exchange(is_first, false)) all += between;
    if constexpr (requires { std::to_string(std::invoke(show, element)); }) {
      all += std::to_string(std::invoke(show, element));
    } else {
      all += std::invoke(show, element);
    }
  }
  return all;
}

// The results of `make` for the elements for which `is_wanted` holds, or for all of them; as values
// of type `As`, if that is given.
template <class As = void, class Range, class Test, class Make>
auto list_of(Range&& range, Test is_wanted, Make make) {
  using Made = std::remove_cvref_t<std::invoke_result_t<Make&, decltype(*std::begin(range))>>;
  std::vector<std::conditional_t<std::is_void_v<As>, Made, As>> all;
  for (auto&& element : range) {
    if (std::invoke(is_wanted, element)) all.emplace_back(std::invoke(make, element));
  }
  return all;
}
template <class As = void, class Range, class Make>
auto list_of(Range&& range, Make make) {
  return list_of<As>(
      range, [](const auto&) { return true; }, make);
}

// `names` in their order; a name that is not listed does not compile.
template <const auto& names>
class OneOf {
 public:
  consteval OneOf(const char* name) {  // NOLINT(*-explicit-*)
    while (names.at(place_) != name) ++place_;
  }
  // The one with this name; throws std::out_of_range if there is none.
  static constexpr OneOf named(std::string_view name) {
    OneOf one;
    while (names.at(one.place_) != name) ++one.place_;
    return one;
  }
  constexpr std::string_view name() const { return names.at(place_); }
  // NOLINTNEXTLINE(*-use-nullptr): a false alarm
  constexpr auto operator<=>(const OneOf&) const = default;

 private:
  OneOf() = default;

  std::uint8_t place_ = 0;
};

}  // namespace bully
