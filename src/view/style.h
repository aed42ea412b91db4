// style.h: text laid out for a terminal, and the look of each message, state and algorithm.
//
// The look follows from the roles in the algorithm's description (Role, StateRole); the words, from
// their names. No unit of this room knows a message or a state by name.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "election/algorithm.h"
#include "election/record.h"
#include "words/words.h"

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
// A text whose lines end with newlines; breaks each that is too wide for narration. A line with two
// spaces in a row belongs to a table, or is a command, and stays unchanged.
std::string rewrapped(std::string_view text);
// Lines of a log or a table; breaks each line that is too wide at spaces, indents the rest, and
// keeps all other spaces.
std::string folded(std::string_view text, std::size_t columns);
// Without their newlines.
std::vector<std::string> lines_in(std::string_view text);
// `words` to the right of `left`, in lines. With a newline at the end.
std::string beside(std::string_view left, std::string_view words);

// `words`, escaped for XML and HTML.
inline std::string escaped(std::string_view words) {
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

// The end of an arrow on paper.
enum class Head : std::uint8_t { filled, open, heavy };

struct MessageStyle {
  Color color = Color::plain;
  std::string_view ink = "#777777";  // on paper, as #rrggbb
  std::string_view ink_on_dark = "#a5a5a5";
  std::string_view dashes = {};  // as in SVG; empty: a whole line
  double stroke = 1.4;           // the line's width, in pixels
  Head head = Head::filled;
  std::string_view line = "─";  // in a picture made of text
};
const MessageStyle& style_of(MessageType type);
// Its class, in SVG and HTML.
std::string css_of(MessageType type);
// The types of `algorithms` together, without repetition, and others for which `as_well` holds.
std::vector<MessageType> messages_of(const std::vector<const Algorithm*>& algorithms,
                                     const std::function<bool(MessageType)>& as_well = nullptr);

// A message's name in full: "ELECTION".
std::string name_of(MessageType type, Language language);
// The same, with its number if it has one: "VALUE 4"; and as on the wire: "V 4".
std::string name_of(MessageType type, const FieldValues& values, Language language);
std::string short_name_of(MessageType type, const FieldValues& values);

struct StateStyle {
  Color color = Color::plain;         // of its line in the log, and of a node's row in a table
  std::string_view css = "follower";  // its class, in SVG and HTML
  double lane = 0;                    // the width of its lane's bar in SVG, in pixels; 0: a line
  std::string_view line = "│";        // its lane in a picture made of text
  std::string_view mark = "○";        // the process itself in one
};
// Never fails: an unknown state looks like one in an election, an empty one like a follower.
const StateStyle& style_of_state(std::string_view state);
std::string state_words(std::string_view state, Language language);
// The words for a process's state ("relay, stopped"), or for its absence; of these, those for a
// process that is stopped, or none; and its class.
std::string state_words(const Snapshot& node, Language language);
std::string stopped_words(const Snapshot& node, Language language);
std::string css_of(const Snapshot& node);
// The words under `key`; under `otherwise` if there are none.
std::string word_or(std::string_view key, std::string_view otherwise, Language language,
                    Values values = {});

// The sentence of a rule, with its source, and the number of the deviation if it is one.
std::string rule_words(std::string_view rule, Language language);

// The algorithms with these names, in the order of the table; the default one if there is no name.
std::vector<const Algorithm*> algorithms_named(const std::vector<std::string_view>& names);
// True for the default algorithm alone: then its name need not be shown.
bool is_default(const std::vector<const Algorithm*>& algorithms);

// The variables that the algorithm has.
std::span<const Variable> named(const Variables& variables);
// "(1, 4, –)": the values, in the protocol's order. Empty while no variable has a value.
std::string variables_words(const Variables& variables);
// "(d, e, f)": their names. Empty if the algorithm has none.
std::string variable_names(const Variables& variables);
// "4"; "–" if it has no value.
std::string value_words(const Variable& variable);

}  // namespace bully
