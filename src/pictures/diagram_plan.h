// diagram_plan.h: the places of everything in the space-time diagram (diagram_svg.cc), before it is
// drawn.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pictures/curve.h"
#include "pictures/diagram.h"

namespace bully {

struct DiagramPlan {
  struct Label {
    std::string_view kind;
    Box box;
    std::string words;
  };

  double width = 0;
  double bottom = 0;           // the end of the lanes
  std::vector<double> lane_x;  // by lane
  std::vector<Box> heads;      // by lane: the box of its id
  std::vector<double> step_y;  // by step
  std::vector<Label> labels;   // none overlaps another, or a head
  // By message: its way from the sender to the receiver, which has gaps where a label is, and, if
  // the picture has room, where another arrow's dot is.
  std::vector<std::vector<Curve>> arrows;
};

inline constexpr double time_width = 76;
inline constexpr double header_y = 76;
inline constexpr double lanes_y = header_y + 24;  // the beginning of the lanes
inline constexpr double legend_room = 170;
inline constexpr double cross_arm = 5;  // of a lost message

// "4", "4, stopped".
std::string head_words(const Diagram& diagram, std::size_t lane, Language language);

// The radius of the mark of a step.
double mark_radius(TraceEvent event);

DiagramPlan plan_of(const Diagram& diagram, Language language);

}  // namespace bully
