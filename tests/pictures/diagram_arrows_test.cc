// diagram_arrows_test.cc: each arrow of a picture can be told from the others, and hides no label.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/carried.h"
#include "fixture/drawn.h"
#include "fixture/labels.h"
#include "fixture/recorded_run.h"
#include "pictures/curve.h"
#include "pictures/diagram.h"
#include "pictures/diagram_plan.h"
#include "support/markup.h"
#include "support/messages.h"
#include "support/process.h"
#include "trace/trace.h"

using namespace bully;

namespace {

constexpr auto en = Language::english;
constexpr auto pt = Language::portuguese;

// Points of a path of lines and quadratic curves, a few pixels apart or nearer.
std::vector<Spot> points_of(const std::string& path) {
  std::vector<Spot> points;
  std::istringstream rest(path);
  Spot now;
  const auto next = [&] {
    Spot spot;
    rest >> spot.x >> spot.y;
    return spot;
  };
  for (char command = 0; rest >> command;) {
    REQUIRE(std::string_view("MLQ").find(command) != std::string_view::npos);
    const Spot bend = command == 'Q' ? next() : now;
    const Spot to = next();
    const Curve curve = command == 'Q' ? Curve{now, bend, to} : Curve::straight(now, to);
    for (int i = 0; command != 'M' && i <= 300; ++i) points.push_back(curve.at(i / 300.0));
    now = to;
  }
  return points;
}

// The smallest box with all these points.
Box room_of(const std::vector<Spot>& points) {
  const auto [left, right] = std::ranges::minmax(points, {}, &Spot::x);
  const auto [top, bottom] = std::ranges::minmax(points, {}, &Spot::y);
  return {left.x, top.y, right.x - left.x, bottom.y - top.y};
}

// No arrow goes through a label, nor, if `has_room`, within 6 pixels of another arrow's dot or
// cross.
void check_arrows(const Diagram& diagram, Language language) {
  const auto svg = diagram_svg(diagram, language);
  if (!svg) return;
  const bool has_room = diagram.messages.size() <= 30;
  const std::vector<Box> boxes = label_boxes(*svg);
  std::vector<Shape> dots = shapes_in(*svg, "circle");
  std::erase_if(dots, [](const Shape& dot) { return dot.at("r") == 3; });  // ends in flight
  const DiagramPlan plan = plan_of(diagram, language);
  std::size_t arrow = 0;
  for (const Shape& path : shapes_in(*svg, "path")) {
    if (!path.attributes.contains("class") || !path.kind().starts_with("message ")) continue;
    const Diagram::Message& message = diagram.messages.at(arrow++);
    const auto is_own = [&](const Shape& dot) {
      const auto at = [&](const std::optional<std::size_t>& step) {
        return step && std::abs(dot.at("cx") - plan.lane_x[diagram.steps[*step].lane]) < 0.2 &&
               std::abs(dot.at("cy") - plan.step_y[*step]) < 0.2;
      };
      return at(message.sent) || at(message.ended);
    };
    CAPTURE(sentence_of(diagram, message, language));
    std::size_t in_labels = 0;
    std::size_t near_dots = 0;
    const std::vector<Spot> points = points_of(path.attributes.at("d"));
    const Box room = room_of(points);
    const auto comes_near = [&](const Obstacle& obstacle) {
      return is_near(room, obstacle) && std::ranges::any_of(points, [&](Spot spot) {
               return obstacle.distance_of(spot) < std::max(obstacle.distance, 1e-9);
             });
    };
    for (const Diagram::Message& other : diagram.messages) {
      if (!has_room || !other.lost || &other == &message) continue;
      const Spot cross = plan.arrows[std::size_t(&other - diagram.messages.data())].back().to;
      near_dots += comes_near({{cross.x, cross.y, 0, 0}, 5 + 6}) ? 1U : 0U;
    }
    for (const Box& box : boxes) in_labels += comes_near({box, 0}) ? 1U : 0U;
    for (const Shape& dot : dots) {
      if (!has_room || is_own(dot)) continue;
      const Box place{dot.at("cx"), dot.at("cy"), 0, 0};
      near_dots += comes_near({place, dot.at("r") + 6}) ? 1U : 0U;
    }
    CHECK(in_labels == 0);
    CHECK(near_dots == 0);
  }
  CHECK(arrow == diagram.messages.size());
  const auto letters = std::ranges::count(plan.labels, "letter", &DiagramPlan::Label::kind);
  CHECK(static_cast<std::size_t>(letters) == arrow);
}

// The golden elections and each lesson, if its rows are not as close as in a large picture.
void check_all_arrows(Language language) {
  constexpr std::size_t most_messages = 60;
  std::vector<Diagram> all = {drawn_election("election", 6), drawn_election("ring", 2),
                              draw(read_traces({"tests/golden/ring.jsonl"}))};
  for (const CarriedText& lesson : lessons()) {
    all.push_back(draw(recorded::trace_of(recorded::played(lesson.text))));
  }
  std::size_t few = 0;
  for (const Diagram& diagram : all) {
    CAPTURE(title_of(diagram, en));
    if (diagram.messages.size() > most_messages) continue;
    few += diagram.messages.size() <= 30 ? 1U : 0U;
    check_arrows(diagram, language);
  }
  CHECK(few > 15);
}

}  // namespace

TEST_CASE("diagram: no arrow goes through a label, nor past another arrow's dot if there is room") {
  CHECK(diagram_svg(drawn_election("ring", 2), en) == golden("ring.svg"));
  check_all_arrows(en);
}
TEST_CASE("diagram: nor does one in Portuguese") {
  check_all_arrows(pt);
}
