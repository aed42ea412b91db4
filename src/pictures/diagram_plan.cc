// diagram_plan.cc: the rows, the labels beside their steps, and the arrows between them.
//
// Labels never overlap: a label makes its row high enough. It stands at that side of its dot where
// the fewest arrows are. An arrow is straight, or bends round labels and other arrows' dots; where
// this is not enough, it has a gap. The letter on an arrow is left out if there is no free place
// for it (its line and its tooltip still show its kind).
#include "pictures/diagram_plan.h"

#include <algorithm>
#include <optional>

#include "words/names.h"

namespace bully {

namespace {

constexpr double line_height = 15;
constexpr double label_gap = 10;  // from the lane to its labels
constexpr double cross_gap = 12;  // from a lost message's cross to the lane
constexpr double stub = 34;
constexpr double dot_room = 7;    // from an arrow to the edge of another arrow's dot
constexpr double label_room = 2;  // from an arrow to a label
constexpr std::size_t few_messages = 30;
// Arrows of more stay straight: each is compared with all others, bend by bend.
constexpr std::size_t most_bent = 200;

// The labels of one step, one below the other.
struct StepLabels {
  std::size_t step = 0;
  std::vector<std::string> words;
  Box box;
};
// By message.
using Curves = std::vector<Curve>;

void place_lanes(const Diagram& diagram, Language language, DiagramPlan& plan) {
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
    const double head = std::max(28.0, text_width(head_words(diagram, i, language), 15) + 14);
    // The first is to the right of the times, and each to the right of the head before it.
    const double left =
        i == 0 ? margin + time_width : plan.heads.back().x + plan.heads.back().width;
    x = std::max(x, left + 8 + head / 2);
    plan.heads.push_back({x - head / 2, header_y - 14, head, 28});
    plan.lane_x.push_back(x);
    x += std::max(widths[i], head / 2 + 16);
  }
  const double title = 2 * margin + text_width(title_of(diagram, language), 18);
  plan.width = std::max({x + margin, title, 720.0});
}

// The distance from a step's labels up (or, if negative, down) to its mark. Avoids its arrows,
// which run downwards: above arrows that leave to the right, otherwise below arrows that arrive
// from the right.
double label_rise(const Diagram& diagram, const Diagram::Step& step, std::size_t lines) {
  const auto is_right = [&](std::size_t lane) { return lane > step.lane; };
  if (step.ended && is_right(diagram.messages[*step.ended].from)) return -3;
  const bool leaves = std::ranges::any_of(
      step.sent, [&](std::size_t sent) { return is_right(diagram.messages[sent].to); });
  return line_height * (leaves ? static_cast<double>(lines) : 0.5);
}

// Rows `row` apart, or farther for labels.
std::vector<StepLabels> place_steps(const Diagram& diagram, Language language, double row,
                                    DiagramPlan& plan) {
  std::vector<StepLabels> labels;
  std::vector<double> free_from(diagram.lanes.size(), lanes_y);
  plan.step_y.clear();
  double y = lanes_y - 4;
  double lowest = y;
  for (std::size_t i = 0; i < diagram.steps.size(); ++i) {
    const Diagram::Step& step = diagram.steps[i];
    double& free = free_from[step.lane];
    const std::vector<std::string> words = words_beside(step, language);
    const double rise = label_rise(diagram, step, words.size());
    y = std::max(y + row, words.empty() ? 0 : free + rise);
    plan.step_y.push_back(y);
    lowest = std::max(lowest, y + 4);
    if (words.empty()) continue;
    double wide = 0;
    for (const std::string& line : words) wide = std::max(wide, text_width(line, label_font));
    const double top = y - rise;
    const double high = line_height * static_cast<double>(words.size());
    labels.push_back({i, words, {plan.lane_x[step.lane] + label_gap, top, wide, high - 1}});
    free = top + high;
    lowest = std::max(lowest, free);
  }
  plan.bottom = lowest + 12;
  return labels;
}

// From the sending to the receipt. The head touches the lane's bar.
Curve straight_way(const Diagram::Message& message, const DiagramPlan& plan) {
  const double from = plan.lane_x[message.from];
  const double to = plan.lane_x[message.to];
  const double way = to < from ? -1 : 1;
  Spot a{from, 0};
  Spot b{to, 0};
  if (message.sent) a.y = plan.step_y[*message.sent];
  if (message.ended) {
    b.y = plan.step_y[*message.ended];
  } else {  // still in flight
    b = {from + way * stub, a.y + stub / 2};
  }
  if (!message.sent) a = {message.lost ? from : to - way * stub, b.y - stub / 2};
  if (message.lost) b.x -= way * cross_gap;
  if (message.is_received()) b.x -= way * 4;
  return Curve::straight(a, b);
}

// The cost of a label here: an arrow can bend round a label in its middle, but not at its ends.
std::size_t cost_of_label(const Curves& curves, const Obstacle& label) {
  constexpr double end = 0.2;
  std::size_t cost = 0;
  for (const Curve& curve : curves) {
    if (!touches(curve, label)) continue;
    cost += touches(curve.part(0, end), label) || touches(curve.part(1 - end, 1), label) ? 3U : 1U;
  }
  return cost;
}

// Moves each step's labels to the side of its dot where the fewest arrows cross them.
void move_labels(const Diagram& diagram, const DiagramPlan& plan, const Curves& curves,
                 std::vector<StepLabels>& labels) {
  const double left_end = margin + time_width + 6;
  constexpr double farthest = 15;  // above or below the dot
  for (StepLabels& label : labels) {
    std::size_t fewest = cost_of_label(curves, {label.box, label_room});
    const double x = plan.lane_x[diagram.steps[label.step].lane];
    const double y = plan.step_y[label.step];
    const auto is_free = [&](const Box& box) {
      const auto overlaps = [&](const Box& other) { return other.overlaps(box); };
      return box.x > left_end && box.x + box.width < plan.width - 4 && box.y >= lanes_y &&
             std::ranges::none_of(plan.heads, overlaps) &&
             std::ranges::none_of(labels, [&](const StepLabels& other) {
               return &other != &label && overlaps(other.box);
             });
    };
    for (const bool is_left : {false, true}) {
      const double high = label.box.height;
      const double above = -high - 23;
      for (const double top : {-high / 2, -high - 1, 3.0, -high - 9, 11.0, farthest, above}) {
        const double at = is_left ? x - label_gap - label.box.width : x + label_gap;
        const Box box{at, y + top, label.box.width, high};
        if (fewest == 0 || !is_free(box)) continue;
        // An arrow between a dot and its label is as bad as one through its label.
        const std::size_t far = top == farthest || top == above ? 1 : 0;
        const std::size_t crossed = far + cost_of_label(curves, {box, label_room});
        if (crossed >= fewest) continue;
        fewest = crossed;
        label.box = box;
      }
    }
  }
}

// The dots of other messages, and the crosses of lost ones.
std::vector<Obstacle> dots_beside(const Diagram& diagram, const DiagramPlan& plan,
                                  const Diagram::Message& message) {
  std::vector<Obstacle> dots;
  for (std::size_t i = 0; i < diagram.steps.size(); ++i) {
    if (message.sent == i || message.ended == i) continue;
    const Diagram::Step& step = diagram.steps[i];
    dots.push_back(
        {{plan.lane_x[step.lane], plan.step_y[i], 0, 0}, mark_radius(step.event) + dot_room});
  }
  for (const Diagram::Message& other : diagram.messages) {
    if (!other.lost || &other == &message) continue;
    const Spot cross = straight_way(other, plan).to;
    dots.push_back({{cross.x, cross.y, 0, 0}, cross_arm + dot_room});
  }
  return dots;
}

// For message `i`: the boxes of these labels and of the heads, as far as `room` round them; and,
// if there is room for that, the dots of other messages.
std::vector<Obstacle> in_the_way(const Diagram& diagram, const DiagramPlan& plan,
                                 const auto& labels, double room, bool has_room, std::size_t i) {
  std::vector<Obstacle> obstacles;
  if (has_room) obstacles = dots_beside(diagram, plan, diagram.messages[i]);
  for (const auto& label : labels) obstacles.push_back({label.box, room});
  for (const Box& head : plan.heads) obstacles.push_back({head, room});
  return obstacles;
}

// The places of a curve, of seventeen, at which it runs along others and cannot be told from them.
std::size_t places_along(const Curve& curve, const Curves& others, std::size_t own) {
  constexpr double too_near = 5;
  std::size_t count = 0;
  for (int i = 4; i <= 20; ++i) {
    const Spot at = curve.at(i / 24.0);
    const Obstacle place{{at.x, at.y, 0, 0}, too_near};
    for (std::size_t k = 0; k < others.size(); ++k) {
      count += k != own && touches(others[k], place) ? 1U : 0U;
    }
  }
  return count;
}

// The least bent curve that touches the fewest obstacles, and runs least along other curves. It
// runs downwards all the way, as time does.
Curve way_round(const Curves& curves, std::size_t own, std::vector<Obstacle> obstacles) {
  constexpr std::size_t few_places = 3;  // where curves cross
  const Curve straight = Curve::straight(curves[own].from, curves[own].to);
  const Box hull = straight.hull();
  std::erase_if(obstacles, [&](const Obstacle& obstacle) { return !is_near(hull, obstacle); });
  const auto touched = [&](const Curve& curve) {
    const auto is_touched = [&](const auto& one) { return touches(curve, one); };
    return static_cast<std::size_t>(std::ranges::count_if(obstacles, is_touched));
  };
  using Cost = std::pair<std::size_t, std::size_t>;
  const auto cost_of = [&](const Curve& curve, const Cost& limit) {
    const std::size_t count = touched(curve);
    if (count > limit.first) return Cost{count, 0};
    const std::size_t along = places_along(curve, curves, own);
    return Cost{count, along > few_places ? along : 0};
  };
  Cost fewest = cost_of(straight, {obstacles.size(), 0});
  if (fewest == Cost{}) return straight;
  std::vector<std::pair<double, Spot>> bends;
  for (const double across : {0.5, 0.3, 0.7, 0.12, 0.88}) {
    for (int down = 0; down <= 20; ++down) {
      const Spot bend{straight.from.x + across * (straight.to.x - straight.from.x),
                      straight.from.y + down / 20.0 * (straight.to.y - straight.from.y)};
      bends.emplace_back(std::abs(bend.y - between(straight.from, straight.to, across).y), bend);
    }
  }
  std::ranges::stable_sort(bends, {}, &std::pair<double, Spot>::first);
  Curve best = straight;
  for (const auto& [distance, bend] : bends) {
    const Curve curve{straight.from, bend, straight.to};
    const Cost now = cost_of(curve, fewest);
    if (now >= fewest) continue;
    fewest = now;
    best = curve;
    if (fewest == Cost{}) break;
  }
  return best;
}

void bend(const Diagram& diagram, const DiagramPlan& plan, const std::vector<StepLabels>& labels,
          bool has_room, Curves& curves) {
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const auto obstacles = in_the_way(diagram, plan, labels, label_room + 1, has_room, i);
    curves[i] = way_round(curves, i, obstacles);
  }
}

// One label for each line.
void add_labels(const Diagram& diagram, Language language, const std::vector<StepLabels>& labels,
                DiagramPlan& plan) {
  for (const StepLabels& label : labels) {
    const Diagram::Step& step = diagram.steps[label.step];
    double y = label.box.y;
    for (const std::string& words : label.words) {
      const double wide = text_width(words, label_font);
      const bool is_left = label.box.x < plan.lane_x[step.lane];
      const double x = label.box.x + (is_left ? label.box.width - wide : 0);
      const bool is_cause = words == cause_of(step, language);
      const std::string_view kind = is_left    ? is_cause ? "cause left" : "outcome left"
                                    : is_cause ? "cause"
                                               : "outcome";
      plan.labels.push_back({kind, {x, y, wide, line_height - 1}, words});
      y += line_height;
    }
    plan.bottom = std::max(plan.bottom, y + 12);
  }
}

// If rows are closer than a time is high, some have none.
void add_times(const Diagram& diagram, Language language, DiagramPlan& plan) {
  double free_from = 0;
  for (std::size_t i = 0; i < diagram.steps.size(); ++i) {
    const double y = plan.step_y[i] - small_font / 2 - 1;
    if (y < free_from) continue;
    const std::string time = milliseconds_text(diagram.steps[i].t_ns, language);
    const double wide = text_width(time, small_font);
    plan.labels.push_back({"time", {margin + time_width - wide, y, wide, small_font + 2}, time});
    free_from = y + small_font + 2;
  }
}

// A place for words on a curve, the nearest to its middle: not on a lane, nor on another curve, nor
// close to another arrow's letter, if there is such a place.
std::optional<Box> letter_place(const DiagramPlan& plan, const Curves& curves, std::size_t own,
                                double wide, const std::vector<Obstacle>& dots) {
  for (const bool is_strict : {true, false}) {
    for (int i = 0; i < 17; ++i) {
      const double t = 0.5 + (i % 2 == 0 ? 0.025 : -0.025) * (i + i % 2);
      const Spot at = curves[own].at(t);
      const Box box{at.x - wide / 2, at.y - small_font / 2 - 1, wide, small_font + 2};
      const auto overlaps = [&](const Box& other) { return other.overlaps(box); };
      if (std::ranges::any_of(plan.labels, overlaps, &DiagramPlan::Label::box) ||
          std::ranges::any_of(plan.heads, overlaps)) {
        continue;
      }
      const auto is_over = [&](const Obstacle& dot) { return is_near(box, {dot.box, 5}); };
      if (std::ranges::any_of(dots, is_over)) continue;
      const auto is_beside = [&](const DiagramPlan::Label& other) {
        return other.kind == "letter" && is_near(box, {other.box, small_font / 2});
      };
      if (is_strict && std::ranges::any_of(plan.labels, is_beside)) continue;
      const auto on_lane = [&](double x) { return box.x < x + 6 && x - 6 < box.x + wide; };
      const auto crosses = [&](const Curve& one) { return touches(one, {box, label_room}); };
      if (is_strict && (std::ranges::any_of(plan.lane_x, on_lane) ||
                        std::ranges::count_if(curves, crosses) > 1)) {
        continue;
      }
      return box;
    }
  }
  return std::nullopt;
}

void add_letters(const Diagram& diagram, const Curves& curves, DiagramPlan& plan) {
  const std::vector<Obstacle> dots = dots_beside(diagram, plan, {});
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const Diagram::Message& message = diagram.messages[i];
    // Without its values, which the tooltip has as well, if only that has room.
    for (const std::string& words :
         {short_name_of(message.type, message.values), std::string(message.type->code)}) {
      const auto place = letter_place(plan, curves, i, text_width(words, small_font) + 4, dots);
      if (!place) continue;
      plan.labels.push_back({"letter", *place, words});
      break;
    }
  }
}

// Cuts the curves where a label is, and other arrows' dots if there is room for that.
void add_arrows(const Diagram& diagram, const Curves& curves, bool has_room, DiagramPlan& plan) {
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const auto obstacles = in_the_way(diagram, plan, plan.labels, label_room / 2, has_room, i);
    plan.arrows.push_back(parts_outside(curves[i], obstacles));
  }
}

}  // namespace

std::string head_words(const Diagram& diagram, std::size_t lane, Language language) {
  return std::to_string(diagram.lanes[lane]) + stopped_words(diagram.after[lane], language);
}

double mark_radius(TraceEvent event) {
  switch (event) {
    case TraceEvent::crash:
    case TraceEvent::leave: return 8;
    case TraceEvent::start: return 5;
    case TraceEvent::suspect: return 7;
    case TraceEvent::timeout: return 6;
    default: return 3.4;
  }
}

DiagramPlan plan_of(const Diagram& diagram, Language language) {
  DiagramPlan plan;
  place_lanes(diagram, language, plan);
  std::vector<StepLabels> labels;
  // The largest of a few distances between rows that keeps the picture low enough.
  for (const double row : {30.0, 22.0, 17.0, 13.0, 9.0}) {
    labels = place_steps(diagram, language, row, plan);
    if (plan.bottom + legend_room <= max_picture_side) break;
  }
  if (plan.width > max_picture_side || plan.bottom + margin > max_picture_side) return plan;
  const bool has_room = diagram.messages.size() <= few_messages;
  Curves curves;
  for (const Diagram::Message& message : diagram.messages) {
    curves.push_back(straight_way(message, plan));
  }
  // Labels give way to arrows, arrows to labels, and once more.
  for (int round = 0; round < 2; ++round) {
    move_labels(diagram, plan, curves, labels);
    if (curves.size() <= most_bent) bend(diagram, plan, labels, has_room, curves);
  }
  add_labels(diagram, language, labels, plan);
  add_times(diagram, language, plan);
  add_letters(diagram, curves, plan);
  add_arrows(diagram, curves, has_room, plan);
  return plan;
}

}  // namespace bully
