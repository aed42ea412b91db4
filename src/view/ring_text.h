// ring_text.h: an election on a ring for a terminal, one picture below the other: the processes on
// a ring, what each of them is, its variables, and on each arrow what is on its way.
//
// Where the ring is too wide for a terminal, its processes stand one below the other.
#pragma once

#include <string>

#include "view/diagram.h"
#include "view/text.h"

namespace bully {

std::string ring_text(const Diagram& diagram, Language language);

}  // namespace bully
