// diagram_stops_test.cc: small runs: processes that stop, leave or crash, and an arrow without room
// for its list.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "fixture/drawn.h"
#include "fixture/recorded_run.h"
#include "fixture/session.h"
#include "fixture/started.h"
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

TEST_CASE("diagram: a message to a process without a trace leaves the picture with the next step") {
  Trace trace = recorded::trace_of(recorded::played("nodes 1..3\ncrash 3\nrun 6s\npause 2\n"));
  std::erase_if(trace.records, [](const Record& record) { return record.node == 1; });
  std::vector<std::size_t> under_way;  // by frame
  each_frame(draw(trace, {0, trace.records.size()}),
             [&](const Frame& frame) { under_way.push_back(frame.under_way.size()); });
  CHECK(std::ranges::max(under_way) > 0);
  CHECK(under_way.back() == 0);
}

// The sides by frame, where they change; no process of it is ever drawn as stopped.
std::vector<std::vector<std::uint64_t>> sides_of(const std::string& script) {
  const Trace trace = recorded::trace_of(recorded::played(script));
  std::vector<std::vector<std::uint64_t>> sides;
  each_frame(draw(trace, {0, trace.records.size()}), [&](const Frame& frame) {
    if (sides.empty() || sides.back() != frame.sides) sides.push_back(frame.sides);
    for (const Diagram::Place& place : frame.places) {
      CHECK(place.node.condition != Condition::stopped);
    }
  });
  return sides;
}

TEST_CASE("diagram: a cut has its sides while it lasts, and whom it isolates is not stopped") {
  using Sides = std::vector<std::vector<std::uint64_t>>;
  CHECK(sides_of("nodes 1..5\npartition 1..2 from 3..5\nrun\nheal\nrun 3s\n") ==
        Sides{{}, {1, 1, 2, 2, 2}, {}});
  CHECK(sides_of("nodes 1..4\npartition 4 from 1..3\nrun\n") == Sides{{}, {1, 1, 1, 2}});
  // A second cut, and a process that comes back while the network is cut.
  CHECK(sides_of("nodes 1..4\npartition 1..2 from 3..4\nrun\npartition 3 from 4\nrun\n") ==
        Sides{{}, {1, 1, 2, 2}, {1, 1, 2, 3}});
  CHECK(sides_of("nodes 1..4\npartition 1..2 from 3..4\ncrash 4\nrestart 4\nrun\n").back() ==
        std::vector<std::uint64_t>{1, 1, 2, 2});
}

TEST_CASE("diagram: a process that continues is not stopped any more, whoever found it silent") {
  const Trace trace =
      recorded::trace_of(recorded::played("nodes 1..3\npause 3\nrun 6s\nresume 3\nrun\n"));
  const Diagram diagram = draw(trace, {0, trace.records.size()});
  const auto resumed = std::ranges::find(diagram.steps, TraceEvent::resume, &Diagram::Step::event);
  REQUIRE(resumed != diagram.steps.end());
  CHECK(!std::prev(resumed)->stopped.empty());
  CHECK(resumed->stopped.empty());
}

TEST_CASE("diagram: a slow process that others find silent is not stopped, a silent one may be") {
  for (const bool goes_on : {true, false}) {
    CAPTURE(goes_on);
    std::string lines = start_line(1, 7, 1'000) + start_line(2, 8, 2'000);
    lines += R"({"t":9000,"node":1,"pid":7,"n":2,"event":"suspect","coordinator":2,)"
             R"("reason":"hung"})"
             "\n";
    if (goes_on) {
      lines += R"({"t":9500,"node":2,"pid":8,"n":2,"event":"state","state":"follower"})"
               "\n";
    }
    const Diagram diagram = draw(parse_trace(lines, "silent"), {2, goes_on ? 4U : 3U});
    CHECK(diagram.steps.front().stopped.empty() == goes_on);
  }
}

TEST_CASE("diagram: small runs with processes that stop, leave or crash") {
  check_session("tests/pictures/small.session");
}

TEST_CASE("diagram: a process that was found gone, was only slow, and is suspected later") {
  Trace trace;
  for (const char* line : {
           R"({"t":1,"node":1,"pid":7,"n":1,"event":"start","algorithm":"bully","detector":"ping",)"
           R"("ping_interval_ns":1000000000,"ping_timeout_ns":1000000000,)"
           R"("answer_timeout_ns":500000000,"coordinator_timeout_ns":1000000000,"pace_ns":0})",
           R"({"t":2,"node":2,"pid":7,"event":"start","observed":true})",
           R"({"t":3,"node":1,"pid":7,"n":2,"event":"send","type":"E","from":1,"to":2,"seq":2})",
           R"({"t":4,"node":1,"pid":7,"n":3,"event":"lost","type":"E","from":1,"to":2,"seq":2,)"
           R"("reason":"gone"})",
           R"({"t":5,"node":2,"pid":7,"event":"send","type":"PE","from":2,"to":1,"seq":1})",
           R"({"t":6,"node":1,"pid":7,"n":4,"event":"suspect","coordinator":2,"reason":"hung"})",
       }) {
    trace.records.push_back(parse_trace_line(line));
  }
  const Diagram diagram = draw(trace, {0, trace.records.size()});
  CHECK(diagram.after.back().condition == Condition::stopped);
}
