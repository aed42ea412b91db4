// diagram_svg.cc: the space-time diagram as a self-contained picture, for a report or a slide:
// title, legend, and a tooltip on each line and mark. It can be printed in grey.
//
// Labels never overlap: a label that belongs to a step makes its row high enough, or, to scale, is
// moved down; the letter on an arrow is left out if there is no free place for it (its line and its
// tooltip still show its kind).
#include <algorithm>
#include <array>

#include "pictures/diagram.h"
#include "pictures/style.h"
#include "pictures/svg.h"
#include "words/names.h"
#include "words/words.h"

namespace bully {

namespace {

constexpr double time_width = 76;
constexpr double header_y = 76;
constexpr double lanes_y = header_y + 24;  // the beginning of the lanes
constexpr double line_height = 15;
constexpr double label_gap = 10;  // from the lane to its labels
constexpr double legend_room = 170;
constexpr double cross_gap = 12;  // from a lost message's cross to the lane
constexpr double stub = 34;

struct Picture {
  const Diagram& diagram;
  Language language;
  Scale scale;
  double full_width = 0;
  double bottom = 0;  // the end of the lanes
  std::vector<double> lane_x = {};
  std::vector<double> step_y = {};
  std::vector<Box> taken = {};  // by the heads of the lanes, and then by labels
  Svg labels = {};              // drawn on top
  Svg svg = {};

  std::optional<std::string> draw() {
    place_lanes();
    // The largest of a few distances between rows that keeps the picture low enough.
    for (const double row : {30.0, 22.0, 17.0, 13.0, 9.0}) {
      place_steps(row);
      if (bottom + legend_room <= max_picture_side) break;
    }
    if (scale == Scale::time) place_steps(std::nullopt);
    if (full_width > max_picture_side || bottom + margin > max_picture_side) return std::nullopt;
    label_times();
    label_messages();
    lanes();
    messages();
    for (std::size_t i = 0; i < diagram.steps.size(); ++i) mark(i);
    for (std::size_t lane = 0; lane < lane_x.size(); ++lane) {
      const bool won = diagram.winner == diagram.lanes[lane];
      svg.rect(won ? "head winner" : "head", taken[lane], 14);
      svg.text("id", lane_x[lane], header_y + 5.5, head_words(lane));
    }
    svg.add(labels);
    const double height = legend() + 20;
    if (height > max_picture_side) return std::nullopt;
    std::string styles = page_file("diagram", "css");
    std::string heads;
    // The kinds in the legend, and pings if there are any.
    for (const MessageType type : messages_in(diagram)) {
      define_message(type, style_of(type).ink, styles, heads);
    }
    const auto is_ping = [](const auto& message) { return !message.type.is_of_election(); };
    if (std::ranges::any_of(diagram.messages, is_ping)) {
      define_message(messages::ping, style_of(messages::ping).ink, styles, heads);
    }
    return svg.picture(title_of(diagram, language), styles, heads, full_width, height);
  }

  std::string say(Text words) const { return text(words, language, {}); }
  std::string head_words(std::size_t lane) const {
    return std::to_string(diagram.lanes[lane]) + stopped_words(diagram.after[lane], language);
  }

  // --- Layout ---

  void place_lanes() {
    std::vector<double> widths(diagram.lanes.size(), 74);
    for (const Diagram::Step& step : diagram.steps) {
      for (const std::string& words : words_beside(step, language)) {
        const double wide = text_width(words, label_font) + label_gap + 22;
        widths[step.lane] = std::max(widths[step.lane], wide);
      }
    }
    // Equal, if there is room: that is easier to read.
    const double widest = widths.empty() ? 0 : std::ranges::max(widths);
    if (widest * static_cast<double>(widths.size()) < 1500) std::ranges::fill(widths, widest);
    double x = margin + time_width + 30;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const double head = std::max(28.0, text_width(head_words(i), 15) + 14);
      taken.push_back({x - head / 2, header_y - 14, head, 28});
      lane_x.push_back(x);
      x += std::max(widths[i], head + 16);
    }
    const double title = 2 * margin + text_width(title_of(diagram, language), 18);
    full_width = std::max({x + margin, title, 720.0});
  }

  // The distance from a step's labels up (or, if negative, down) to its mark. Avoids its arrows,
  // which run downwards: above arrows that leave to the right, otherwise below arrows that arrive
  // from the right.
  double label_rise(const Diagram::Step& step) const {
    const auto is_right = [&](std::size_t lane) { return lane > step.lane; };
    if (step.ended && is_right(diagram.messages[*step.ended].from)) return -3;
    const bool leaves = std::ranges::any_of(
        step.sent, [&](std::size_t sent) { return is_right(diagram.messages[sent].to); });
    const auto lines = static_cast<double>(words_beside(step, language).size());
    return line_height * (leaves ? lines : 0.5);
  }

  // In the last line of its box.
  void label(std::string_view kind, const Box& box, const std::string& words) {
    taken.push_back(box);
    const double x = kind == "letter" ? box.x + box.width / 2 : box.x;
    labels.text(kind, x, box.y + box.height - 2.5, words);
  }

  // Rows `row` apart, or farther for labels; without `row`, to scale: then labels are moved down.
  void place_steps(std::optional<double> row) {
    taken.resize(diagram.lanes.size());
    labels = Svg();
    step_y.clear();
    const double span = std::clamp(bottom - lanes_y, 400.0, 3000.0);
    std::vector<double> free_from(diagram.lanes.size(), lanes_y);
    double y = lanes_y - 4;
    double lowest = y;
    for (const Diagram::Step& step : diagram.steps) {
      const double last = static_cast<double>(std::max<std::int64_t>(1, diagram.steps.back().t_ns));
      const double rise = label_rise(step);
      double& free = free_from[step.lane];
      const std::vector<std::string> labels_beside = words_beside(step, language);
      y = row ? std::max(y + *row, labels_beside.empty() ? 0 : free + rise)
              : lanes_y + 24 + static_cast<double>(step.t_ns) / last * span;
      step_y.push_back(y);
      double label_y = std::max(y - rise, free);
      for (const std::string& words : labels_beside) {
        const std::string_view kind = words == cause_of(step, language) ? "cause" : "outcome";
        const double wide = text_width(words, label_font);
        const double x = lane_x[step.lane] + label_gap;
        label(kind, {x, label_y, wide, line_height - 1}, words);
        free = label_y += line_height;
      }
      lowest = std::max({lowest, y + 4, free});
    }
    bottom = lowest + 12;
  }

  // With a line across the picture. If rows are closer than a time is high, some have none.
  void label_times() {
    double free_from = 0;
    for (std::size_t i = 0; i < diagram.steps.size(); ++i) {
      const double y = step_y[i] - small_font / 2 - 1;
      if (y < free_from) continue;
      const std::string time = milliseconds_text(diagram.steps[i].t_ns, language);
      const double wide = text_width(time, small_font);
      const double right = margin + time_width;
      label("time", {right - wide, y, wide, small_font + 2}, time);
      svg.line("row", {right + 6, step_y[i], full_width - 24, step_y[i]});
      free_from = y + small_font + 2;
    }
  }

  void label_messages() {
    constexpr std::array places = {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82};
    for (const Diagram::Message& message : diagram.messages) {
      const Line line = line_of(message);
      const std::string words = short_name_of(message.type, message.values);
      const double wide = text_width(words, small_font) + 4;
      for (const double place : places) {
        const double x = line.x1 + place * (line.x2 - line.x1);
        const double y = line.y1 + place * (line.y2 - line.y1);
        const Box box{x - wide / 2, y - small_font / 2 - 1, wide, small_font + 2};
        const auto overlaps = [&](const Box& other) { return other.overlaps(box); };
        if (std::ranges::any_of(taken, overlaps)) continue;
        label("letter", box, words);
        break;
      }
    }
  }

  Line line_of(const Diagram::Message& message) const {
    const double from = lane_x[message.from];
    const double to = lane_x[message.to];
    const double way = to < from ? -1 : 1;
    Line line{from, 0, to, 0};
    if (message.sent) line.y1 = step_y[*message.sent];
    if (message.ended) {
      line.y2 = step_y[*message.ended];
    } else {  // still in flight
      line.x2 = from + way * stub;
      line.y2 = line.y1 + stub / 2;
    }
    if (!message.sent) {
      line.x1 = (message.lost ? from : to - way * stub);
      line.y1 = line.y2 - stub / 2;
    }
    if (message.lost) line.x2 -= way * cross_gap;
    if (message.is_received()) line.x2 -= way * 4;  // the head touches the lane's bar
    return line;
  }

  // --- Drawing ---

  // A process in this state, from y to y: a bar, or a line.
  void stretch(const Snapshot& node, double x, double from, double to) {
    const double wide = node.is_alive() ? style_of_state(node.state).lane : 0;
    const std::string css = "lane " + css_of(node);
    if (wide == 0) {
      svg.line(css, {x, from, x, to});
    } else {
      svg.rect(css, {x - wide / 2, from, wide, std::max(0.0, to - from)});
    }
  }

  // Draws for each lane the stretches in which the process's state stays the same.
  void lanes() {
    std::vector<double> from(diagram.lanes.size(), lanes_y - 10);
    const auto end = [&](const Snapshot& node, std::size_t lane, double to) {
      stretch(node, lane_x[lane], std::exchange(from[lane], to), to);
    };
    for (std::size_t i = 0; i < diagram.steps.size(); ++i) {
      const Diagram::Step& step = diagram.steps[i];
      const bool is_same =
          step.before.is_alive() == step.after.is_alive() && step.before.state == step.after.state;
      if (!is_same) end(step.before, step.lane, step_y[i]);
    }
    for (std::size_t lane = 0; lane < from.size(); ++lane) end(diagram.after[lane], lane, bottom);
  }

  void messages() {
    for (const Diagram::Message& message : diagram.messages) {
      std::string sentence = sentence_of(diagram, message, language);
      if (message.lost) sentence += " (" + say(Text::diagram_lost) + ')';
      if (!message.sent) sentence += ": " + say(Text::diagram_from_before);
      if (!message.ended) sentence += ": " + say(Text::diagram_under_way);
      svg.begin_tip(sentence);
      const Line line = line_of(message);
      svg.line("message " + css_of(message.type) + (message.is_received() ? " arrives" : ""), line);
      if (message.lost) svg.cross(line.x2, line.y2, 5);
      if (!message.ended) svg.circle("mark", line.x2, line.y2, 3);
      svg.end_tip();
    }
  }

  void mark(std::size_t i) {
    const Diagram::Step& step = diagram.steps[i];
    const double x = lane_x[step.lane];
    const double y = step_y[i];
    svg.begin_tip(milliseconds_text(step.t_ns, language) + " ms  " +
                  sentence_of(diagram, step, language) + "\n" + rule_of(step, language));
    const std::string at = "M " + svg_point(x, y) + ' ';
    if (step.event == TraceEvent::crash) {
      svg.cross(x, y, 8);
    } else if (step.event == TraceEvent::start) {
      svg.circle("mark", x, y, 5);
    } else if (step.event == TraceEvent::stop) {
      svg.path("mark", at + "m-8 0h16");
    } else if (step.event == TraceEvent::suspect) {
      svg.path("mark", at + "m0 -7l7 7l-7 7l-7 -7z");
    } else if (step.event == TraceEvent::timeout) {
      svg.path("mark", at + "m-5 -6h10l-10 12h10z");
    } else {
      svg.circle("dot", x, y, 3.4);
    }
    svg.end_tip();
  }

  // Returns its end.
  double legend() {
    LegendFlow flow{.right = full_width - margin, .y = bottom + margin + 12, .line = 24};
    svg.line("row", {margin, flow.y - 22, flow.right, flow.y - 22});
    const auto entry = [&](const std::string& words) {
      const double x = flow.place(52 + text_width(words, label_font) + 16);
      svg.text("note", x + 50, flow.y, words);
      return x;
    };
    for (const MessageType type : messages_in(diagram)) {
      const double x = entry(std::string(type->code) + ' ' + name_of(type, language));
      svg.line("message " + css_of(type) + " arrives", {x, flow.y - 4, x + 42, flow.y - 4});
    }
    const double x = entry(say(Text::diagram_lost));
    svg.line("message any", {x, flow.y - 4, x + 36, flow.y - 4});
    svg.cross(x + 36, flow.y - 4, 5);
    flow.new_line();
    const auto state = [&](const Snapshot& node) {
      const double at = entry(state_words(node, language)) + 36;
      stretch(node, at, flow.y - 13, flow.y + 5);
    };
    for (const std::string_view name : states_in(diagram)) {
      state({.condition = Condition::running, .state = std::string(name)});
    }
    state({});
    const auto note = [&](const std::string& words) {
      flow.y += 22;
      svg.text("note", margin, flow.y, words);
    };
    note(text(Text::diagram_time_note, language,
              {say(scale == Scale::steps ? Text::diagram_by_steps : Text::diagram_to_scale)}));
    if (has_unrecorded_crash(diagram)) note(say(Text::diagram_crash_note));
    return flow.y;
  }
};

}  // namespace

void define_message(MessageType type, std::string_view color, std::string& styles,
                    std::string& heads) {
  const MessageStyle& look = style_of(type);
  const std::string css = css_of(type);
  const std::string ink(color);
  styles += '.' + css + " { stroke: " + ink + "; stroke-width: " + svg_number(look.stroke) +
            (look.dashes.empty() ? "" : "; stroke-dasharray: " + std::string(look.dashes)) +
            "; }\n." + css + ".arrives { marker-end: url(#head-" + css + "); }\n";
  const bool is_open = look.head == Head::open;
  const std::string side = is_open ? "10" : look.head == Head::heavy ? "12" : "9";
  const std::string path =
      is_open ? "d=\"M1 1L9 5L1 9\" fill=\"none\" stroke=\"" + ink + "\" stroke-width=\"1.6\""
              : "d=\"M0 1L10 5L0 9z\" fill=\"" + ink + '"';
  heads += "<marker id=\"head-" + css + "\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" " +
           "markerWidth=\"" + side + "\" markerHeight=\"" + side +
           "\"\n markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path " + path + "/></marker>\n";
}

std::optional<std::string> diagram_svg(const Diagram& diagram, Language language, Scale scale) {
  return Picture{diagram, language, scale}.draw();
}

}  // namespace bully
