#include "view/ring_layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "view/looks.h"

namespace bully {

RingPoint on_circle(double radius, double angle) {
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

// The first at the top, the others clockwise.
double ring_angle(const std::vector<std::size_t>& order, std::size_t lane) {
  const auto place = std::find(order.begin(), order.end(), lane) - order.begin();
  const double turn = static_cast<double>(place) / static_cast<double>(order.size());
  return (2 * turn - 0.5) * std::numbers::pi;
}

// From one process clockwise to another: an angle in (0, 2π].
double way_round(double from, double to) {
  const double turn = to - from;
  return turn > 1e-9 ? turn : turn + 2 * std::numbers::pi;
}

bool stands_before(const std::vector<std::size_t>& order, std::size_t from, std::size_t to) {
  const auto place = std::find(order.begin(), order.end(), from);
  return (place + 1 == order.end() ? order.front() : *(place + 1)) == to;
}

namespace {

constexpr double line = 15;  // from one line of words to the next

// In this direction, to the edge of a square that reaches 1 to each side.
RingPoint on_square(double angle) {
  const double longest = std::max(std::abs(std::cos(angle)), std::abs(std::sin(angle)));
  return {std::cos(angle) / longest, std::sin(angle) / longest};
}

// Words of this size that touch a point from this direction. As the point goes round a square they
// stay outside it, and never jump.
Box beside(RingPoint point, double angle, double wide, double high) {
  const RingPoint way = on_square(angle);
  return {point.x + (way.x - 1) / 2 * wide, point.y + (way.y - 1) / 2 * high, wide, high};
}

std::string follow_words(const Diagram& diagram, std::size_t lane,
                         const Diagram::Standing& standing, Language language) {
  if (!standing.up) return std::string(text(Text::diagram_not_there, language));
  if (standing.coordinator && *standing.coordinator != diagram.lanes[lane]) {
    return text(Text::diagram_follows, language, {std::to_string(*standing.coordinator)});
  }
  const bool wins = standing.coordinator == diagram.lanes[lane];
  return (wins ? "★ " : "") + state_words(standing.state, language);
}

// Where the words of an arrow are: inside the ring between neighbours; else on the line between
// the two.
Box channel_box(const std::vector<std::size_t>& order, const RingArrow& arrow, double radius,
                const std::string& words) {
  const double wide = text_width(words, label_font) * 1.1 + 6;
  const double from = ring_angle(order, arrow.from);
  if (stands_before(order, arrow.from, arrow.to)) {
    const double middle = from + way_round(from, ring_angle(order, arrow.to)) / 2;
    return beside(on_circle(radius - 10, middle), middle + std::numbers::pi, wide, line);
  }
  const RingPoint a = on_circle(radius, from);
  const RingPoint b = on_circle(radius, ring_angle(order, arrow.to));
  return {(a.x + b.x - wide) / 2, (a.y + b.y - line) / 2, wide, line};
}

}  // namespace

RingPlaces place_ring(const Diagram& diagram, const RingFrame& frame,
                      const std::vector<std::size_t>& order, double radius, Language language) {
  using Kind = RingPlaces::Label::Kind;
  RingPlaces places;
  places.radius = radius;
  for (const std::size_t lane : order) {
    const Diagram::Standing& standing = frame.standing[lane];
    const double angle = ring_angle(order, lane);
    const RingPoint centre = on_circle(radius, angle);
    const std::string id = std::to_string(diagram.lanes[lane]);
    const double half = std::max(ring_circle, text_width(id, 15) / 2 + 4) + 5;
    places.labels.push_back(
        {Kind::id, {centre.x - half, centre.y - half, 2 * half, 2 * half}, id, lane});
    const std::string state = follow_words(diagram, lane, standing, language);
    const std::string variables = standing.up ? variables_words(standing.variables) : "";
    const double state_wide = text_width(state, label_font);
    const double wide = std::max(state_wide, text_width(variables, label_font) * 1.1);
    const double lines = variables.empty() ? 1 : 2;
    const RingPoint way = on_square(angle);
    const RingPoint edge = {centre.x + way.x * (half + 3), centre.y + way.y * (half + 3)};
    const Box box = beside(edge, angle, wide, lines * line);
    places.labels.push_back({Kind::state, {box.x, box.y, wide, line - 1}, state, lane});
    if (variables.empty()) continue;
    places.labels.push_back(
        {Kind::variables, {box.x, box.y + line, wide, line - 1}, variables, lane});
  }
  for (std::size_t i = 0; i < frame.arrows.size(); ++i) {
    const std::string words = channel_words(diagram, frame.arrows[i]);
    places.labels.push_back(
        {Kind::channel, channel_box(order, frame.arrows[i], radius, words), words, i});
  }
  return places;
}

bool is_clear(const RingPlaces& places) {
  for (std::size_t i = 0; i < places.labels.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (places.labels[i].box.overlaps(places.labels[j].box)) return false;
    }
  }
  return true;
}

}  // namespace bully
