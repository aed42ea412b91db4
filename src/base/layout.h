// layout.h: text laid out for a terminal: its width, its lines, its columns, its colours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bully {

// The number of columns for `shown`: counts characters, not bytes; colours take none.
std::size_t width(std::string_view shown);
std::string padded(std::string_view shown, std::size_t columns);
std::string right_aligned(std::string_view shown, std::size_t columns);
// The first of its columns, filled up with spaces. Colours need no column.
std::string fitted(std::string_view line, std::size_t columns);
std::string repeated(std::string_view sign, std::size_t times);

inline constexpr std::size_t terminal_columns = 80;
// The width for texts to people.
inline constexpr std::size_t narration_columns = 78;
// At most `columns` wide, broken between words; a source in brackets stays whole. No newlines.
std::vector<std::string> wrapped(std::string_view words, std::size_t columns);
// A text whose lines end with newlines; breaks each that is too wide for narration, and puts the
// rest before the next line, unless a sentence ends there. A line with two spaces in a row belongs
// to a table, or is a command, and stays unchanged.
std::string rewrapped(std::string_view text);
// Lines of a log or a table; breaks each line that is too wide at spaces, a word that is too wide
// at a comma or where it must, indents the rest, and keeps all other spaces.
std::string folded(std::string_view text, std::size_t columns);
// Entries with `gap` between them, in lines of at most `columns`, broken between entries alone;
// further lines begin with `indent`.
std::vector<std::string> packed(std::string_view entries, std::string_view gap, std::size_t columns,
                                std::string_view indent = "");
// Without their newlines.
std::vector<std::string> lines_in(std::string_view text);
// `words` to the right of `left`, in lines. With a newline at the end.
std::string beside(std::string_view left, std::string_view words);

// The rows of a table as lines, each column as wide as its widest cell. `sides` aligns each
// column's cells to the left ('l') or to the right ('r'); its last letter is for all further
// columns.
using Table = std::vector<std::vector<std::string>>;
std::vector<std::string> aligned(const Table& rows, std::string_view sides);

// A picture made of text, with a cell for each column: a character of several bytes takes one cell.
class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows);

  // From column `x` of row `y` on; the excess is cut off. REQUIRES: row `y` exists.
  void put(std::size_t x, std::size_t y, std::string_view words);
  // `sign` in each column of [from, to).
  void fill(std::size_t from, std::size_t to, std::size_t y, std::string_view sign);
  // Its rows, without spaces at their ends.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

enum class Color : std::uint8_t {
  plain,
  dim,
  bold,
  reversed,
  red,
  green,
  yellow,
  cyan,
  magenta,
  bold_red,
  bold_green,
  bold_yellow
};
// `words` in this colour; unchanged unless `is_on`.
std::string colored(Color color, std::string_view words, bool is_on);

}  // namespace bully
