#include "view/narration.h"

#include <algorithm>

#include "view/looks.h"

namespace bully {

namespace {

constexpr std::string_view bold = "\033[1m";
constexpr std::string_view dim = "\033[2m";
constexpr std::string_view cyan = "\033[36m";

constexpr std::size_t frame_indent = 2;
constexpr std::size_t lane_columns = 4;
// More lanes than this do not fit beside the processes; the words below name them all.
constexpr std::size_t max_lanes = 9;
// More lines of words than this say nothing to anyone.
constexpr std::size_t max_worded = 24;

std::string colored(std::string_view color, std::string_view words, const LogStyle& style) {
  if (!style.color) return std::string(words);
  return std::string(color).append(words).append(color_reset);
}

std::string repeated(std::string_view sign, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += sign;
  return text;
}

// What one process sends of one type and, on a ring, with one number: in one column.
struct Lane {
  MessageType type;
  NodeId from;
  std::optional<std::uint64_t> number;
  std::vector<Arrow> arrows;
};

std::vector<Lane> lanes_of(std::span<const Arrow> arrows) {
  std::vector<Lane> lanes;
  for (const Arrow& arrow : arrows) {
    const auto found = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& lane) {
      return lane.type == arrow.type && lane.from == arrow.from &&
             (!look_of(lane.type).carries_number || lane.number == arrow.number);
    });
    if (found != lanes.end()) {
      // The same said twice is one arrow.
      const bool drawn = std::any_of(found->arrows.begin(), found->arrows.end(),
                                     [&](const Arrow& other) { return other.to == arrow.to; });
      if (!drawn) found->arrows.push_back(arrow);
    } else {
      lanes.push_back({arrow.type, arrow.from, arrow.number, {arrow}});
    }
  }
  return lanes;
}

// What a lane shows in a process's row: its sender, a receiver, the line between them, or nothing.
std::string_view lane_sign(const Lane& lane, NodeId row) {
  if (row == lane.from) return "●";
  NodeId lowest = lane.from;
  NodeId highest = lane.from;
  for (const Arrow& arrow : lane.arrows) {
    if (arrow.to == row) return arrow.lost ? "×" : (row > lane.from ? "▼" : "▲");
    lowest = std::min(lowest, arrow.to);
    highest = std::max(highest, arrow.to);
  }
  return lowest < row && row < highest ? "│" : " ";
}

std::string lanes_at(const std::vector<Lane>& lanes, NodeId row, const LogStyle& style) {
  std::string signs;
  for (std::size_t i = 0; i < std::min(lanes.size(), max_lanes); ++i) {
    const std::string_view sign = lane_sign(lanes[i], row);
    signs += sign == " " ? " " : colored(escape_of(look_of(lanes[i].type).color), sign, style);
    signs += std::string(lane_columns - 1, ' ');
  }
  while (signs.ends_with(' ')) signs.pop_back();
  return signs;
}

std::string in_words(const Lane& lane, const LogStyle& style) {
  std::string to;
  for (const Arrow& arrow : lane.arrows) {
    to += (to.empty() ? "" : ", ") + std::to_string(arrow.to) + (arrow.lost ? " ×" : "");
  }
  const std::string name = name_of(lane.type, lane.number, style.language);
  return std::to_string(lane.from) + " ──" +
         colored(escape_of(look_of(lane.type).color), name, style) + "──▶ " + to;
}

std::string state_words(const FrameNode& node, Language language) {
  std::string words = state_words(node.state, language);
  if (node.paused) words += text(Text::frame_paused, language);
  return words;
}

std::string follows_words(const FrameNode& node, Language language) {
  if (node.state == "down" || !node.coordinator || *node.coordinator == node.id) return {};
  return text(Text::frame_follows, language, {std::to_string(*node.coordinator)});
}

}  // namespace

std::vector<std::string> wrapped(std::string_view words, std::size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    if (word.empty()) continue;
    if (!line.empty() && width(line) + 1 + width(word) > columns) {
      lines.push_back(line);
      line.clear();
    }
    line.append(line.empty() ? "" : " ").append(word);
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

std::string title_text(std::string_view title, const LogStyle& style) {
  std::string shown;
  std::size_t columns = 0;
  for (const std::string& line : wrapped(title, narration_columns)) {
    shown += colored(bold, line, style) + '\n';
    columns = std::max(columns, width(line));
  }
  return shown + colored(dim, repeated("═", columns), style) + '\n';
}

std::string explanation_text(std::string_view words, const LogStyle& style) {
  std::string shown = "\n";
  for (const std::string& line : wrapped(words, narration_columns - 2)) {
    shown += colored(cyan, "┃ ", style) + colored(bold, line, style) + '\n';
  }
  return shown + '\n';
}

std::string frame_text(std::string_view label, const std::vector<FrameNode>& nodes,
                       std::span<const Arrow> arrows, const LogStyle& style) {
  const std::vector<Lane> lanes = lanes_of(arrows);
  std::size_t id_columns = 0;
  std::size_t state_columns = 0;
  std::size_t beside_columns = 0;
  std::size_t follow_columns = 0;
  for (const FrameNode& node : nodes) {
    id_columns = std::max(id_columns, std::to_string(node.id).size());
    state_columns = std::max(state_columns, width(state_words(node, style.language)));
    beside_columns = std::max(beside_columns, width(node.beside) + (node.beside.empty() ? 0 : 2));
    follow_columns = std::max(follow_columns, width(follows_words(node, style.language)));
  }
  const std::string indent(frame_indent, ' ');
  const std::size_t ruled = narration_columns - 2 * frame_indent;
  const std::size_t label_columns = std::min(ruled, width(label) + 4);
  std::string shown = "\n" + indent + colored(dim, "── ", style) + colored(bold, label, style) +
                      colored(dim, " " + repeated("─", ruled - label_columns), style) + "\n";
  for (const FrameNode& node : nodes) {
    std::string row = indent + " " + right_aligned(std::to_string(node.id), id_columns) + "  " +
                      padded(state_words(node, style.language), state_columns) + "  " +
                      padded(node.beside, beside_columns) +
                      padded(follows_words(node, style.language), follow_columns) + "   " +
                      lanes_at(lanes, node.id, style);
    row.erase(row.find_last_not_of(' ') + 1);
    shown += row + "\n";
  }
  if (!lanes.empty()) shown += "\n";
  for (std::size_t i = 0; i < std::min(lanes.size(), max_worded); ++i) {
    shown += indent + " " + in_words(lanes[i], style) + "\n";
  }
  if (lanes.size() > max_worded) shown += indent + " …\n";
  return shown + indent + colored(dim, repeated("─", ruled), style) + "\n\n";
}

}  // namespace bully
