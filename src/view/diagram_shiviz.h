// diagram_shiviz.h: a run as a log for the ShiViz visualizer, with vector clocks worked out from
// the trace. Two lines for each record:
//
//   HOST {"HOST":1, …}
//   what happened
//
// ShiViz reads it with the parser that it offers at first: (?<host>\S*)
// (?<clock>{.*})\n(?<event>.*) Its clocks count the records that are shown, and only those.
#pragma once

#include <string>

#include "view/diagram.h"
#include "view/text.h"

namespace bully {

std::string diagram_shiviz(const Diagram& diagram, Language language);

}  // namespace bully
