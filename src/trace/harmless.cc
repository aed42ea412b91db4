#include "trace/harmless.h"

#include <algorithm>
#include <array>

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
    Codes{0x2066, 0x2069},
};

bool is_harmful(char32_t code) {
  return std::any_of(harmful.begin(), harmful.end(), [code](const Codes& codes) {
    return code >= codes.first && code <= codes.last;
  });
}

// How a sequence begins: how many bytes it has, what of the first one belongs to the code, and the
// least code that needs so many.
struct Lead {
  std::size_t size;
  unsigned char mask;
  unsigned char bits;
  char32_t least;
};
constexpr std::array leads = {
    Lead{1, 0x80, 0x00, 0x00},
    Lead{2, 0xE0, 0xC0, 0x80},
    Lead{3, 0xF0, 0xE0, 0x800},
    Lead{4, 0xF8, 0xF0, 0x10000},
};
constexpr char32_t highest_code = 0x10FFFF;

// One half of what stands for a character in UTF-16, and no character.
bool is_surrogate(char32_t code) {
  return code >= 0xD800 && code <= 0xDFFF;
}

}  // namespace

Glyph first_glyph(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto* const lead = std::find_if(leads.begin(), leads.end(), [&](const Lead& known) {
    return (byte(0) & known.mask) == known.bits;
  });
  if (lead == leads.end() || text.size() < lead->size) return {};
  char32_t code = byte(0) & static_cast<unsigned char>(~lead->mask);
  for (std::size_t i = 1; i < lead->size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  if (code < lead->least || code > highest_code || is_surrogate(code)) return {};
  return {lead->size, code, true, !is_harmful(code)};
}

bool append_utf8(char16_t code, std::string& text) {
  if (is_surrogate(code)) return false;
  const auto byte = [&text](unsigned bits) { text += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
    return true;
  }
  if (code < 0x800) {
    byte(0xC0U | code >> 6);
  } else {
    byte(0xE0U | code >> 12);
    byte(0x80U | (code >> 6 & 0x3FU));
  }
  byte(0x80U | (code & 0x3FU));
  return true;
}

std::string harmless(std::string_view outside) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string shown;
  while (!outside.empty()) {
    const Glyph glyph = first_glyph(outside);
    for (const char c : outside.substr(0, glyph.size)) {
      const auto byte = static_cast<unsigned char>(c);
      if (glyph.is_harmless) {
        shown += c;
      } else {
        shown.append("\\x").append(1, hex[byte >> 4]).append(1, hex[byte & 15]);
      }
    }
    outside.remove_prefix(glyph.size);
  }
  return shown;
}

}  // namespace bully
