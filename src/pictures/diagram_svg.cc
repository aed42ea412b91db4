// diagram_svg.cc: the space-time diagram as a self-contained picture, for a report or a slide:
// title, legend, and a tooltip on each line and mark. It can be printed in grey.
#include <algorithm>
#include <utility>

#include "pictures/diagram.h"
#include "pictures/diagram_plan.h"
#include "pictures/diagram_steps.h"
#include "pictures/svg.h"
#include "words/names.h"
#include "words/words.h"

namespace bully {

namespace {

constexpr double stopped_lane = 8;

bool is_stopped(const Snapshot& node) {
  return node.condition == Condition::stopped;
}

bool has_stop(const Diagram& diagram) {
  return std::ranges::any_of(diagram.before, is_stopped) ||
         std::ranges::any_of(diagram.steps, [](const Diagram::Step& step) {
           return !step.stopped.empty() || step.event == TraceEvent::pause;
         });
}

// A process in this state, from y to y: a bar, or a line.
void draw_stretch(Svg& svg, const Snapshot& node, double x, double from, double to) {
  double wide = node.is_alive() ? style_of_state(node.state).lane : 0;
  const std::string css = "lane " + css_of(node);
  const auto bar = [&](const std::string& kind) {
    svg.rect(kind, {x - wide / 2, from, wide, std::max(0.0, to - from)});
  };
  if (wide == 0) {
    svg.line(css, {x, from, x, to});
  } else {
    bar(css);
  }
  if (!is_stopped(node)) return;
  wide = std::max(wide, stopped_lane);
  bar("lane stopped");
}

// Draws for each lane the stretches in which the process's state stays the same.
void draw_lanes(Svg& svg, const Diagram& diagram, const DiagramPlan& plan) {
  std::vector<Snapshot> nodes = diagram.before;
  std::vector<bool> paused;  // by a step; an absence is known only if it is long
  for (const Snapshot& node : nodes) paused.push_back(is_stopped(node));
  std::vector<double> from(diagram.lanes.size(), lanes_y - 10);
  const auto end = [&](std::size_t lane, double to) {
    draw_stretch(svg, nodes[lane], plan.lane_x[lane], std::exchange(from[lane], to), to);
  };
  for (std::size_t i = 0; i < diagram.steps.size(); ++i) {
    const Diagram::Step& step = diagram.steps[i];
    const bool goes_on = step.event == TraceEvent::resume || !step.after.is_alive();
    paused[step.lane] = step.event == TraceEvent::pause || (paused[step.lane] && !goes_on);
    for (std::size_t lane = 0; lane < nodes.size(); ++lane) {
      Snapshot after = lane == step.lane ? step.after : nodes[lane];
      note_stop(after, lane, step.stopped);
      if (paused[lane] && after.is_alive()) after.condition = Condition::stopped;
      const bool is_same =
          nodes[lane].condition == after.condition && css_of(nodes[lane]) == css_of(after);
      if (!is_same) end(lane, plan.step_y[i]);
      nodes[lane] = after;
    }
  }
  for (std::size_t lane = 0; lane < nodes.size(); ++lane) end(lane, plan.bottom);
}

void draw_messages(Svg& svg, const Diagram& diagram, const DiagramPlan& plan, Language language) {
  const auto say = [&](Text words) { return text(words, language, {}); };
  for (std::size_t i = 0; i < diagram.messages.size(); ++i) {
    const Diagram::Message& message = diagram.messages[i];
    std::string sentence = sentence_of(diagram, message, language);
    if (message.lost) sentence += " (" + say(Text::diagram_lost) + ')';
    if (!message.sent) sentence += ": " + say(Text::diagram_from_before);
    if (!message.ended) sentence += ": " + say(Text::diagram_under_way);
    svg.begin_tip(sentence);
    svg.path("message " + css_of(message.type) + (message.is_received() ? " arrives" : ""),
             path_of(plan.arrows[i]));
    if (!plan.arrows[i].empty()) {
      const Spot end = plan.arrows[i].back().to;
      if (message.lost) svg.cross(end.x, end.y, cross_arm);
      if (!message.ended) svg.circle("mark", end.x, end.y, 3);
    }
    svg.end_tip();
  }
}

void draw_mark(Svg& svg, const Diagram& diagram, const Diagram::Step& step, double x, double y,
               Language language) {
  svg.begin_tip(milliseconds_text(step.t_ns, language) + " ms  " +
                sentence_of(diagram, step, language) + "\n" + rule_of(step, language));
  const std::string at = "M " + svg_point(x, y) + ' ';
  const double radius = mark_radius(step.event);
  if (step.event == TraceEvent::crash) {
    svg.cross(x, y, radius);
  } else if (step.event == TraceEvent::leave) {
    svg.path("mark", at + "m-8 0h16");
  } else if (step.event == TraceEvent::suspect) {
    svg.path("mark", at + "m0 -7l7 7l-7 7l-7 -7z");
  } else if (step.event == TraceEvent::timeout) {
    svg.path("mark", at + "m-5 -6h10l-10 12h10z");
  } else {
    svg.circle(step.event == TraceEvent::start ? "mark" : "dot", x, y, radius);
  }
  svg.end_tip();
}

void draw_labels(Svg& svg, const DiagramPlan& plan) {
  for (const DiagramPlan::Label& label : plan.labels) {
    const bool is_left = label.kind.ends_with(" left");
    const double x = label.kind == "letter" ? label.box.x + label.box.width / 2
                     : is_left              ? label.box.x + label.box.width
                                            : label.box.x;
    svg.text(label.kind, x, label.box.y + label.box.height - 2.5, label.words);
  }
}

// Returns its end.
double draw_legend(Svg& svg, const Diagram& diagram, const DiagramPlan& plan, Language language) {
  const auto say = [&](Text words) { return text(words, language, {}); };
  LegendFlow flow{.right = plan.width - margin, .y = plan.bottom + margin + 12, .line = 24};
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
  const auto state = [&](const std::string& words, const Snapshot& node) {
    draw_stretch(svg, node, entry(words) + 36, flow.y - 13, flow.y + 5);
  };
  for (const std::string_view name : states_in(diagram)) {
    const Snapshot node{.condition = Condition::running, .state = std::string(name)};
    state(state_words(node, language), node);
  }
  if (has_stop(diagram)) state(say(Text::diagram_stopped), {.condition = Condition::stopped});
  state(state_words(Snapshot{}, language), {});
  const auto note = [&](const std::string& words) {
    flow.y += 22;
    svg.text("note", margin, flow.y, words);
  };
  note(say(Text::diagram_time_note));
  if (has_unrecorded_crash(diagram)) note(say(Text::diagram_crash_note));
  return flow.y;
}

// The kinds in the legend.
void define_messages(const Diagram& diagram, std::string& styles, std::string& heads) {
  for (const MessageType type : messages_in(diagram)) {
    define_message(type, style_of(type).ink, styles, heads);
  }
}

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

std::optional<std::string> diagram_svg(const Diagram& diagram, Language language) {
  const DiagramPlan plan = plan_of(diagram, language);
  if (plan.width > max_picture_side || plan.bottom + margin > max_picture_side) {
    return std::nullopt;
  }
  Svg svg;
  for (const DiagramPlan::Label& label : plan.labels) {
    if (label.kind != "time") continue;
    const double y = label.box.y + label.box.height / 2;
    svg.line("row", {margin + time_width + 6, y, plan.width - 24, y});
  }
  draw_lanes(svg, diagram, plan);
  draw_messages(svg, diagram, plan, language);
  for (std::size_t i = 0; i < diagram.steps.size(); ++i) {
    const Diagram::Step& step = diagram.steps[i];
    draw_mark(svg, diagram, step, plan.lane_x[step.lane], plan.step_y[i], language);
  }
  for (std::size_t lane = 0; lane < plan.heads.size(); ++lane) {
    const bool won = diagram.winner == diagram.lanes[lane];
    const Box& head = plan.heads[lane];
    svg.rect(won ? "head winner" : "head", head, 14);
    svg.text("id", head.x + head.width / 2, header_y + 5.5, head_words(diagram, lane, language));
  }
  draw_labels(svg, plan);
  const double height = draw_legend(svg, diagram, plan, language) + 20;
  if (height > max_picture_side) return std::nullopt;
  std::string styles = page_file("diagram", "css");
  std::string heads;
  define_messages(diagram, styles, heads);
  if (has_stop(diagram)) heads += page_file("hatching", "svg");
  return svg.picture(title_of(diagram, language), styles, heads, plan.width, height);
}

}  // namespace bully
