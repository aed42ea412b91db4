// diagram_rules_test.cc: the rule shown at a step is the one that fired there.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/carried.h"
#include "fixture/drawn.h"
#include "fixture/recorded_run.h"
#include "pictures/diagram.h"
#include "trace/trace.h"

using namespace bully;

namespace {

// A rule, and the event that the process was acting on.
using Fired = std::pair<std::string, TraceEvent>;
using FiredBy = std::map<NodeId, std::vector<Fired>>;

bool is_reaction(TraceEvent event) {
  using enum TraceEvent;
  return event == send || event == state || event == coordinator || event == rule || event == wait;
}

FiredBy fired_in(const Trace& trace) {
  FiredBy all;
  std::map<NodeId, TraceEvent> acts_on;
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const Record& record = trace.records[i];
    if (!is_reaction(record.event)) acts_on[record.node] = record.event;
    if (record.event != TraceEvent::rule) continue;
    all[record.node].emplace_back(record.rule, acts_on.at(record.node));
  }
  return all;
}

// A step without an event of its own shows the rules of one that the trace merely mentions.
FiredBy fired_in(const Diagram& diagram) {
  FiredBy all;
  for (const Diagram::Step& step : diagram.steps) {
    std::set<std::string> rules;
    for (const Record& record : step.records) {
      if (record.event != TraceEvent::rule) continue;
      const TraceEvent event = is_reaction(step.event) ? TraceEvent::step : step.event;
      all[diagram.lanes[step.lane]].emplace_back(record.rule, event);
      CHECK_MESSAGE(rules.insert(std::string(record.rule)).second, record.rule);
    }
  }
  return all;
}

void check_rules(const Trace& trace) {
  const Diagram diagram = draw(trace);
  CAPTURE(title_of(diagram, Language::english));
  CHECK(fired_in(diagram) == fired_in(trace));
}

}  // namespace

TEST_CASE("diagram: each step has the rules that fired there, once, in each lesson and real run") {
  for (const CarriedText& lesson : lessons()) {
    CAPTURE(lesson.name);
    check_rules(recorded::trace_of(recorded::played(lesson.text)));
  }
  for (const std::string name : {"election", "ring"}) {
    check_rules(read_traces({"tests/golden/" + name + ".jsonl"}));
  }
}
