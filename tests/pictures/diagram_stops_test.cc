// diagram_stops_test.cc: small runs: processes that stop, leave or crash, and an arrow without room
// for its list.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "fixture/drawn.h"
#include "fixture/recorded_run.h"
#include "fixture/session.h"
#include "pictures/frames.h"

using namespace bully;

TEST_CASE("diagram: who does not react when an excerpt begins is shown so from its first frame") {
  const Trace trace =
      recorded::trace_of(recorded::played("nodes 1..3\npause 2\ncrash 3\nrun 6s\nresume 2\nrun\n"));
  std::size_t asked = 0;  // after it was stopped
  while (trace.records[asked].event != TraceEvent::send) ++asked;
  for (const std::size_t first : {asked, asked + 1}) {
    std::vector<bool> stopped;  // process 2, by frame
    each_frame(draw(trace, {first, trace.records.size()}), [&](const Frame& frame) {
      const auto place = std::ranges::find(frame.places, 1U, &Diagram::Place::lane);
      stopped.push_back(place->node.condition == Condition::stopped);
    });
    CHECK(stopped.front());
    CHECK(stopped.at(1));
    CHECK(!stopped.back());
  }
}

TEST_CASE("diagram: small runs with processes that stop, leave or crash") {
  check_session("tests/pictures/small.session");
}
