// frames_svg.h: a frame of a run as a picture: places and looks. Circles are the processes, black
// ones the relays. Beside each circle are the process's state and variables; on each arrow, the
// messages in flight. All frames of a run have one size: the ring has room for the longest
// words on an arrow between any two neighbours.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "pictures/frames.h"
#include "pictures/svg.h"
#include "words/words.h"

namespace bully {

inline constexpr double id_font = 15;

struct FramePainter {
  using Point = std::complex<double>;
  static constexpr double bold = 1.1;      // the factor by which bold words are wider
  static constexpr double covered = 0.62;  // the part of its way at which a message in flight ends
  static constexpr double font = 16;
  static constexpr double high = 1.25;  // a line, in sizes of the font

  const Diagram& diagram;
  Language language;
  bool is_ring = diagram.algorithm->topology == Topology::ring;
  double channel = 0;  // the words on an arrow, in the direction in which they need most
  double circle = 20;  // the radius of a process
  double radius = 0;   // of the ring
  double beside = 0;   // the words there
  double lines = 2;    // of those words
  Point centre = {};   // of the present frame; at first, of a picture with this frame alone

  // Makes room for one more; once all are fitted, there is room for all.
  void fit(const Frame& frame) {
    for (const Frame::Arrow& arrow : frame.arrows) {
      const std::vector<std::string> rows = lines_on_arrow(arrow.words);
      channel = std::max(channel, static_cast<double>(rows.size()) * line());
      for (const std::string& row : rows) {
        channel = std::max(channel, text_width(row, font) * bold);
      }
    }
    for (const Diagram::Place& place : frame.places) {
      const double digits = text_width(std::to_string(place.node.id), font * 1.25);
      circle = std::max(circle, digits / 2 + 4);
      const std::vector<LineBeside> all = lines_beside(place.node, language);
      lines = std::max(lines, static_cast<double>(all.size()));
      for (const auto& [words, is_bold] : all) {
        beside = std::max(beside, text_width(words, font) * (is_bold ? bold : 1));
      }
    }
  }
  // So many times as large as its font, an id still fits into its circle.
  double most_of_id() const {
    double digits = 1;
    for (const NodeId id : diagram.lanes) {
      digits = std::max(digits, text_width(std::to_string(id), id_font) * bold);
    }
    return std::max(1.0, 2 * (circle - 3) / digits);
  }
  void measure() {
    const auto count = static_cast<double>(std::max<std::size_t>(2, this->count()));
    const double between = (channel + 36) / covered + 2 * circle;
    constexpr double least = 62;
    radius = between / 2 / std::sin(std::numbers::pi / count);
    // Without a ring, arrows may connect places that are not neighbours.
    if (!is_ring) radius = std::min(radius, std::max(130.0, 17 * count));
    radius = std::max({least, radius, std::min(count * count / 2 + 10, 17 * count)});
    centre = {width() / 2, above()};
  }
  double side() const { return radius + circle + 10; }
  double width() const { return 2 * (side() + beside + 10); }
  double height() const { return above() + below(); }
  double above() const { return side() + lines * line(); }
  // Words are below the lowest process only if it is in the middle.
  double below() const { return lowest() + 10 + (count() % 2 == 0 ? lines * line() : 0); }
  // From the centre to the lowest edge of a circle, or of the words on an arrow round the ring.
  double lowest() const { return std::max(fall() + circle, is_ring ? radius + line() : 0); }
  static constexpr double line() { return high * font; }
  // From the centre to the outermost process on the left or on the right.
  double reach() const {
    double farthest = 0;
    for (std::size_t i = 0; i < diagram.lanes.size(); ++i) {
      farthest = std::max(farthest, radius * std::abs(std::cos(angle_of(i))));
    }
    return farthest;
  }

  // And to the lowest one.
  double fall() const { return on_ring(angle_of(count() / 2)).imag() - centre.imag(); }

  // The first at the top, the others clockwise.
  double angle_of(std::size_t place) const {
    const double turn = static_cast<double>(place) / static_cast<double>(diagram.lanes.size());
    return (2 * turn - 0.5) * std::numbers::pi;
  }
  Point on_ring(double angle) const { return centre + std::polar(radius, angle); }
  static std::string svg_spot(Point at) { return svg_point(at.real(), at.imag()); }
  std::size_t count() const { return diagram.lanes.size(); }
  bool is_round(const Frame& frame, const Frame::Arrow& arrow) const {
    return is_ring && arrow.to == frame.beside(arrow.from);
  }

  // Between neighbours, where any two exchange messages.
  bool is_short(const Frame& frame, const Frame::Arrow& arrow) const {
    const bool are_neighbours =
        arrow.to == frame.beside(arrow.from) || arrow.from == frame.beside(arrow.to);
    return !is_ring && are_neighbours;
  }

  // True if there is an arrow in the opposite direction.
  static bool is_answered(const Frame& frame, const Frame::Arrow& arrow) {
    const auto is_opposite = [&arrow](const Frame::Arrow& other) {
      return other.from == arrow.to && other.to == arrow.from;
    };
    return std::ranges::any_of(frame.arrows, is_opposite) ||
           (frame.ended && is_opposite(*frame.ended));
  }

  struct Stretch {
    std::string path;
    Point words;
    Point end;
  };
  // The part of its way from `begin` to `part`. If arrows go both ways, each keeps a little to its
  // right, so that the two are apart.
  Stretch stretch(const Frame& frame, const Frame::Arrow& arrow, double part,
                  double begin = 0) const {
    const double gap = circle + 4;
    const double aside = is_ring ? 0 : 6;
    const double start = angle_of(arrow.from);
    const bool has_ended = arrow.stage > Frame::Stage::under_way;
    // Of words on arrows that meet, each is nearer to its sender.
    const double words = !is_ring && !has_ended ? std::min(part / 2, 0.36) : part / 2;
    if (is_round(frame, arrow)) {
      const double forward = gap / radius;
      const double whole = 2 * (std::numbers::pi / static_cast<double>(count()) - forward);
      const auto spot = [&](double done) {
        return centre + std::polar(radius, start + forward + done * whole);
      };
      return {"M " + svg_spot(spot(begin)) + " A " + svg_point(radius, radius) + " 0 0 1 " +
                  svg_spot(spot(part)),
              spot(words), spot(part)};
    }
    const Point whole = on_ring(angle_of(arrow.to)) - on_ring(start);
    const double length = std::max(1.0, std::abs(whole));
    const Point along = whole / length;
    const Point a = on_ring(start) + along * Point(gap, aside);
    const auto spot = [&](double done) { return a + along * (done * (length - 2 * gap)); };
    return {"M " + svg_spot(spot(begin)) + " L " + svg_spot(spot(part)), spot(words), spot(part)};
  }

  // The sides of a cut network, each an area with its processes.
  void sides(Svg& svg, const Frame& frame) const {
    std::map<std::uint64_t, std::vector<std::size_t>> areas;  // places by side
    for (std::size_t place = 0; place < frame.places.size() && !frame.sides.empty(); ++place) {
      areas[frame.sides[frame.places[place].lane]].push_back(place);
    }
    areas.erase(0);  // processes that the cut does not know
    for (const auto& [side, places] : areas) {
      std::vector<NodeId> names = list_of(
          places, [&](std::size_t place) { return diagram.lanes[frame.places[place].lane]; });
      std::ranges::sort(names);
      const auto spot = [this](std::size_t place) { return svg_spot(on_ring(angle_of(place))); };
      const std::string area = "M " + joined(places, " L ", spot) + " Z";
      svg.begin_tip(text(Text::html_side, language, {joined(names, ", ")}));
      for (const std::string_view kind : {"side edge", "side"}) svg.path(kind, area);
      svg.end_tip();
    }
  }

  void links(Svg& svg, const Frame& frame) const {
    if (!is_ring) return;
    for (std::size_t place = 0; place < frame.places.size(); ++place) {
      if (!frame.is_there(place)) continue;
      const auto is_there = [&frame](std::size_t other) { return frame.is_there(other); };
      const std::size_t next = frame.next_of(place, is_there);
      if (next == place) continue;
      svg.path(frame.is_cut(place, next) ? "link cut" : "link",
               stretch(frame, {.from = place, .to = next}, 1).path);
    }
  }

  double part_of(Frame::Stage stage) const {
    return stage == Frame::Stage::received ? 1 : stage == Frame::Stage::lost ? 0.85 : covered;
  }
  Point words_place(const Frame& frame, const Frame::Arrow& arrow) const {
    const Point place = stretch(frame, arrow, part_of(arrow.stage)).words;
    const std::vector<std::string> rows = lines_on_arrow(arrow.words);
    double wide = 0;
    for (const std::string& row : rows) wide = std::max(wide, text_width(row, font) * bold);
    const double tall = line() * static_cast<double>(rows.size());
    // Where the picture becomes smaller, words are larger.
    const auto half = [&](Point way) {
      return (wide * std::abs(way.real()) + tall * std::abs(way.imag())) * 0.65;
    };
    const double distance = std::max(1.0, std::abs(place - centre));
    const Point out = (place - centre) / distance;
    // Beside a line that would be hidden behind them: inside the ring, which is curved.
    const double along_it = half(out * Point(0, 1));
    if (is_round(frame, arrow)) return place - out * (half(out) + along_it * along_it / 2 / radius);
    // Or outside, where the words on an answer are not.
    if (is_short(frame, arrow)) {
      const Point along = on_ring(angle_of(arrow.to)) - on_ring(angle_of(arrow.from));
      const bool is_clockwise = arrow.to == frame.beside(arrow.from);
      const Point side = Point(0, is_clockwise && !is_answered(frame, arrow) ? -1 : 1) * along /
                         std::max(1.0, std::abs(along));
      return place + side * half(side);
    }
    // The line may pass close by another process.
    const double across = wide / 2 * std::abs(out.real());
    return centre + out * std::min(distance, radius - circle - 14 - across);
  }

  // An arrow of `frame.arrows`, or the ended one; with its words, and a tooltip. Several messages
  // are one behind the other, the first to arrive in front.
  void message(Svg& svg, const Frame& frame, const Frame::Arrow& arrow) const {
    using enum Frame::Stage;
    constexpr std::size_t most = 3;
    const std::size_t count = std::min(arrow.messages.size(), most);
    const double part = part_of(arrow.stage);
    const double each = part / static_cast<double>(count);
    svg.begin_tip(joined(arrow.messages, "\n", [this](std::size_t i) {
      return sentence_of(diagram, diagram.messages[i], language);
    }));
    for (std::size_t i = 0; i < count; ++i) {
      const MessageType type = diagram.messages[arrow.messages[i]].type;
      const double end = part - static_cast<double>(i) * each;
      const Stretch drawn = stretch(frame, arrow, end, end - each);
      svg.path("link " + css_of(type) + (arrow.stage == lost ? " lost" : " arrives"), drawn.path);
      if (arrow.stage == lost) svg.cross(drawn.end.real(), drawn.end.imag(), 5);
    }
    // If lines cross, only the newest have room for words. On a ring a message that has just ended
    // leaves the room to those behind it: the sentence of its step names it.
    const auto is_behind = [&arrow](const Frame::Arrow& other) {
      return other.from == arrow.from && other.to == arrow.to;
    };
    const bool has_room =
        is_ring ? arrow.stage < received || std::ranges::none_of(frame.arrows, is_behind)
                : arrow.stage != under_way;
    if (has_room) words_on(svg, frame, arrow);
    svg.end_tip();
  }

  // Where arrows may meet, the words on the upper one, which goes to the left, are above the place,
  // and the words on the lower one below.
  void words_on(Svg& svg, const Frame& frame, const Frame::Arrow& arrow) const {
    const std::vector<std::string> rows = lines_on_arrow(arrow.words);
    const Point place = words_place(frame, arrow);
    const auto height_of = [&](const Frame::Arrow& one) {
      return stretch(frame, one, part_of(one.stage)).words.imag();
    };
    const double apart = height_of({.from = arrow.to, .to = arrow.from}) - height_of(arrow);
    const double more = high * static_cast<double>(rows.size() - 1);
    const bool is_beside = !is_ring && !is_short(frame, arrow) && std::abs(apart) < 2 * line();
    const bool is_upper = on_ring(angle_of(arrow.to)).real() < on_ring(angle_of(arrow.from)).real();
    double lower = !is_beside ? 0.4 - more / 2 : is_upper ? -0.3 - more : 1;
    for (const std::string& row : rows) {
      svg.text("channel", place.real(), place.imag(), lower, row);
      lower += high;
    }
  }

  static void clock(Svg& svg, double x, double y) {
    svg.circle("timer", x, y, 7);
    svg.path("timer", "M " + svg_point(x, y - 4.5) + " L " + svg_point(x, y) + " L " +
                          svg_point(x + 3, y + 2));
  }

  // A cross over a process, open in the middle: its id stays readable.
  void open_cross(Svg& svg, double x, double y) const {
    std::string arms;
    for (const double aside : {-1.0, 1.0}) {
      for (const double above : {-1.0, 1.0}) {
        const Point arm = Point(aside, above) * circle;
        const Point inner = Point(x, y) + 0.62 * arm;
        const Point outer = Point(x, y) + 1.02 * arm;
        arms += (arms.empty() ? "M " : " M ") + svg_spot(inner) + " L " + svg_spot(outer);
      }
    }
    svg.path("cross", arms);
  }

  void process(Svg& svg, const Diagram::Place& place, std::size_t at) const {
    const double x = on_ring(angle_of(at)).real();
    const double y = on_ring(angle_of(at)).imag();
    const std::string look = css_of(place.node);
    const bool is_stopped = place.node.condition == Condition::stopped;
    svg.circle("process " + look + (is_stopped ? " stopped" : ""), x, y, circle);
    if (place.mark == Diagram::Mark::acts) svg.circle("acts", x, y, circle + 4);
    // The circle's line alone must not carry the information that it is gone or stopped.
    if (place.node.condition == Condition::crashed) open_cross(svg, x, y);
    svg.text("id on-" + look, x, y + 5.5, std::to_string(place.node.id));
    if (is_stopped) {
      for (const double bar : {-3.5, 3.5}) {
        svg.line("bar", {x + bar, y + circle - 4, x + bar, y + circle + 8});
      }
    }
    if (place.mark == Diagram::Mark::waits) clock(svg, x + circle * 0.8, y - circle * 0.8);
    // Outside the ring: above or below it at its top and its bottom, otherwise beside it.
    const double out = circle + 10;
    const double aside = x - centre.real();
    const bool is_middle = std::abs(aside) < 1;
    const bool is_top = is_middle && y < centre.imag();
    const std::string side = is_middle ? "middle" : aside < 0 ? "left" : "right";
    const double words_x = is_middle ? x : aside < 0 ? x - out : x + out;
    const double words_y = y - 2 + (is_top ? -out : is_middle ? out + 8 : 0);
    const std::vector<LineBeside> all = lines_beside(place.node, language);
    const double first = high * (1 - static_cast<double>(all.size()));
    double lower = is_top ? first : is_middle ? 0.75 : 0;
    for (const auto& [words, has_variables] : all) {
      svg.text((has_variables ? "variables " : "") + side, words_x, words_y, lower, words);
      lower += high;
    }
  }
};

}  // namespace bully
