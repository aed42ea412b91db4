// diagram_stops_test.cc: small runs, written line by line: processes that stop, leave or crash, and
// an arrow without room for its list.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/layout.h"
#include "fixture/drawn.h"
#include "fixture/recorded_run.h"
#include "pictures/diagram.h"
#include "pictures/frames.h"
#include "support/messages.h"
#include "support/process.h"
#include "trace/trace.h"

using namespace bully;

namespace {

constexpr auto en = Language::english;
constexpr auto pt = Language::portuguese;

// A trace that is written line by line, a second after the other.
struct Written {
  void add(Record record) {
    record.t_ns = t_ns += 1'000'000'000;
    record.pid = 7;
    text += trace_line(record);
  }
  void add(NodeId node, TraceEvent event, std::string_view state = "") {
    add({.node = node, .event = event, .state = state});
  }
  Diagram drawn() const { return draw(parse_trace(text, "written")); }

  std::string text;
  std::int64_t t_ns = 0;
};

}  // namespace

TEST_CASE("diagram: who does not react when an excerpt begins is shown so from its first frame") {
  const Trace trace =
      recorded::trace_of(recorded::played("nodes 1..3\npause 2\ncrash 3\nrun 6s\nresume 2\nrun\n"));
  std::size_t asked = 0;  // from then on it should react
  while (trace.records[asked].event != TraceEvent::send) ++asked;
  for (const std::size_t first : {asked, asked + 1}) {
    std::vector<bool> stopped;  // process 2, by frame
    each_frame(draw(trace, {first, trace.records.size()}), [&](const Frame& frame) {
      const auto place = std::ranges::find(frame.places, 1U, &Diagram::Place::lane);
      stopped.push_back(place->node.condition == Condition::stopped);
    });
    CHECK(stopped.front() == (first > asked));
    CHECK(stopped.at(1));
    CHECK(!stopped.back());
  }
}

TEST_CASE("diagram: a run after which all have left awaits no coordinator") {
  Written trace;
  const auto title = [&](Language language) { return title_of(trace.drawn(), language); };
  for (const NodeId node : {1U, 2U}) trace.add(node, TraceEvent::start);
  CHECK(title(en) == "Bully election: 2 processes, 0 messages, no coordinator yet");
  trace.add(2, TraceEvent::state, "coordinator");
  CHECK(title(en) == "Bully election: 2 processes, 0 messages, coordinator 2");
  for (const NodeId node : {2U, 1U}) trace.add(node, TraceEvent::stop);
  CHECK(title(en) == "Bully election: 2 processes, 0 messages, none left at the end");
  CHECK(title(pt) == "Eleição do valentão: 2 processos, 0 mensagens, nenhum restou no fim");
}

TEST_CASE("diagram: one that is stopped has not won, and is marked as stopped") {
  Written trace;
  for (const NodeId node : {2U, 3U}) trace.add(node, TraceEvent::start);
  trace.add(3, TraceEvent::state, "coordinator");
  trace.add(2, TraceEvent::state, "candidate");
  trace.add({.node = 2,
             .event = TraceEvent::send,
             .type = messages::election,
             .from = 2,
             .to = 3,
             .number = 1});
  trace.t_ns += 9'000'000'000;
  trace.add(2, TraceEvent::state, "coordinator");
  const Diagram diagram = trace.drawn();
  CHECK(diagram.winner == 2);
  CHECK(contains(diagram_text(diagram, en), "3, stopped"));
  CHECK(contains(*diagram_svg(diagram, pt, Scale::steps), "3, suspenso"));
}

TEST_CASE("diagram: the note on crashes is there only if one was not recorded") {
  for (const bool is_recorded : {false, true}) {
    CAPTURE(is_recorded);
    Written trace;
    for (const NodeId node : {1U, 2U}) trace.add(node, TraceEvent::start);
    if (is_recorded) trace.add(2, TraceEvent::crash);
    trace.add({.node = 1, .event = TraceEvent::suspect, .reason = "down", .coordinator = 2});
    const Diagram diagram = trace.drawn();
    REQUIRE(diagram.steps.size() == 4);
    CHECK(cause_of(diagram.steps[2], en) == "crashed");
    const std::string found = "The others have just found out.";
    CHECK((count_of(rule_of(diagram.steps[2], en), found) == 0) == is_recorded);
    const std::string note = "Crashes are shown where the others first find out";
    CHECK((count_of(diagram_text(diagram, en), note) == 0) == is_recorded);
    CHECK((count_of(*diagram_svg(diagram, en, Scale::steps), note) == 0) == is_recorded);
  }
}

TEST_CASE("diagram: a list that an arrow has no room for leaves the arrow whole") {
  std::string text;
  const std::string members = R"(,"subject":9,"epoch":1,"members":[1,2,3,4,5,6,7,8,9]})"
                              "\n";
  for (const auto& [from, to] : {std::pair(1, 2), std::pair(2, 1), std::pair(1, 3)}) {
    const auto line = [&, from = from, to = to](int at, int node, const std::string& event) {
      text += "{\"t\":" + std::to_string(at) + ",\"node\":" + std::to_string(node) +
              ",\"pid\":1,\"event\":\"" + event +
              "\",\"type\":\"TC\",\"from\":" + std::to_string(from) +
              ",\"to\":" + std::to_string(to) + ",\"seq\":" + std::to_string(from * 10 + to) +
              members;
    };
    line(from * 10 + to, from, "send");
    line(from * 10 + to + 1, to, "receive");
  }
  const std::string shown = diagram_text(draw(parse_trace(text, "lists")), en);
  CAPTURE(shown);
  const auto arrows = [&](const std::string& end) {
    return std::ranges::count_if(lines_in(shown), [&](const std::string& line) {
      return contains(line, "●") && contains(line, end) && contains(line, " TC ");
    });
  };
  CHECK(arrows("▶") == 2);
  CHECK(arrows("◀") == 1);
  CHECK(count_of(shown, "[1,2,3,…]→") == 2);  // in the columns of a lane
}
