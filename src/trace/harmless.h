// harmless.h: words that came from outside, shown so that they can do nothing to a terminal.
//
// What a socket, a trace, a file's name, a script or an option says is not ours: it may hold the
// controls by which a program moves the cursor, renames the window or has lines read in another
// order than they stand. Whatever of it reaches a person goes through harmless(); json_string()
// (json.h) follows the same rule. It never judges what the words mean.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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

// Appends a character of the basic plane. False where the code is none: it is half of a pair.
bool append_utf8(char16_t code, std::string& text);

// `outside` with every byte of what is not harmless as "\x1b". What is harmless stays as it is, so
// that doing it twice changes nothing.
std::string harmless(std::string_view outside);

}  // namespace bully
