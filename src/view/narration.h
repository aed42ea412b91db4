// narration.h: what a lesson says to its audience, laid out for a terminal.
//
// Titles, explanations and frames: pictures of one moment, with every process, its state, whom it
// follows, and the messages that the moment is about. It plays nothing and asks nobody.
// Read next: arrows.h for which messages a frame shows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "view/arrows.h"
#include "view/log.h"

namespace bully {

// Everything here is laid out for this many columns.
inline constexpr std::size_t narration_columns = 78;

// `words` in lines of at most `columns`, broken between words. Without a newline at their ends.
std::vector<std::string> wrapped(std::string_view words, std::size_t columns);

// A title, underlined.
std::string title_text(std::string_view title, const LogStyle& style);

// An explanation: a paragraph set apart from the log by a bar.
std::string explanation_text(std::string_view words, const LogStyle& style);

// One process in a frame.
struct FrameNode {
  NodeId id = 0;
  std::string state;  // the protocol's word, as in the trace; "down" when it does not run
  bool paused = false;
  std::optional<NodeId> coordinator = std::nullopt;
  std::string beside = {};  // what the textbook writes beside it
};

// A frame: a row for each process, one column for each process that sends messages of one type,
// and the same in words.
std::string frame_text(std::string_view label, const std::vector<FrameNode>& nodes,
                       std::span<const Arrow> arrows, const LogStyle& style);

}  // namespace bully
