// text.h: text from outside, its characters, made harmless for a terminal; and small changes of
// texts.
//
// Text from a socket, a trace, a file's name, a script or an option may contain control characters
// that move the cursor, rename the window or reverse the reading order. All such text that a person
// sees goes through harmless(). This unit never judges its meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

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
std::string replaced(std::string_view text, std::string_view what, std::string_view by);

// The number that `text` is, in digits alone, without leading zeros; nothing if it is none, or too
// large for 64 bits. The second may be negative. An id has a lower limit: parse_id().
std::optional<std::uint64_t> parse_number(std::string_view text);
std::optional<std::int64_t> parse_signed_number(std::string_view text);

// Takes "1.5" or "1,5" off the front: digits, with a mark among them or around them.
std::optional<double> take_decimal(std::string_view& text);
// "250ms", "1.5s", "50us"; or "0", of any unit. Nothing if it is none, or above the longest.
inline constexpr Duration longest_duration = std::chrono::hours(1);
std::optional<Duration> parse_duration(std::string_view text);

// True if the code is half of a UTF-16 pair, and so no character.
bool is_half_of_pair(char32_t code);
inline constexpr std::string_view hex_digits = "0123456789abcdef";

// In quotes for a shell.
std::string in_quotes(std::string_view text);
// The word as a person types it in a shell: in quotes only where they are needed.
std::string typed(std::string_view word);

// `words`, escaped for XML and HTML.
std::string escaped(std::string_view words);

}  // namespace bully
