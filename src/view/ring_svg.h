// ring_svg.h: an election on a ring as the textbook draws it: a picture for each step, in rows, in
// one drawing that stands by itself. Circles are the processes, black ones the relays; beside each
// is what it is, and its variables; on each arrow, what is on its way.
//
// It can be printed in grey. Labels never overlap: the rings are as large as that takes.
// Read next: ring_layout.h, for where things stand; ring_frames.h, for what is on which arrow.
#pragma once

#include <optional>
#include <string>

#include "view/diagram.h"
#include "view/text.h"

namespace bully {

// Nothing where a side would be longer than max_picture_side.
std::optional<std::string> ring_svg(const Diagram& diagram, Language language);

}  // namespace bully
