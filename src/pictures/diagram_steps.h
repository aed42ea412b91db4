// diagram_steps.h: makes a diagram (../values/space_time_diagram.h) of a trace's records.
#pragma once

#include <cstddef>
#include <vector>

#include "trace/trace.h"
#include "values/space_time_diagram.h"

namespace bully {

// Notes whether the process of this lane, if it is alive, is among the lanes without reaction.
void note_stop(Snapshot& node, std::size_t lane, const std::vector<std::size_t>& stopped);

// The records of a trace to draw: [first, last).
struct Excerpt {
  std::size_t first = 0;
  std::size_t last = 0;
};

// REQUIRES: excerpt.first <= excerpt.last <= trace.records.size(). Pings and dropped connections
// are left out unless `pings`.
Diagram make_diagram(const Trace& trace, Excerpt excerpt, bool pings);

}  // namespace bully
