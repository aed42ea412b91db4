// looks.h: how each message, each state and each algorithm looks, in one table each.
//
// Whoever shows a run to people asks these tables: no other unit of this room knows a message or a
// state by name. A state, or an algorithm, that is not in its table is shown by its own word, and
// plainly; so a new one can be seen at once, and gets its looks in looks.cc.
//
// It shows nothing itself. Read next: log.h, diagram.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "election/algorithm.h"
#include "view/text.h"

namespace bully {

// Colours on a terminal.
enum class Color : std::uint8_t { plain, dim, red, green, yellow, cyan, magenta, bold_green };
inline constexpr std::size_t color_count = 8;
// What switches a colour on; empty for plain.
std::string_view escape_of(Color color);
inline constexpr std::string_view color_reset = "\033[0m";

// What ends an arrow on paper.
enum class Head : std::uint8_t { filled, open, heavy };

struct MessageLook {
  MessageType type = MessageType::ping;
  Text name = Text::ping;
  // Its subject is the number that it carries, and its epoch the election that it belongs to.
  bool carries_number = false;
  // It tells who has won. Pictures of rounds show it last.
  bool announces = false;
  // It is sent back at once: within a round, before what else its sender does.
  bool answers = false;
  Color color = Color::plain;
  std::string_view css = {};  // its class, in SVG and HTML
  std::string_view ink = {};  // on paper, as #rrggbb
  std::string_view ink_on_dark = {};
  std::string_view dashes = {};  // as SVG has them; empty: a whole line
  double stroke = 1.4;           // how wide the line is, in pixels
  Head head = Head::filled;
  std::string_view line = "─";  // in a picture made of text
};
const MessageLook& look_of(MessageType type);
// Whether it belongs to an election: all do but pings and status requests.
bool is_of_election(MessageType type);
// The types of `algorithms` together, without what there is twice, in the order of MessageType.
std::vector<MessageType> messages_of(const std::vector<const Algorithm*>& algorithms);

// A message's name in full: "ELECTION".
std::string name_of(MessageType type, Language language);
// The same, with the number where it carries one: "VALUE 4".
std::string name_of(MessageType type, std::optional<std::uint64_t> subject, Language language);
// As on the wire, with the number where it carries one: "V 4".
std::string short_name_of(MessageType type, std::optional<std::uint64_t> subject);

struct StateLook {
  std::string_view name = {};  // as a trace names it
  Text words = Text::html_unknown;
  // What the log says when a node enters it; {0} is the number for which it is responsible.
  // `count`: nothing, since another line says it.
  Text log = Text::count;
  // A node in it holds an election, and so follows nobody.
  bool holds_election = false;
  // What it means that time is up in this state. `count`: what the timer's name says.
  Text time_is_up = Text::count;
  // What the log says of the process that a node in it watches; {0} is that one's id.
  Text watched_is_down = Text::log_suspects_down;
  Text watched_is_hung = Text::log_suspects_hung;
  Color color = Color::plain;         // of the log's line
  Color row_color = Color::plain;     // of a node's row in a table
  std::string_view css = "follower";  // its class, in SVG and HTML
  double lane = 0;                    // how wide a bar its lane is in SVG, in pixels; 0: a line
  std::string_view line = "│";        // its lane in a picture made of text
  std::string_view mark = "○";        // the process itself in one
};
// Never fails: an unknown state looks like one in an election, an empty one like a follower; the
// `name` of both is empty.
const StateLook& look_of_state(std::string_view state);
std::string state_words(std::string_view state, Language language);
// All in the table, in the order in which legends name them.
std::vector<std::string_view> known_states();

// "Bully election", "Ring election".
std::string election_words(std::string_view algorithm, Language language);
// The one of this name; the default one where there is no such name, as in older traces.
const Algorithm& algorithm_named(std::string_view name);

// Those of these names, in the order of the table; the default one where there is no name.
std::vector<const Algorithm*> algorithms_named(const std::vector<std::string_view>& names);
// Whether nothing but the default one is there: then nobody need be told its name.
bool is_default(const std::vector<const Algorithm*>& algorithms);

// "(1, 4, –)": the values, in the protocol's order. Empty where no variable has one yet.
std::string variables_words(const Variables& variables);
// "d=1 e=4 f=–"
std::string named_variables_words(const Variables& variables);
bool has_variables(const Variables& variables);

}  // namespace bully
