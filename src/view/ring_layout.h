// ring_layout.h: where everything of one picture of a ring stands on paper. Units are pixels; y
// grows downwards, and (0, 0) is the centre of the ring. Angles are radians, clockwise from the
// right.
//
// It places, and draws nothing. Read next: ring_svg.h.
#pragma once

#include <string>
#include <vector>

#include "view/diagram_layout.h"
#include "view/ring_frames.h"

namespace bully {

inline constexpr double ring_circle = 17;  // a process's radius

struct RingPoint {
  double x = 0;
  double y = 0;
};
RingPoint on_circle(double radius, double angle);
// Where a lane stands: the first of `order` at the top, the others clockwise.
double ring_angle(const std::vector<std::size_t>& order, std::size_t lane);
// From one process clockwise to another: an angle in (0, 2π].
double way_round(double from, double to);
bool stands_before(const std::vector<std::size_t>& order, std::size_t from, std::size_t to);

struct RingPlaces {
  struct Label {
    enum class Kind : std::uint8_t { id, state, variables, channel };
    Kind kind = Kind::state;
    Box box;
    std::string words;
    std::size_t of = 0;  // the lane, or the arrow
  };
  double radius = 0;
  std::vector<Label> labels;  // circles are among them, as their ids
};

// REQUIRES: `frame` is one of `diagram`.
RingPlaces place_ring(const Diagram& diagram, const RingFrame& frame,
                      const std::vector<std::size_t>& order, double radius, Language language);

// Whether no two labels overlap.
bool is_clear(const RingPlaces& places);

}  // namespace bully
