// json.h: the JSON of traces, status replies and outside programs, read and written by RFC 8259.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/list.h"
#include "base/text.h"

namespace bully {

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
