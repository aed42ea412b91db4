// diagram_svg.h: the space-time diagram as a picture that stands by itself, for a report or a
// slide: title, legend, and a tooltip on each line and mark. Nothing is told by colour alone, so it
// can be printed in grey. Read next: diagram_layout.h, for where things stand.
#pragma once

#include <optional>
#include <string>

#include "view/diagram.h"
#include "view/diagram_layout.h"
#include "view/text.h"

namespace bully {

// Nothing where a side would be longer than max_picture_side.
std::optional<std::string> diagram_svg(const Diagram& diagram, Language language, Scale scale);

}  // namespace bully
