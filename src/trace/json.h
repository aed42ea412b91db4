// json.h: a small reader of JSON, for the trace and for status replies. Values only; it writes
// nothing, and takes no more of the language than RFC 8259 has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bully {

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

// The value that `text` is, the whole of it; nothing where it is not JSON, or nested deeper than
// any of ours.
std::optional<Json> parse_json(std::string_view text);

// `text` between quotes; escaped is what JSON wants escaped, and what is not harmless (harmless.h).
std::string json_string(std::string_view text);

}  // namespace bully
