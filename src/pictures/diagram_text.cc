// diagram_text.cc: the diagram as text, for a terminal.
#include "pictures/diagram.h"
#include "words/names.h"
#include "words/words.h"

#include <algorithm>

namespace bully {

namespace {

constexpr std::size_t min_time_columns = 7;
constexpr std::size_t min_lane_columns = 14;
// From a lane to its labels, and from them to the next lane.
constexpr std::size_t label_margin = 3;

// The first `columns` columns of these words.
std::string beginning(std::string_view words, std::size_t columns) {
  const std::string fit = fitted(words, columns);
  return fit.substr(0, fit.find_last_not_of(' ') + 1);
}

// A word without spaces in lines of this width. A list, "[1,2,3]→4", loses its end; anything else
// goes on in the next line, if it can behind an arrow: an id stays whole.
std::vector<std::string> broken(std::string_view word, std::size_t columns) {
  std::vector<std::string> lines;
  const std::size_t list_end = word.starts_with('[') ? word.find(']') : std::string_view::npos;
  if (list_end != std::string_view::npos && width(word) > columns) {
    const std::string end = "…" + std::string(word.substr(list_end));
    const std::string list(word.substr(0, list_end));
    const std::string fit = beginning(list, columns - std::min(columns, width(end)));
    return {fit.substr(0, fit.find_last_of("[,") + 1) + end};
  }
  while (width(word) > columns) {
    const std::string line = beginning(word, columns - 1);
    const std::size_t arrow = word.rfind("→", line.size() - 1);
    const bool has_arrow = arrow != std::string_view::npos;
    lines.push_back(has_arrow ? std::string(word.substr(0, arrow)) + "→" : line + '-');
    word.remove_prefix(has_arrow ? lines.back().size() : line.size());
  }
  lines.emplace_back(word);
  return lines;
}

std::vector<std::string> lines_of(std::string_view words, std::size_t columns) {
  std::vector<std::string> lines;
  for (const std::string& line : wrapped(words, columns)) {
    const std::vector<std::string> parts = broken(line, columns);
    lines.insert(lines.end(), parts.begin(), parts.end());
  }
  return lines;
}

// The lines of a legend, in which three spaces separate the entries.
std::string wrapped_legend(std::string_view legend) {
  std::string all;
  for (const std::string& line : lines_in(legend)) {
    all += joined(packed(line, "   ", narration_columns, "  "), "\n") + '\n';
  }
  return all;
}

struct Painter {
  const Diagram& diagram;
  Language language;
  std::vector<Snapshot> nodes = diagram.before;
  std::size_t lane_columns = columns_for_lane();
  std::size_t time_columns = columns_for_time();
  std::string shown = {};

  std::size_t columns_for_lane() const {
    const bool has_stopped =
        std::ranges::count(diagram.after, Condition::stopped, &Snapshot::condition) > 0;
    // The longest id is the highest.
    const NodeId highest = diagram.lanes.empty() ? 0 : diagram.lanes.back();
    return std::max(min_lane_columns,
                    width(std::to_string(highest)) +
                        (has_stopped ? width(text(Text::frame_paused, language)) + 2 : 8));
  }

  std::size_t columns_for_time() const {
    const std::int64_t last = diagram.steps.empty() ? 0 : diagram.steps.back().t_ns;
    return std::max(min_time_columns, width(milliseconds_text(last, language)));
  }

  // A line for the lanes' names.
  std::string header() const {
    Canvas header = lanes(text(Text::diagram_milliseconds, language));
    for (std::size_t i = 0; i < diagram.lanes.size(); ++i) {
      const std::string mark = diagram.winner == diagram.lanes[i] ? " ★" : "";
      header.put(
          column_of(i), 0,
          std::to_string(diagram.lanes[i]) + mark + stopped_words(diagram.after[i], language));
    }
    return header.text();
  }

  std::string steps() {
    for (const Diagram::Step& step : diagram.steps) paint_step(step);
    return shown;
  }

  std::string paint() {
    shown = title_of(diagram, language) + "\n\n" + header() + lanes().text();
    steps();
    shown += lanes().text();
    shown += '\n' + wrapped_legend(legend());
    notes();
    return shown;
  }

  // The signs of states and messages.
  std::string legend() const {
    const auto state = [&](std::string_view name) {
      return std::string(style_of_state(name).line) + ' ' + state_words(name, language);
    };
    const auto message = [&](MessageType type) {
      const std::string line(style_of(type).line);
      return line + ' ' + std::string(type->code) + ' ' + line + "▶ " + name_of(type, language);
    };
    // The states of observed processes are unknown.
    const std::string states = joined(states_in(diagram), "   ", state);
    return text(Text::diagram_legend, language, {}) + ":  " + states +
           (states.empty() ? "" : "\n  ") + joined(messages_in(diagram), "   ", message) +
           "   ─✗ " + std::string(text(Text::diagram_lost, language));
  }

  std::size_t column_of(std::size_t lane) const { return time_columns + 1 + lane * lane_columns; }

  Canvas lanes(std::string_view time = "") const {
    Canvas lanes(column_of(diagram.lanes.size()), 1);
    lanes.put(0, 0, right_aligned(time, time_columns));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].is_alive()) lanes.put(column_of(i), 0, style_of_state(nodes[i].state).line);
    }
    return lanes;
  }

  void paint_step(const Diagram::Step& step) {
    const std::string time = milliseconds_text(step.t_ns, language);
    if (step.ended) paint_message(diagram.messages[*step.ended], time);
    nodes[step.lane] = step.after;
    const bool is_crash = step.event == TraceEvent::crash;
    std::vector<std::string> parts = words_beside(step, language);
    if (is_crash) parts.front().insert(0, "✗ ");
    for (std::string& part : parts) {
      // The star is at the lane's head: there is no room for it here.
      if (part.starts_with("★ ")) part.erase(0, std::string_view("★ ").size());
    }
    // "E→3 4 5", "V 4→2"
    for (const Sending& sending : sendings_of(diagram, step)) {
      const Diagram::Message& message = sending.message;
      parts.push_back(short_name_of(message.type, message.values) + "→" + joined(sending.to, " "));
    }
    bool is_first = true;
    for (const std::string& part : parts) {
      for (const std::string& words : lines_of(part, lane_columns - label_margin)) {
        Canvas row = lanes(is_first && !step.ended ? time : "");
        row.put(column_of(step.lane) + (is_crash && is_first ? 0 : 2), 0, words);
        shown += row.text();
        is_first = false;
      }
    }
    if (is_first && !step.ended) shown += lanes(time).text();
  }

  void paint_message(const Diagram::Message& message, const std::string& time) {
    Canvas row = lanes(time);
    const std::size_t from = column_of(message.from);
    const std::size_t to = column_of(message.to);
    const bool right = from < to;
    row.fill(std::min(from, to) + 1, std::max(from, to), 0, style_of(message.type).line);
    if (from != to) {
      // A line to an absent process ends before it.
      row.put(from, 0, message.sent ? "●" : "○");
      row.put(right ? to - 1 : to + 1, 0, message.lost ? "✗" : right ? "▶" : "◀");
      // Between the ends of the arrow. A list that has no room there is in the sender's lines.
      const std::size_t room = lane_columns - 4;
      std::string name = ' ' + short_name_of(message.type, message.values) + ' ';
      if (width(name) > room) name = ' ' + std::string(message.type->code) + ' ';
      const std::size_t middle = right ? from + lane_columns / 2 : from - lane_columns / 2;
      row.put(middle - std::min(width(name), room) / 2, 0, name);
    }
    shown += row.text();
  }

  void notes() {
    for (const Diagram::Message& message : diagram.messages) {
      if (message.ended) continue;
      shown += beside("  ", sentence_of(diagram, message, language) + ": " +
                                text(Text::diagram_under_way, language, {}));
    }
    if (std::ranges::any_of(diagram.messages, [](const auto& message) { return !message.sent; })) {
      shown += "  ○ " + text(Text::diagram_from_before, language, {}) + '\n';
    }
    if (!has_unrecorded_crash(diagram)) return;
    shown += beside("  ", "✗ " + text(Text::diagram_crash_note, language, {}));
  }
};

}  // namespace

std::string diagram_text(const Diagram& diagram, Language language) {
  return Painter{diagram, language}.paint();
}

std::vector<std::string> diagram_lines(const Diagram& diagram, Language language) {
  if (diagram.steps.empty()) return {};
  Painter painter{diagram, language};
  const std::string head = painter.header();
  return lines_in(head + painter.steps());
}

}  // namespace bully
