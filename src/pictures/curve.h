// curve.h: an arrow's way on paper, straight or with one bend, and the obstacles in it.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pictures/svg.h"

namespace bully {

struct Spot {
  double x = 0;
  double y = 0;
};

inline Spot between(Spot a, Spot b, double part) {
  return {a.x + part * (b.x - a.x), a.y + part * (b.y - a.y)};
}

// A box with a distance that must be kept from it. A dot is a box without extent.
struct Obstacle {
  Box box;
  double distance = 0;

  double distance_of(Spot spot) const {
    const double aside = std::max({box.x - spot.x, spot.x - box.x - box.width, 0.0});
    const double above = std::max({box.y - spot.y, spot.y - box.y - box.height, 0.0});
    return std::hypot(aside, above);
  }
};

// A quadratic Bézier curve. Straight if `bend` is in the middle.
struct Curve {
  Spot from;
  Spot bend;
  Spot to;

  static Curve straight(Spot from, Spot to) { return {from, between(from, to, 0.5), to}; }

  Spot at(double t) const { return between(between(from, bend, t), between(bend, to, t), t); }
  Curve part(double first, double last) const {
    return {at(first), between(between(from, bend, first), between(bend, to, first), last),
            at(last)};
  }
  double length() const { return std::hypot(to.x - from.x, to.y - from.y); }
  // The smallest box with these three points; the curve never leaves it.
  Box hull() const {
    const auto [left, right] = std::minmax({from.x, bend.x, to.x});
    const auto [top, bottom] = std::minmax({from.y, bend.y, to.y});
    return {left, top, right - left, bottom - top};
  }
  bool is_straight() const {
    const Spot middle = between(from, to, 0.5);
    return std::hypot(bend.x - middle.x, bend.y - middle.y) < 0.05;
  }
};

inline bool is_near(const Box& box, const Obstacle& obstacle) {
  const Box& other = obstacle.box;
  const double room = obstacle.distance;
  return box.x <= other.x + other.width + room && other.x <= box.x + box.width + room &&
         box.y <= other.y + other.height + room && other.y <= box.y + box.height + room;
}

inline bool touches(const Curve& curve, const Obstacle& obstacle) {
  const Box hull = curve.hull();
  if (!is_near(hull, obstacle)) return false;
  if (hull.width + hull.height < 2) {
    return obstacle.distance_of(curve.at(0.5)) <= obstacle.distance;
  }
  return touches(curve.part(0, 0.5), obstacle) || touches(curve.part(0.5, 1), obstacle);
}

// The parts of a curve outside all obstacles, from its beginning.
inline std::vector<Curve> parts_outside(const Curve& curve, std::vector<Obstacle> obstacles) {
  std::erase_if(obstacles, [&](const Obstacle& obstacle) { return !touches(curve, obstacle); });
  if (obstacles.empty()) return {curve};
  const double count = std::ceil(std::max(8.0, 2 * curve.length()));
  std::vector<Curve> parts;
  double begin = -1;
  for (double i = 0; i <= count + 1; ++i) {
    const auto is_in = [&](const Obstacle& obstacle) {
      return obstacle.distance_of(curve.at(i / count)) <= obstacle.distance;
    };
    const bool is_free = i <= count && std::ranges::none_of(obstacles, is_in);
    if (is_free && begin < 0) begin = i;
    if (is_free || begin < 0) continue;
    if (i - 1 > begin) parts.push_back(curve.part(begin / count, (i - 1) / count));
    begin = -1;
  }
  return parts;
}

// As an SVG path.
inline std::string path_of(const std::vector<Curve>& parts) {
  std::string path;
  for (const Curve& part : parts) {
    path += (path.empty() ? "M" : " M") + svg_point(part.from.x, part.from.y);
    path += part.is_straight() ? " L" : " Q" + svg_point(part.bend.x, part.bend.y) + ' ';
    path += svg_point(part.to.x, part.to.y);
  }
  return path;
}

}  // namespace bully
