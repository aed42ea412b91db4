// play_frames.cc: the parts of a play between the lines of its log.
#include "view/play_frames.h"

#include <algorithm>
#include <utility>

#include "pictures/style.h"
#include "words/names.h"
#include "words/words.h"

namespace bully {

namespace {

constexpr std::size_t frame_indent = 2;
constexpr std::size_t lane_columns = 4;
// More lines of words than this help no reader.
constexpr std::size_t max_worded = 24;
constexpr std::size_t any_number = std::string::npos;  // of lines

// The messages of one process and type and, on a ring, with one number: in one column.
using Lane = std::vector<Arrow>;

std::vector<Lane> lanes_of(std::span<const Arrow> arrows) {
  std::vector<Lane> lanes;
  for (const Arrow& arrow : arrows) {
    auto lane = std::ranges::find_if(lanes, [&](const Lane& one) {
      const Arrow& first = one.front();
      return first.type == arrow.type && first.from == arrow.from &&
             first.values.shown(first.type) == arrow.values.shown(arrow.type);
    });
    if (lane == lanes.end()) lane = lanes.insert(lane, Lane());
    // A repeated message is one arrow.
    if (std::ranges::count(*lane, arrow.to, &Arrow::to) == 0) lane->push_back(arrow);
  }
  return lanes;
}

bool is_lost(const Arrow& arrow) {
  return arrow.event == TraceEvent::lost;
}

// A lane's sign in a process's row: its sender, a receiver, the line between them, or nothing.
std::string_view lane_sign(const Lane& lane, NodeId row) {
  const NodeId from = lane.front().from;
  if (row == from) return "●";
  const auto arrow = std::ranges::find(lane, row, &Arrow::to);
  if (arrow != lane.end()) return is_lost(*arrow) ? "×" : (row > from ? "▼" : "▲");
  const auto [lowest, highest] = std::ranges::minmax(lane, {}, &Arrow::to);
  const bool is_between = std::min(from, lowest.to) < row && row < std::max(from, highest.to);
  return is_between ? "│" : " ";
}

std::string lanes_at(std::span<const Lane> lanes, NodeId row, const LogStyle& style) {
  const auto sign_in = [&](const Lane& lane) {
    const std::string sign(lane_sign(lane, row));
    return sign == " " ? sign : style.paint(style_of(lane.front().type).color, sign);
  };
  return joined(lanes, std::string(lane_columns - 1, ' '), sign_in);
}

std::string in_words(const Lane& lane, const LogStyle& style) {
  const Arrow& first = lane.front();
  const std::string name = name_of(first.type, first.values, style.language);
  const auto to = [](const Arrow& arrow) {
    return std::to_string(arrow.to) + (is_lost(arrow) ? " ×" : "");
  };
  return std::to_string(first.from) + " ──" + style.paint(style_of(first.type).color, name) +
         "──▶ " + joined(lane, ", ", to);
}

// All lanes in words, in as many columns as `rows` lines need, and as fit beside each other: more
// lines if these are too few. With any number of lines, the first lanes alone.
std::vector<std::string> worded(std::span<const Lane> lanes, std::size_t rows,
                                const LogStyle& style) {
  constexpr std::size_t gap = 2;
  std::vector<std::string> words;
  std::size_t columns = gap;
  for (const Lane& lane : lanes) {
    words.push_back(in_words(lane, style));
    columns = std::max(columns, width(words.back()) + gap);
  }
  const bool is_cut = rows == any_number && words.size() > max_worded;
  if (is_cut) words.resize(max_worded);
  const std::size_t most = std::max<std::size_t>((narration_columns - frame_indent) / columns, 1);
  rows = std::max(rows, (words.size() + most - 1) / most);
  std::vector<std::string> lines(std::min(rows, words.size()));
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string& line = lines[i % rows];
    const std::size_t before = i / rows * columns;
    line = (before == 0 ? "" : padded(line, before)) + words[i];
  }
  if (is_cut) lines.emplace_back("…");
  return lines;
}

// "d 4  e 4  f –": the textbook's variables beside each process, the numbers of all in columns.
std::string words_beside(const Snapshot& node, std::size_t columns) {
  return joined(named(node.variables), "  ", [columns](const Variable& variable) {
    return std::string(variable.name) + ' ' + right_aligned(value_words(variable), columns);
  });
}

std::vector<std::string> lines_of(std::span<const Snapshot> nodes, const LogStyle& style) {
  std::size_t columns = 1;
  for (const Snapshot& node : nodes) {
    for (const Variable& variable : node.variables) {
      columns = std::max(columns, width(value_words(variable)));
    }
  }
  const bool has_beside = std::ranges::any_of(
      nodes, [](const Snapshot& node) { return !named(node.variables).empty(); });
  Table rows;
  for (const Snapshot& node : nodes) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {std::to_string(node.id),
           state_words(node.state, style.language) + stopped_words(node, style.language)};
    if (has_beside) row.push_back(words_beside(node, columns));
    const std::string followed = std::to_string(node.coordinator.value_or(node.id));
    row.push_back(style.say(Text::diagram_follows, {followed}));
    if (followed == row.front()) row.back().clear();
  }
  return aligned(rows, "rl");
}

}  // namespace

void ArrowBook::record(const Record& record, std::size_t number, const History& history) {
  if (!is_about_election(record)) return;
  if (record.event == TraceEvent::send) entries_.emplace(number, Entry{record});
  if (!history.arrived()) return;
  const auto sent = entries_.find(history.arrived()->sent.record);
  if (sent != entries_.end()) sent->second.arrow.event = record.event;
}

std::vector<Arrow> ArrowBook::take() {
  const bool any_new = std::ranges::any_of(
      entries_, [](const auto& one) { return one.second.has_arrived() && !one.second.shown; });
  std::vector<Arrow> arrows;
  for (auto& [sending, entry] : entries_) {
    if (entry.has_arrived() != any_new || std::exchange(entry.shown, true)) continue;
    arrows.push_back(entry.arrow);
  }
  clear();
  return arrows;
}

void ArrowBook::clear() {
  std::erase_if(entries_, [](const auto& one) { return one.second.has_arrived(); });
}

std::string title_text(std::string_view title, const LogStyle& style) {
  std::string shown;
  std::size_t columns = 0;
  for (const std::string& line : wrapped(title, narration_columns)) {
    shown += style.paint(Color::bold, line) + '\n';
    columns = std::max(columns, width(line));
  }
  return shown + style.paint(Color::dim, repeated("═", columns)) + '\n';
}

std::string explanation_text(std::string_view words, const LogStyle& style) {
  std::string shown = "\n";
  for (const std::string& line : wrapped(words, narration_columns - 2)) {
    shown += style.paint(Color::cyan, "┃ ") + style.paint(Color::bold, line) + '\n';
  }
  return shown + '\n';
}

std::string frame_text(std::string_view label, std::span<const Snapshot> nodes,
                       std::span<const Arrow> arrows, const std::string& counts,
                       const LogStyle& style, std::size_t rows) {
  const std::vector<Lane> lanes = lanes_of(arrows);
  const std::string indent(frame_indent, ' ');
  const std::size_t ruled = narration_columns - 2 * frame_indent;
  const std::size_t label_columns = std::min(ruled, width(label) + 4);
  std::string shown = "\n" + indent + style.paint(Color::dim, "── ") +
                      style.paint(Color::bold, label) +
                      style.paint(Color::dim, " " + repeated("─", ruled - label_columns)) + "\n";
  const std::vector<std::string> lines = lines_of(nodes, style);
  std::size_t columns = 0;
  for (const std::string& line : lines) columns = std::max(columns, width(line));
  columns += 3;
  // As many lanes as fit beside the processes; the words below name them all.
  const std::size_t free = narration_columns - std::min(narration_columns, indent.size() + columns);
  const auto drawn = std::span(lanes).first(std::min(lanes.size(), free / lane_columns));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line = padded(lines[i], columns) + lanes_at(drawn, nodes[i].id, style);
    line.erase(line.find_last_not_of(' ') + 1);
    shown += indent + " " + line + "\n";
  }
  if (!lanes.empty()) shown += "\n";
  const std::vector<std::string> last = wrapped(counts, ruled - 1);
  const std::size_t around = 3 + (counts.empty() ? 0 : last.size());  // rules, and an empty line
  const std::size_t left = rows - std::min(rows, lines.size() + around);
  for (const std::string& line : worded(lanes, rows == 0 ? any_number : left, style)) {
    shown += indent + " " + line + "\n";
  }
  for (const std::string& line : last) {
    if (!line.empty()) shown += indent + " " + line + "\n";
  }
  return shown + indent + style.paint(Color::dim, repeated("─", ruled)) + "\n\n";
}

}  // namespace bully
