// style.h: text laid out for a terminal, and how each message, state and algorithm looks.
//
// That follows from what the algorithm's description says that they are for (Role, StateRole); the
// words, from their names. No unit of this room knows a message or a state by name.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "election/algorithm.h"
#include "election/record.h"
#include "words/words.h"

namespace bully {

// How many columns `shown` takes: its characters, not its bytes; and colours take none.
std::size_t width(std::string_view shown);
std::string padded(std::string_view shown, std::size_t columns);
std::string right_aligned(std::string_view shown, std::size_t columns);
// The first of its columns, filled up with spaces. Colours need no column.
std::string fitted(std::string_view line, std::size_t columns);
std::string repeated(std::string_view sign, std::size_t times);

inline constexpr std::size_t terminal_columns = 80;
// What is told to people is laid out for this many columns.
inline constexpr std::size_t narration_columns = 78;
// At most `columns` wide, broken between words; a source in brackets stays whole. No newlines.
std::vector<std::string> wrapped(std::string_view words, std::size_t columns);
// A text whose lines end with newlines, each that is too wide over several. What has two spaces in
// a row is a table's, or a command, and stays.
std::string rewrapped(std::string_view text, std::size_t columns = narration_columns);
// Lines of a log or a table, each that is too wide broken at spaces: what goes on is indented, and
// all other spaces stay.
std::string folded(std::string_view text, std::size_t columns);
// Without their newlines.
std::vector<std::string> lines_in(std::string_view text);
// `words` at the right of `left`, in lines. With a newline at the end.
std::string beside(std::string_view left, std::string_view words);

// `words` with what XML and HTML want escaped escaped.
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

// What `show` makes of each element, words or a number, with `between` between them.
template <class Range, class Show = std::identity>
std::string joined(const Range& range, std::string_view between, Show show = {}) {
  std::string all;
  bool is_first = true;
  for (const auto& element : range) {
    if (!std::exchange(is_first, false)) all += between;
    all += Value(std::invoke(show, element));
  }
  return all;
}

// The rows of a table as lines, each column as wide as its widest cell. `sides` has for each column
// whether its cells stand at the left ('l') or at the right ('r'); the last one is for all others.
using Table = std::vector<std::vector<std::string>>;
std::vector<std::string> aligned(const Table& rows, std::string_view sides);

// A picture made of text, with a cell for each column: a character of several bytes is still one.
class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows);

  // From column `x` of row `y` on; what does not fit is cut off. REQUIRES: there is a row `y`.
  void put(std::size_t x, std::size_t y, std::string_view words);
  // `sign` in each column of [from, to).
  void fill(std::size_t from, std::size_t to, std::size_t y, std::string_view sign);
  // REQUIRES: there is such a cell.
  std::string_view at(std::size_t x, std::size_t y) const;
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
// `words` in this colour, or as they are unless `is_on`.
std::string colored(Color color, std::string_view words, bool is_on);

// What ends an arrow on paper.
enum class Head : std::uint8_t { filled, open, heavy };

struct MessageStyle {
  Color color = Color::plain;
  std::string_view ink = "#777777";  // on paper, as #rrggbb
  std::string_view ink_on_dark = "#a5a5a5";
  std::string_view dashes = {};  // as SVG has them; empty: a whole line
  double stroke = 1.4;           // how wide the line is, in pixels
  Head head = Head::filled;
  std::string_view line = "─";  // in a picture made of text
};
const MessageStyle& style_of(MessageType type);
// Its class, in SVG and HTML.
std::string css_of(MessageType type);
// The types of `algorithms` together, without what there is twice.
std::vector<MessageType> messages_of(const std::vector<const Algorithm*>& algorithms);

// A message's name in full: "ELECTION".
std::string name_of(MessageType type, Language language);
// The same, with the number where it carries one: "VALUE 4"; and as on the wire: "V 4".
std::string name_of(MessageType type, const FieldValues& values, Language language);
std::string short_name_of(MessageType type, const FieldValues& values);

struct StateStyle {
  Color color = Color::plain;         // of its line in the log, and of a node's row in a table
  std::string_view css = "follower";  // its class, in SVG and HTML
  double lane = 0;                    // how wide a bar its lane is in SVG, in pixels; 0: a line
  std::string_view line = "│";        // its lane in a picture made of text
  std::string_view mark = "○";        // the process itself in one
};
// Never fails: an unknown state looks like one in an election, an empty one like a follower.
const StateStyle& style_of_state(std::string_view state);
std::string state_words(std::string_view state, Language language);
// The same of a process, or that there is none; and its class.
std::string state_words(const Snapshot& node, Language language);
std::string css_of(const Snapshot& node);
// The words under `key`; under `otherwise` if there are none.
std::string word_or(std::string_view key, std::string_view otherwise, Language language,
                    Values values = {});

// The sentence of a rule, with its source, and the number of the deviation if it is one.
std::string rule_words(std::string_view rule, Language language);
// The key of the words for a name: "rule_", "ring-start" → "rule_ring_start".
std::string word_key(std::string_view prefix, std::string_view name);

// Those of these names, in the order of the table; the default one if there is no name.
std::vector<const Algorithm*> algorithms_named(const std::vector<std::string_view>& names);
// Whether it is the default one alone: then its name need not be told.
bool is_default(const std::vector<const Algorithm*>& algorithms);

// The variables that the algorithm has.
std::span<const Variable> named(const Variables& variables);
// "(1, 4, –)": the values, in the protocol's order. Empty where no variable has one yet.
std::string variables_words(const Variables& variables);
// "(d, e, f)": their names. Empty where the algorithm has none.
std::string variable_names(const Variables& variables);

// A group's name: its creator, and which of its groups since it started: "5.2". Empty: none.
std::string group_words(const std::optional<Group>& group);
// "group 5.2", likewise.
std::string group_label(const std::optional<Group>& group, Language language);
// "4"; "–" while it has no value.
std::string value_words(const Variable& variable);

}  // namespace bully
