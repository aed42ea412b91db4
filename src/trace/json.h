// json.h: text that comes from outside: its characters, shown so that they can do nothing to a
// terminal, and the JSON of traces and status replies, read and written by RFC 8259.
//
// What a socket, a trace, a file's name, a script or an option says may hold the controls by which
// a program moves the cursor, renames the window or has lines read in another order than they
// stand. All of it that a person sees goes through harmless(). Nothing here judges what it means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bully {

// A piece of a text: a character, or one byte that is none in UTF-8.
struct Glyph {
  std::size_t size = 1;  // bytes
  char32_t code = 0;     // where it is a character
  bool is_utf8 = false;
  // It only shows something: it is a character, but none that controls a terminal, ends a line or
  // turns the direction of writing. A blank is harmless, a tab is not: it moves the cursor.
  bool is_harmless = false;
};

// The piece with which `text` begins. REQUIRES: !text.empty().
Glyph first_glyph(std::string_view text);

// Every byte of what is not harmless becomes "\x1b". Doing it twice changes nothing.
std::string harmless(std::string_view outside);

struct Json {
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  // A number's digits as they stand, or a string's text without escapes, or "true" or "false".
  std::string text;
  std::vector<Json> elements;     // of an array, or an object's members
  std::vector<std::string> keys;  // of an object: keys[i] names elements[i]

  // The member named `key`, or a null value.
  const Json& operator[](std::string_view key) const;
  // The value as a whole number, where it is one that fits.
  std::optional<std::uint64_t> as_unsigned() const;
  std::optional<std::int64_t> as_signed() const;
  bool is_string() const { return kind == Kind::string; }
};

// All of `text` as a value; nothing where it is not JSON, or is nested deeper than any of ours.
std::optional<Json> parse_json(std::string_view text);

// `text` between quotes; escaped is what JSON wants escaped, and what is not harmless.
std::string json_string(std::string_view text);
std::string json_bool(bool value);
// null, where there is none.
std::string json_number(std::optional<std::uint64_t> value);
// Of values that are JSON already, and names that need no escape.
using JsonMembers = std::vector<std::pair<std::string_view, std::string>>;
std::string json_object(const JsonMembers& members, std::string_view separator = ",");

template <class Range, class Show>
std::string json_array(const Range& range, Show show, std::string_view separator = ",") {
  std::string elements;
  for (const auto& element : range) {
    if (!elements.empty()) elements += separator;
    elements += show(element);
  }
  return '[' + elements + ']';
}

}  // namespace bully
