// ring.cc: an election on a ring, picture by picture; and on paper, where they stand in rows.
// Circles are the processes, black ones the relays; beside each is what it is, and its variables;
// on each arrow, what is on its way. A ring is so large that between any two neighbours there is
// room for the longest words on an arrow, and so that the words beside a process have a line each.
#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <numbers>

#include "election/ring_order.h"
#include "view/diagram.h"
#include "view/svg.h"

namespace bully {

namespace {

void add_message(RingFrame& frame, RingFrame::Arrow arrow, std::size_t message,
                 const std::string& name) {
  auto found = std::ranges::find_if(frame.arrows, [&](const RingFrame::Arrow& other) {
    return other.from == arrow.from && other.to == arrow.to && other.way == arrow.way;
  });
  if (found == frame.arrows.end()) {
    if (frame.goes_both_ways) arrow.words = arrow.way == Direction::clockwise ? "↻ " : "↺ ";
    found = frame.arrows.insert(found, arrow);
  }
  found->words += found->messages.empty() ? name : "; " + name;
  found->messages.push_back(message);
}

// Whether any of its messages may go anticlockwise.
bool goes_both_ways(const Diagram& diagram) {
  return std::ranges::any_of(diagram.algorithm->messages, [](MessageType type) {
    return std::ranges::find(type->fields, &fields::anticlockwise) != type->fields.end();
  });
}

constexpr double words_high = 15;     // from one line of words to the next
constexpr double wide_enough = 1400;  // then pictures go on in the next row
constexpr double title_room = 60;

constexpr const char* ring_style =
    R"(.id { font-size: 15px; font-weight: bold; text-anchor: middle; }
.on-relay { fill: #fff; }
.left { text-anchor: end; }
.middle, .channel { text-anchor: middle; }
.variables, .channel, .number { font-weight: bold; }
.channel { stroke: #fff; stroke-width: 8px; paint-order: stroke; }
.frame { fill: none; stroke: #ddd; }
.process { fill: #fff; stroke: #222; stroke-width: 1.6; }
.candidate { stroke-width: 2.4; }
.waiting { stroke-dasharray: 5 3; }
.relay { fill: #111; }
.coordinator { fill: #ffe08a; stroke-width: 4; }
.absent { stroke: #999; stroke-dasharray: 1 4; }
.acts { fill: none; stroke: #222; stroke-width: 1.2; stroke-dasharray: 3 2; }
.link { fill: none; stroke: #bbb; stroke-width: 1.2; marker-end: url(#empty); }
.full { stroke: #111; stroke-width: 2; marker-end: url(#full); }
)";
constexpr const char* heads =
    R"(<marker id="empty" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9"
 markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1L10 5L0 9z" fill="#bbb"/></marker>
<marker id="full" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="11" markerHeight="11"
 markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1L10 5L0 9z" fill="#111"/></marker>
)";

using Point = std::complex<double>;

struct Drawing {
  const Diagram& diagram;
  Language language;
  std::vector<RingFrame> frames = ring_frames(diagram, language);
  double circle = 17;  // the radius of a process
  double radius = 0;   // of the ring
  double caption_high = 0;
  double frame_wide = 0;
  double frame_high = 0;
  double columns = 1;
  Point centre = {};
  Svg svg = {};

  std::optional<std::string> draw() {
    measure();
    const double rows = std::ceil(static_cast<double>(frames.size()) / columns);
    const double width = std::max(margin + columns * (frame_wide + margin),
                                  2 * margin + text_width(title_of(diagram, language), 18));
    const double bottom = title_room + rows * (frame_high + margin) + 14;
    if (width > max_picture_side || bottom > max_picture_side) return std::nullopt;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto column = std::fmod(static_cast<double>(i), columns);
      const auto row = std::floor(static_cast<double>(i) / columns);
      frame(frames[i], margin + column * (frame_wide + margin),
            title_room + row * (frame_high + margin));
    }
    const double height = legend(width, bottom) + margin;
    if (height > max_picture_side) return std::nullopt;
    return svg.picture(title_of(diagram, language), ring_style, heads, width, height);
  }

  // All pictures are of one size.
  void measure() {
    double channel = 0;
    double beside = 0;
    for (const RingFrame& frame : frames) {
      for (const RingFrame::Arrow& arrow : frame.arrows) {
        channel = std::max(channel, text_width(arrow.words, label_font) * 1.1);
      }
      for (const RingFrame::Place& place : frame.places) {
        circle = std::max(circle, text_width(std::to_string(place.node.id), 15) / 2 + 4);
        beside = std::max({beside, text_width(place.words, label_font),
                           text_width(place.variables, label_font) * 1.1});
      }
    }
    const auto count = static_cast<double>(std::max<std::size_t>(2, diagram.lanes.size()));
    const double between = channel + 2 * circle + (goes_both_ways(diagram) ? 30 : 20);
    // Between two of three places arrows may be bent and straight, both ways: four lines of words.
    const double least = goes_both_ways(diagram) && count <= 3 ? 120 : 62;
    radius = std::max(
        {least, between / 2 / std::sin(std::numbers::pi / count), (count * count) / 2 + 10});
    const double side = radius + circle + 10;
    frame_wide = std::max(2 * (side + beside + 10), 250.0);
    for (const RingFrame& frame : frames) {
      const auto lines = static_cast<double>(caption_of(frame).size());
      caption_high = std::max(caption_high, (lines + 1) * words_high + 8);
    }
    frame_high = caption_high + 2 * (side + 2 * words_high);
    const auto all = static_cast<double>(frames.size());
    const double rows_that_fit = std::floor((max_picture_side - 200) / (frame_high + margin));
    columns = std::max({1.0, std::floor(wide_enough / (frame_wide + margin)),
                        std::ceil(all / std::max(1.0, rows_that_fit))});
    columns = std::min(columns, all);
  }

  std::vector<std::string> caption_of(const RingFrame& frame) const {
    constexpr double widest = 0.6 * label_font;
    return wrapped(frame.caption, static_cast<std::size_t>((frame_wide - 16) / widest));
  }

  void frame(const RingFrame& frame, double x, double y) {
    svg.rect("frame", {x, y, frame_wide, frame_high}, 6);
    svg.text("number", x + 8, y + 16, frame.heading);
    svg.begin_tip(frame.steps == 0 ? frame.caption
                                   : rule_of(diagram.steps[frame.steps - 1], language));
    double caption_y = y + 16;
    for (const std::string& words : caption_of(frame)) {
      svg.text("caption", x + 8, caption_y += words_high, words);
    }
    svg.end_tip();
    centre = {x + frame_wide / 2, y + (caption_high + frame_high) / 2};
    const std::size_t count = frame.places.size();
    for (const Direction way : both_directions) {
      if (way == Direction::anticlockwise && !frame.goes_both_ways) continue;
      for (std::size_t place = 0; place < count; ++place) {
        const std::size_t next = frame.next_of(place, way);
        if (frame.is_there(place) && next != place) arrow("link", frame, {place, next, way});
      }
    }
    for (const RingFrame::Arrow& on_way : frame.arrows) message(frame, on_way);
    for (std::size_t place = 0; place < count; ++place) process(frame.places[place], place);
  }

  // The first at the top, the others clockwise.
  double angle_of(std::size_t place) const {
    const double turn = static_cast<double>(place) / static_cast<double>(diagram.lanes.size());
    return (2 * turn - 0.5) * std::numbers::pi;
  }
  Point on_ring(double angle) const { return centre + std::polar(radius, angle); }
  static std::string point(Point at) { return svg_point(at.real(), at.imag()); }
  // Whether an arrow goes along the ring, and not straight.
  static bool is_round(const RingFrame& frame, const RingFrame::Arrow& arrow) {
    return arrow.to == frame.beside(arrow.from, arrow.way);
  }

  // Where arrows go both ways, each keeps a little to its right, so that the two stand apart.
  void arrow(std::string_view kind, const RingFrame& frame, const RingFrame::Arrow& arrow) {
    const bool clockwise = arrow.way == Direction::clockwise;
    const double gap = circle + 4;
    const double aside = frame.goes_both_ways ? 6 : 0;
    if (is_round(frame, arrow)) {
      const double at = radius + (clockwise ? -aside : aside);
      const double forward = clockwise ? gap / radius : -gap / radius;
      const Point a = centre + std::polar(at, angle_of(arrow.from) + forward);
      const Point b = centre + std::polar(at, angle_of(arrow.to) - forward);
      svg.path(kind, "M " + point(a) + " A " + svg_point(at, at) + " 0 0 " +
                         (clockwise ? "1 " : "0 ") + point(b));
      return;
    }
    const Point a = on_ring(angle_of(arrow.from));
    const Point b = on_ring(angle_of(arrow.to));
    const Point along = (b - a) / std::max(1.0, std::abs(b - a));
    const Point right = along * Point(0, aside);
    svg.path(kind, "M " + point(a + along * gap + right) + " L " + point(b - along * gap + right));
  }

  void message(const RingFrame& frame, const RingFrame::Arrow& on_way) {
    svg.begin_tip(joined(on_way.messages, "\n", [this](std::size_t i) {
      return sentence_of(diagram, diagram.messages[i], language);
    }));
    arrow("link full", frame, on_way);
    const bool clockwise = on_way.way == Direction::clockwise;
    const double half_way = std::numbers::pi / static_cast<double>(diagram.lanes.size());
    Point middle = on_ring(angle_of(on_way.from) + (clockwise ? half_way : -half_way));
    if (!is_round(frame, on_way)) {
      // Inside the ring of processes, for the line may pass close by one that is gone.
      const Point aside =
          (on_ring(angle_of(on_way.from)) + on_ring(angle_of(on_way.to))) / 2.0 - centre;
      const double distance = std::max(1.0, std::abs(aside));
      const double half =
          text_width(on_way.words, label_font) / 2 * std::abs(aside.real()) / distance;
      middle = centre + aside * std::min(1.0, (radius - circle - 14 - half) / distance);
    }
    // One above the other, where there are two.
    const double lower = !frame.goes_both_ways ? 4 : clockwise ? -4 : 12;
    svg.text("channel", middle.real(), middle.imag() + lower, on_way.words);
    svg.end_tip();
  }

  void process(const RingFrame::Place& place, std::size_t at) {
    const double x = on_ring(angle_of(at)).real();
    const double y = on_ring(angle_of(at)).imag();
    const std::string look = css_of(place.node);
    svg.circle("process " + look, x, y, circle);
    if (place.acts) svg.circle("acts", x, y, circle + 4);
    svg.text("id on-" + look, x, y + 5.5, std::to_string(place.node.id));
    // Outside the ring: above or below it at its top and its bottom, else beside it.
    const double out = circle + 10;
    const double aside = x - centre.real();
    const bool is_middle = std::abs(aside) < 1;
    const bool is_top = y < centre.imag();
    const std::string side = is_middle ? "middle" : aside < 0 ? "left" : "right";
    const double words_x = is_middle ? x : aside < 0 ? x - out : x + out;
    const double words_y = y - 2 + (!is_middle ? 0 : is_top ? -out - words_high : out + words_high);
    svg.text(side, words_x, words_y, place.words);
    if (place.variables.empty()) return;
    svg.text("variables " + side, words_x, words_y + words_high, place.variables);
  }

  // Where it ends.
  double legend(double width, double top) {
    LegendFlow flow{.left = margin, .right = width - margin, .y = top, .line = 26};
    const auto process = [&](const std::string& look, const std::string& words) {
      const double x = flow.place(text_width(words, label_font) + 46);
      svg.circle(look, x + 10, flow.y - 4, 9);
      svg.text("note", x + 26, flow.y, words);
    };
    for (const std::string_view state : states_in(diagram)) {
      process("process " + std::string(style_of_state(state).css), state_words(state, language));
    }
    process("process absent", state_words(Snapshot{}, language));
    process("acts", text(Text::ring_acts, language, {"○"}));
    flow.new_line();
    const auto note = [&](const std::string& words) {
      const double x = flow.place(text_width(words, label_font) + 24);
      svg.text("note", x, flow.y, words);
    };
    for (const MessageType type : messages_in(diagram)) {
      note(std::string(type->code) + ": " + name_of(type, language));
    }
    std::ranges::for_each(ring_notes(diagram, language), note);
    return flow.y;
  }
};

}  // namespace

std::vector<std::size_t> clockwise_order(const Diagram& diagram) {
  const std::size_t count = diagram.lanes.size();
  std::vector<std::size_t> order;
  const auto is_placed = [&](std::size_t lane) { return std::ranges::count(order, lane) > 0; };
  // The first to which `lane` sends, of those that are placed or of the others.
  const auto receiver_of = [&](std::size_t lane, bool placed) {
    for (const Diagram::Message& message : diagram.messages) {
      if (message.from != lane || message.to == lane || is_placed(message.to) != placed) continue;
      // A message of these roles goes from each process to the next one; one way or the other.
      const bool goes_round = message.type->role >= Role::claims &&
                              !message.values.get(message.type, fields::anticlockwise);
      if (goes_round && diagram.algorithm->speaks(message.type)) return message.to;
    }
    return count;
  };
  // Round the ring, as far as it is known.
  std::size_t next = 0;
  while (next < count && receiver_of(next, false) == count) ++next;
  while (next < count) {
    order.push_back(next);
    next = receiver_of(next, false);
  }
  // The others joined later, or say nothing: before the one that each sends to, or by id.
  for (std::size_t lane = count; lane-- > 0;) {
    if (is_placed(lane)) continue;
    const std::size_t to = receiver_of(lane, true);
    order.insert(
        std::ranges::find_if(
            order, [=](std::size_t other) { return to == count ? other > lane : other == to; }),
        lane);
  }
  std::rotate(order.begin(), std::ranges::find(order, 0U), order.end());
  return order;
}

std::vector<RingFrame> ring_frames(const Diagram& diagram, Language language) {
  const std::vector<std::size_t> order = clockwise_order(diagram);
  std::vector<Snapshot> nodes = diagram.before;
  std::vector<std::size_t> under_way;  // messages, in the order of sending
  std::vector<RingFrame> frames;
  const bool both_ways = goes_both_ways(diagram);
  const auto place_of = [&](std::size_t lane) {
    return static_cast<std::size_t>(std::ranges::find(order, lane) - order.begin());
  };
  for (std::size_t taken = 0; taken <= diagram.steps.size(); ++taken) {
    RingFrame& frame = frames.emplace_back();
    frame.steps = taken;
    frame.goes_both_ways = both_ways;
    frame.heading = text(Text::html_step, language, {taken, diagram.steps.size()});
    frame.caption = text(Text::html_beginning, language);
    const Diagram::Step* step = taken > 0 ? &diagram.steps[taken - 1] : nullptr;
    if (step != nullptr) {
      frame.heading += " · " + milliseconds_text(step->t_ns, language) + ' ' +
                       text(Text::diagram_milliseconds, language, {});
      frame.caption = sentence_of(diagram, *step, language);
      nodes[step->lane] = step->after;
      // A process that ends takes with it what was on its way to it.
      std::erase_if(under_way, [&](std::size_t i) {
        const Diagram::Message& message = diagram.messages[i];
        const bool is_for_it = message.to == step->lane && !message.ended;
        return i == step->ended || (is_for_it && !step->after.is_alive());
      });
      std::ranges::copy_if(step->sent, std::back_inserter(under_way), [&](std::size_t i) {
        return diagram.messages[i].type.is_of_election();
      });
    }
    for (const std::size_t lane : order) {
      const Snapshot& node = nodes[lane];
      const bool follows = node.is_alive() && node.coordinator.value_or(node.id) != node.id;
      frame.places.push_back({node,
                              follows ? text(Text::diagram_follows, language, {*node.coordinator})
                                      : state_words(node, language),
                              variables_words(node.variables),
                              step != nullptr && step->lane == lane});
    }
    for (const std::size_t i : under_way) {
      const Diagram::Message& message = diagram.messages[i];
      const bool is_back = message.values.get(message.type, fields::anticlockwise).has_value();
      const Direction way = is_back ? Direction::anticlockwise : Direction::clockwise;
      add_message(frame, {place_of(message.from), place_of(message.to), way}, i,
                  short_name_of(message.type, message.values));
    }
  }
  return frames;
}

std::vector<std::string> ring_notes(const Diagram& diagram, Language language) {
  std::string names;
  const auto look = [&](const Snapshot& node) {
    if (names.empty()) names = variable_names(node.variables);
  };
  std::ranges::for_each(diagram.before, look);
  std::ranges::for_each(diagram.steps, look, &Diagram::Step::after);
  std::vector<std::string> notes = {text(Text::ring_on_arrows, language, {})};
  if (goes_both_ways(diagram)) notes.push_back(text(Text::ring_ways, language, {"↻", "↺"}));
  if (!names.empty()) notes.push_back(text(Text::ring_variables, language, {names}));
  return notes;
}

std::optional<std::string> ring_svg(const Diagram& diagram, Language language) {
  return Drawing{diagram, language}.draw();
}

}  // namespace bully
