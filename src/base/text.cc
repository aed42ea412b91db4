// text.cc: UTF-8, names, harmless output, quotes and escapes.
#include "base/text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdio>
#include <sstream>

namespace bully {

namespace {

struct Codes {
  char32_t first;
  char32_t last;
};
constexpr std::array harmful = {
    Codes{0x00, 0x1F},      // C0: ESC, BEL, the ends of lines
    Codes{0x7F, 0x9F},      // DEL, and C1: 0x9b alone is ESC [
    Codes{0x061C, 0x061C},  // the direction of writing
    Codes{0x200E, 0x200F},  //
    Codes{0x2028, 0x202E},  // with two more ends of lines
    Codes{0xFFFE, 0xFFFF},  // no characters: XML refuses them
    Codes{0x2066, 0x2069},
};

bool is_among(const auto& all, char32_t code) {
  return std::ranges::any_of(
      all, [code](const Codes& codes) { return code >= codes.first && code <= codes.last; });
}

// What is no letter of any language, beyond ASCII: blocks of signs, pictures and private codes.
constexpr std::array signs = {
    Codes{0x80, 0xA9},       Codes{0xAB, 0xB4},       Codes{0xB6, 0xB9},
    Codes{0xBB, 0xBF},       Codes{0xD7, 0xD7},       Codes{0xF7, 0xF7},
    Codes{0x061C, 0x061C},   Codes{0x1680, 0x1680},   Codes{0x180E, 0x180E},
    Codes{0x2000, 0x2BFF},   Codes{0x2E00, 0x2E7F},   Codes{0x3000, 0x3004},
    Codes{0x3008, 0x3020},   Codes{0x3030, 0x3030},   Codes{0x3164, 0x3164},
    Codes{0xE000, 0xF8FF},   Codes{0xFE00, 0xFE6F},   Codes{0xFEFF, 0xFF0F},
    Codes{0xFF1A, 0xFF20},   Codes{0xFF3B, 0xFF40},   Codes{0xFF5B, 0xFF65},
    Codes{0xFFA0, 0xFFA0},   Codes{0xFFE0, 0xFFFF},   Codes{0x1D000, 0x1D3FF},
    Codes{0x1F000, 0x1FBFF}, Codes{0xE0000, 0x10FFFF}};
constexpr std::size_t longest_name = 24;

bool is_letter(char32_t code) {
  if (code < 0x80) return (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
  return !is_among(signs, code);
}

constexpr char32_t highest_code = 0x10FFFF;

template <class Integer>
std::optional<Integer> whole_number(std::string_view text) {
  Integer value = 0;
  const std::size_t digits = text.starts_with('-') ? 1 : 0;
  if (text.size() > digits + 1 && text[digits] == '0') return std::nullopt;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

bool is_half_of_pair(char32_t code) {
  return code >= 0xD800 && code <= 0xDFFF;
}

Glyph first_glyph(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  // The first byte of several begins with a one bit for each. The smallest code that needs each
  // number of bytes:
  constexpr std::array<char32_t, 5> least = {0x00, 0x00, 0x80, 0x800, 0x10000};
  const auto ones = static_cast<std::size_t>(std::countl_one(byte(0)));
  const std::size_t size = std::max<std::size_t>(ones, 1);
  if (ones == 1 || ones >= least.size() || text.size() < size) return {};
  char32_t code = byte(0) & (0x7FU >> ones);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  if (code < least.at(ones) || code > highest_code || is_half_of_pair(code)) return {};
  return {size, code, true, !is_among(harmful, code)};
}

bool is_name(std::string_view text) {
  std::size_t characters = 0;
  bool is_after_blank = true;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    const bool is_blank = glyph.code == ' ';
    const bool is_digit = glyph.code >= '0' && glyph.code <= '9';
    const bool is_allowed =
        is_blank ? !is_after_blank
                 : is_digit || glyph.code == '-' || glyph.code == '_' || is_letter(glyph.code);
    if (!glyph.is_harmless || !is_allowed || ++characters > longest_name) return false;
    is_after_blank = is_blank;
    text.remove_prefix(glyph.size);
  }
  return !is_after_blank;
}

std::string in_capitals(std::string_view name) {
  std::string shown(name);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const bool is_ascii = shown[i] >= 'a' && shown[i] <= 'z';
    // From U+00E0 on, but for the sign of division: the second of two bytes.
    const bool is_latin = i > 0 && shown[i - 1] == '\xC3' && shown[i] >= '\xA0' &&
                          shown[i] <= '\xBE' && shown[i] != '\xB7';
    if (is_ascii || is_latin) shown[i] = static_cast<char>(shown[i] - 0x20);
  }
  return shown;
}

std::string harmless(std::string_view outside) {
  std::string shown;
  while (!outside.empty()) {
    const Glyph glyph = first_glyph(outside);
    for (const char c : outside.substr(0, glyph.size)) {
      const auto byte = static_cast<unsigned char>(c);
      if (glyph.is_harmless) {
        shown += c;
      } else {
        shown.append("\\x").append(1, hex_digits[byte >> 4]).append(1, hex_digits[byte & 15]);
      }
    }
    outside.remove_prefix(glyph.size);
  }
  return shown;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  return whole_number<std::uint64_t>(text);
}

std::optional<std::int64_t> parse_signed_number(std::string_view text) {
  return whole_number<std::int64_t>(text);
}

std::optional<double> take_decimal(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_not_of("0123456789.,"), text.size());
  std::string written(text.substr(0, size));
  std::ranges::replace(written, ',', '.');
  std::istringstream digits{written};
  text.remove_prefix(size);
  double number = 0;
  if (!(digits >> number) || digits.peek() != EOF) return std::nullopt;
  return number;
}

std::optional<Duration> parse_duration(std::string_view text) {
  if (text == "0") return Duration(0);
  const std::optional<double> number = take_decimal(text);
  const double unit_ns = text == "us" ? 1e3 : text == "ms" ? 1e6 : text == "s" ? 1e9 : 0;
  const double ns = number.value_or(0) * unit_ns;
  const bool is_duration =
      number && unit_ns > 0 && ns <= static_cast<double>(longest_duration.count());
  return is_duration ? std::optional(Duration(static_cast<std::int64_t>(ns))) : std::nullopt;
}

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string all;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = text.find(what, from)) != std::string::npos;) {
    all.append(text.substr(from, at - from)).append(by);
    from = at + what.size();
  }
  return all.append(text.substr(from));
}

std::string in_quotes(std::string_view text) {
  return '\'' + replaced(text, "'", "'\\''") + '\'';
}

std::string typed(std::string_view word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:+@%-";
  return word.find_first_not_of(plain) == std::string::npos ? std::string(word) : in_quotes(word);
}

std::string escaped(std::string_view words) {
  std::string shown;
  for (const char c : words) {
    shown += c == '&'   ? "&amp;"
             : c == '<' ? "&lt;"
             : c == '>' ? "&gt;"
             : c == '"' ? "&quot;"
                        : std::string(1, c);
  }
  return shown;
}

}  // namespace bully
