// json.h: text from outside: its characters, made harmless for a terminal, and the JSON of traces,
// status replies and outside programs, read and written by RFC 8259. And texts and lists put
// together from parts.
//
// Text from a socket, a trace, a file's name, a script or an option may contain control characters
// that move the cursor, rename the window or reverse the reading order. All such text that a person
// sees goes through harmless(). This unit never judges its meaning.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bully {

// A piece of a text: a character, or one byte that is not valid UTF-8.
struct Glyph {
  std::size_t size = 1;  // bytes
  char32_t code = 0;     // if it is a character
  bool is_utf8 = false;
  // True if it merely shows something: a character that does not control a terminal, end a line or
  // turn the direction of writing. A blank is harmless, a tab is not: it moves the cursor.
  bool is_harmless = false;
};

// The first piece of `text`. REQUIRES: !text.empty().
Glyph first_glyph(std::string_view text);

// True if a state, a rule, a variable or a message may be called so: 1 to 24 letters of any
// language, digits, blanks between words, - and _. No format needs an escape for it.
bool is_name(std::string_view text);

// A name in capital letters, as far as ASCII and Latin-1 have them.
std::string in_capitals(std::string_view name);

// Replaces every byte of a harmful piece by the form "\x1b". Doing it twice changes nothing.
std::string harmless(std::string_view outside);

// `text` with `by` in each place of `what`, which is not empty.
std::string replaced(std::string text, std::string_view what, std::string_view by);

// The number that `text` is, in digits alone; nothing if it is none, or too large.
std::optional<std::uint64_t> parse_number(std::string_view text);

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
  constexpr std::string_view name() const { return names.at(place_); }
  // NOLINTNEXTLINE(*-use-nullptr): a false alarm
  constexpr auto operator<=>(const OneOf&) const = default;

 private:
  std::uint8_t place_ = 0;
};

struct Json {
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  // A number's digits unchanged, or a string's text without escapes, or "true" or "false".
  std::string text;
  std::vector<Json> elements;     // of an array, or an object's members
  std::vector<std::string> keys;  // of an object: keys[i] names elements[i]

  // The member named `key`, or a null value. Of equal keys the last counts, as in Python and
  // JavaScript; the others are not here.
  const Json& operator[](std::string_view key) const;
  // The value as a whole number; nothing if it is none, or too large.
  std::optional<std::uint64_t> as_unsigned() const;
  std::optional<std::int64_t> as_signed() const;
  bool is_string() const { return kind == Kind::string; }
};

// Parses all of `text` as one value; nothing if it is not JSON, or nested deeper than this
// program's.
std::optional<Json> parse_json(std::string_view text);

// `text` between quotes, with escapes where JSON requires them and for harmful pieces.
std::string json_string(std::string_view text);
std::string json_bool(bool value);
// null if empty.
std::string json_number(std::optional<std::uint64_t> value);
// The values are JSON already, and the names need no escape.
using JsonMembers = std::vector<std::pair<std::string_view, std::string>>;
std::string json_object(const JsonMembers& members, std::string_view separator = ",");

template <class Range, class Show>
std::string json_array(const Range& range, Show show, std::string_view separator = ",") {
  return '[' + joined(range, separator, show) + ']';
}

}  // namespace bully
