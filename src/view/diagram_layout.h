// diagram_layout.h: where everything of a diagram stands on paper. Units are pixels; y grows
// downwards, with time.
//
// It places, and draws nothing. Labels never overlap: a label that belongs to a step makes its row
// high enough, or, to scale, is moved down; the letter on an arrow is left out where no free place
// for it is found (its line and its tooltip still say what it is). Read next: diagram_svg.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "view/diagram.h"
#include "view/text.h"

namespace bully {

enum class Scale : std::uint8_t { steps, time };

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  bool overlaps(const Box& other) const;
};

struct DiagramLayout {
  struct Label {
    enum class Kind : std::uint8_t { lane, time, cause, outcome, letter };
    Kind kind = Kind::cause;
    Box box;
    std::string words;
    std::size_t of = 0;  // the lane, the step, or the message
  };
  double width = 0;
  double height = 0;  // without the legend
  double top = 0;     // where the lanes begin
  double bottom = 0;  // where they end
  std::vector<double> lane_x;
  std::vector<double> step_y;
  std::vector<Label> labels;
};

// Where a message's line begins and ends.
struct Line {
  double x1 = 0;
  double y1 = 0;
  double x2 = 0;
  double y2 = 0;
};
Line line_of(const DiagramLayout& layout, const Diagram::Message& message);

DiagramLayout lay_out(const Diagram& diagram, Language language, Scale scale);

// How wide `words` are at most in a sans-serif font of this size: none of the usual ones is wider.
double text_width(std::string_view words, double font_size);

inline constexpr double label_font = 12;
inline constexpr double small_font = 10;
// A viewer may refuse a larger picture, and a page of paper could not show it.
inline constexpr double max_picture_side = 4096;

}  // namespace bully
