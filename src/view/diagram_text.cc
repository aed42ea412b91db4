// diagram_text.cc: the diagram as text: for a terminal, as lanes or as pictures of a ring; and for
// Mermaid and ShiViz to draw.
#include "view/diagram.h"

#include <algorithm>

namespace bully {

namespace {

constexpr std::size_t time_columns = 9;
constexpr std::size_t least_lane_columns = 14;

// Words below a picture.
std::string note(std::string_view words) {
  return "  " + joined(wrapped(words, narration_columns - 2), "\n  ") + '\n';
}

// "Legend: ", then each state behind its sign, and in the next line each message with its own.
std::string legend_of(const Diagram& diagram, Language language,
                      std::string_view StateStyle::*sign_of_state, auto sign_of_message) {
  const auto state = [&](std::string_view name) {
    return std::string(style_of_state(name).*sign_of_state) + ' ' + state_words(name, language);
  };
  const auto message = [&](MessageType type) {
    return sign_of_message(type) + ' ' + name_of(type, language);
  };
  // Of processes that were only observed no state is known.
  const std::string states = joined(states_in(diagram), "   ", state);
  return text(Text::diagram_legend, language, {}) + ":  " + states +
         (states.empty() ? "" : "\n  ") + joined(messages_in(diagram), "   ", message);
}

struct Painter {
  const Diagram& diagram;
  Language language;
  std::vector<Snapshot> nodes = diagram.before;
  std::size_t lane_columns = columns_for_lane();
  std::string shown = {};

  std::size_t columns_for_lane() const {
    const bool has_stopped =
        std::ranges::count(diagram.after, Condition::stopped, &Snapshot::condition) > 0;
    // The longest id is the highest.
    const NodeId highest = diagram.lanes.empty() ? 0 : diagram.lanes.back();
    return std::max(least_lane_columns,
                    width(std::to_string(highest)) +
                        (has_stopped ? width(text(Text::frame_paused, language)) + 2 : 8));
  }

  std::string paint() {
    shown = title_of(diagram, language) + "\n\n";
    Canvas header = lanes(text(Text::diagram_milliseconds, language));
    for (std::size_t i = 0; i < diagram.lanes.size(); ++i) {
      const bool is_stopped = diagram.after[i].condition == Condition::stopped;
      std::string mark = diagram.wins(diagram.lanes[i]) ? " ★" : "";
      if (is_stopped) mark += text(Text::frame_paused, language);
      header.put(column_of(i), 0, std::to_string(diagram.lanes[i]) + mark);
    }
    shown += header.text() + lanes().text();
    for (const Diagram::Step& step : diagram.steps) paint_step(step);
    shown += lanes().text();
    const auto message = [](MessageType type) {
      const std::string line(style_of(type).line);
      return line + ' ' + std::string(type->code) + ' ' + line + "▶";
    };
    shown += '\n' + legend_of(diagram, language, &StateStyle::line, message) + "   ─✗ " +
             std::string(text(Text::diagram_lost, language)) + '\n';
    notes();
    return shown;
  }

  std::size_t column_of(std::size_t lane) const { return time_columns + 2 + lane * lane_columns; }

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
      // The star stands at the lane's head: there is no room for it here.
      if (part.starts_with("★ ")) part.erase(0, std::string_view("★ ").size());
    }
    // "E→3 4 5", "V 4→2"
    for (const Sending& sending : sendings_of(diagram, step)) {
      const Diagram::Message& message = sending.message;
      parts.push_back(short_name_of(message.type, message.values) + "→" + joined(sending.to, " "));
    }
    bool is_first = true;
    for (const std::string& part : parts) {
      for (const std::string& words : wrapped(part, lane_columns - 3)) {
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
      // A line into a process that is not there ends before it.
      row.put(from, 0, message.sent ? "●" : "○");
      row.put(right ? to - 1 : to + 1, 0, message.lost ? "✗" : right ? "▶" : "◀");
      const std::string name = ' ' + short_name_of(message.type, message.values) + ' ';
      const std::size_t middle = right ? from + lane_columns / 2 : from - lane_columns / 2;
      row.put(middle - name.size() / 2, 0, name);
    }
    shown += row.text();
  }

  void notes() {
    for (const Diagram::Message& message : diagram.messages) {
      if (message.ended) continue;
      shown += "  " + sentence_of(diagram, message, language) + ": " +
               text(Text::diagram_under_way, language, {}) + '\n';
    }
    if (std::ranges::any_of(diagram.messages, [](const auto& message) { return !message.sent; })) {
      shown += "  ○ " + text(Text::diagram_from_before, language, {}) + '\n';
    }
    if (const std::string groups = group_note(diagram, language); !groups.empty()) {
      shown += note(groups);
    }
    if (!has_unrecorded_crash(diagram)) return;
    shown += note("✗ " + text(Text::diagram_crash_note, language, {}));
  }
};

// The ring in a terminal: from the upper left down the right side and up the left one, two lines
// for each row of it. Words stand outside, and what is on its way inside.
struct RingPainter {
  const Diagram& diagram;
  Language language;
  std::vector<RingFrame> frames = ring_frames(diagram, language);
  std::size_t count = diagram.lanes.size();
  std::size_t label_columns = 0;
  std::size_t left = 0;  // the columns of the two sides
  std::size_t right = 0;
  std::size_t bottom = 0;  // the line

  void measure() {
    const std::size_t id_columns =
        diagram.lanes.empty() ? 0 : std::to_string(diagram.lanes.back()).size();
    std::size_t longest = 8;
    for (const RingFrame& frame : frames) {
      for (const RingFrame::Place& place : frame.places) {
        left = std::max(left, width(place.words) + id_columns + 3);
        left = std::max(left, width(place.variables) + 1);
      }
      for (std::size_t place = 0; place < count; ++place) {
        longest = std::max(longest, width(words_behind(frame, place)));
      }
    }
    const std::size_t taken = 2 * left + 9;  // beside what is on an arrow
    label_columns = taken < narration_columns ? std::min(longest, narration_columns - taken) : 0;
    right = left + label_columns + 8;
    bottom = 2 * (count - count / 2);
  }

  std::string paint() {
    measure();
    std::string shown = title_of(diagram, language) + "\n";
    for (const RingFrame& frame : frames) {
      const std::string head = "── " + frame.heading + ' ';
      shown += '\n' + head +
               repeated("─", narration_columns - std::min(narration_columns, width(head))) + '\n';
      shown += joined(wrapped(frame.caption, narration_columns), "\n") + "\n\n" + ring(frame) +
               others(frame);
    }
    const auto message = [](MessageType type) { return std::string(type->code); };
    shown += '\n' + legend_of(diagram, language, &StateStyle::mark, message) + "\n  ";
    shown += text(Text::ring_acts, language, {"[ ]"}) + "\n  ";
    return shown + joined(ring_notes(diagram, language), "\n  ") + '\n';
  }

  static std::string id_of(const RingFrame::Place& place) { return std::to_string(place.node.id); }
  bool is_right(std::size_t place) const { return place > 0 && place <= count / 2; }
  // The line of a process.
  std::size_t line_of(std::size_t place) const {
    const std::size_t row = is_right(place) ? place - 1 : (count - place) % count;
    return 2 * row;
  }

  // An arrow from one that is there to the next one, or to one in between that is gone.
  static bool is_on_ring(const RingFrame& frame, const RingFrame::Arrow& arrow) {
    if (arrow.from == arrow.to || !frame.is_there(arrow.from)) return false;
    std::size_t place = frame.beside(arrow.from, arrow.way);
    while (place != arrow.to && !frame.is_there(place)) place = frame.beside(place, arrow.way);
    return place == arrow.to;
  }
  // Its words stand where it ends: between this place and the next one clockwise.
  static std::size_t place_before(const RingFrame& frame, const RingFrame::Arrow& arrow) {
    const bool is_clockwise = arrow.way == Direction::clockwise;
    return is_clockwise ? frame.beside(arrow.to, Direction::anticlockwise) : arrow.to;
  }
  // All words there.
  static std::string words_behind(const RingFrame& frame, std::size_t place) {
    std::string words;
    for (const RingFrame::Arrow& arrow : frame.arrows) {
      if (!is_on_ring(frame, arrow) || place_before(frame, arrow) != place) continue;
      words += (words.empty() ? "" : " ") + arrow.words;
    }
    return words;
  }
  // The others are told in words below the ring.
  bool is_drawn(const RingFrame& frame, const RingFrame::Arrow& arrow) const {
    return is_on_ring(frame, arrow) &&
           width(words_behind(frame, place_before(frame, arrow))) <= label_columns;
  }

  std::string ring(const RingFrame& frame) const {
    Canvas canvas(right + left + 1, bottom + 1);
    const bool is_closed =
        std::ranges::count_if(frame.places, &Snapshot::is_alive, &RingFrame::Place::node) > 1;
    for (std::size_t place = 0; place < count; ++place) {
      process(canvas, frame, place);
      if (is_closed) link(canvas, frame, place);
    }
    for (const RingFrame::Arrow& arrow : frame.arrows) {
      const std::size_t before = place_before(frame, arrow);
      if (is_drawn(frame, arrow)) label(canvas, before, words_behind(frame, before));
    }
    return canvas.text();
  }

  void process(Canvas& canvas, const RingFrame& frame, std::size_t at) const {
    const RingFrame::Place& place = frame.places[at];
    const std::string mark(place.node.is_alive() ? style_of_state(place.node.state).mark : "×");
    const std::string open = place.acts ? "[" : " ";
    const std::string close = place.acts ? "]" : " ";
    const std::size_t y = line_of(at);
    if (is_right(at)) {
      canvas.put(right - 1, y, open + mark + ' ' + id_of(place) + close + ' ' + place.words);
      canvas.put(right + 2, y + 1, place.variables);
    } else {
      const std::string sign = place.words + ' ' + open + id_of(place) + ' ' + mark + close;
      canvas.put(0, y, right_aligned(sign, left + 2));
      canvas.put(0, y + 1, right_aligned(place.variables, left - 1));
    }
  }

  // From one place to the next, with an arrow's head for each one there that it leads to.
  void link(Canvas& canvas, const RingFrame& frame, std::size_t from) const {
    const std::size_t to = (from + 1) % count;
    const bool head = frame.is_there(to);
    const bool back = frame.goes_both_ways && frame.is_there(from);
    const std::string down = head && back ? "↕" : head ? "▼" : back ? "▲" : "│";
    const std::string up = head && back ? "↕" : head ? "▲" : back ? "▼" : "│";
    if (from == 0) {
      canvas.fill(left + 2, right - 1, 0, "─");
      if (head) canvas.put(right - 2, 0, "▶");
      if (back) canvas.put(left + 2, 0, "◀");
    } else if (is_right(to)) {
      canvas.put(right, line_of(from) + 1, down);
    } else {
      if (is_right(from)) {
        for (std::size_t y = line_of(from) + 1; y < bottom; ++y) canvas.put(right, y, "│");
        if (back) canvas.put(right, line_of(from) + 1, "▲");
        canvas.put(left, bottom, "╰");
        canvas.fill(left + 1, right, bottom, "─");
        canvas.put(right, bottom, "╯");
      }
      canvas.put(left, line_of(to) + 1, is_right(from) ? head ? "▲" : "│" : up);
    }
  }

  void label(Canvas& canvas, std::size_t before, const std::string& told) const {
    const std::string words = ' ' + told + ' ';
    const std::size_t middle = (left + right + 1 - width(words)) / 2;
    if (before == 0) {
      canvas.put(middle, 0, words);
    } else if (is_right((before + 1) % count)) {
      canvas.put(right - width(words), line_of(before) + 1, words);
    } else if (is_right(before)) {
      canvas.put(middle, bottom, words);
    } else {
      canvas.put(left + 2, line_of(before), words);
    }
  }

  std::string others(const RingFrame& frame) const {
    std::string shown;
    for (const RingFrame::Arrow& arrow : frame.arrows) {
      if (is_drawn(frame, arrow)) continue;
      const std::string way =
          id_of(frame.places[arrow.from]) + " → " + id_of(frame.places[arrow.to]) + ": ";
      shown += note(text(Text::ring_beside, language, {way + arrow.words}));
    }
    return shown;
  }
};

// Dashed where it is so in the other formats.
std::string arrow(const Diagram& diagram, const Diagram::Message& message, Language language) {
  const bool is_dashed = !style_of(message.type).dashes.empty();
  const std::string head = message.is_received() ? ">>" : message.lost ? "x" : ")";
  const Text end = message.lost ? Text::diagram_lost : Text::diagram_under_way;
  return "    p" + std::to_string(diagram.lanes[message.from]) + (is_dashed ? "--" : "-") + head +
         'p' + std::to_string(diagram.lanes[message.to]) + ": " +
         name_of(message.type, message.values, language) +
         (message.is_received() ? "" : " (" + text(end, language, {}) + ')') + '\n';
}

}  // namespace

std::string diagram_text(const Diagram& diagram, Language language) {
  return Painter{diagram, language}.paint();
}

std::string ring_text(const Diagram& diagram, Language language) {
  return RingPainter{diagram, language}.paint();
}

std::optional<std::string> diagram_mermaid(const Diagram& diagram, Language language) {
  std::string shown = "sequenceDiagram\n    title " + title_of(diagram, language) + '\n';
  for (const NodeId id : diagram.lanes) {
    const std::string name = std::to_string(id);
    shown += "    participant p" + name + " as " + name + (diagram.wins(id) ? " ★\n" : "\n");
  }
  for (const Diagram::Step& step : diagram.steps) {
    if (step.ended) shown += arrow(diagram, diagram.messages[*step.ended], language);
    const std::string words = joined(words_beside(step, language), "<br/>");
    if (words.empty()) continue;
    shown += "    Note over p" + std::to_string(diagram.lanes[step.lane]) + ": " +
             (step.event == TraceEvent::crash ? "✗ " : "") + words + '\n';
  }
  for (const Diagram::Message& message : diagram.messages) {
    if (!message.ended) shown += arrow(diagram, message, language);
  }
  if (width(shown) > max_mermaid_characters) return std::nullopt;
  return shown;
}

// Two lines for each record:
//
//   HOST {"HOST":1, …}
//   what happened
//
// ShiViz reads it with the parser that it offers at first: (?<host>\S*)
// (?<clock>{.*})\n(?<event>.*) Its clocks count the records that are shown, and only those.
std::string diagram_shiviz(const Diagram& diagram, Language language) {
  using Clock = std::vector<std::size_t>;  // for each lane, how many of its events are known
  std::vector<Clock> clocks(diagram.lanes.size(), Clock(diagram.lanes.size()));
  std::vector<Clock> at_sending(diagram.messages.size());
  std::string shown;
  for (const Diagram::Step& step : diagram.steps) {
    if (step.event == TraceEvent::crash) continue;
    Clock& clock = clocks[step.lane];
    ++clock[step.lane];
    if (step.event == TraceEvent::receive) {
      const Clock& sent = at_sending[*step.ended];
      for (std::size_t i = 0; i < sent.size(); ++i) clock[i] = std::max(clock[i], sent[i]);
    }
    for (const std::size_t message : step.sent) at_sending[message] = clock;
    std::vector<std::string> known;
    for (std::size_t i = 0; i < clock.size(); ++i) {
      if (clock[i] == 0) continue;  // ShiViz wants it absent
      known.push_back('"' + std::to_string(diagram.lanes[i]) + "\":" + std::to_string(clock[i]));
    }
    shown += std::to_string(diagram.lanes[step.lane]) + " {" + joined(known, ", ") + "}\n" +
             sentence_of(diagram, step, language) + '\n';
  }
  return shown;
}

}  // namespace bully
