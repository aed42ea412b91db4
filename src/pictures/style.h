// style.h: the look of each message and state.
//
// It follows from the roles in the algorithm's description (Role, StateRole). No unit of this room
// knows a message or a state by name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/layout.h"
#include "election/algorithm.h"
#include "election/record.h"

namespace bully {

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

struct StateStyle {
  Color color = Color::plain;         // of its line in the log, and of a node's row in a table
  std::string_view css = "follower";  // its class, in SVG and HTML
  double lane = 0;                    // the width of its lane's bar in SVG, in pixels; 0: a line
  std::string_view line = "│";        // its lane in a picture made of text
};
// Never fails: an unknown state looks like one in an election, an empty one like a follower.
const StateStyle& style_of_state(std::string_view state);
// The class of a process, by its state.
std::string css_of(const Snapshot& node);

}  // namespace bully
