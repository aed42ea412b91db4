// verdict_observed_test.cc: what is shown of processes that were seen on their links alone. They
// are never judged.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "base/carried.h"
#include "base/json.h"
#include "fixture/recorded_run.h"
#include "mutants/bully_mutants.h"
#include "pictures/diagram.h"
#include "pictures/diagram_steps.h"
#include "support/messages.h"
#include "support/process.h"
#include "view/check_report.h"

using namespace bully;
using namespace bully::recorded;

namespace {

// What links show of the processes `who`; empty: of all. A recorder knows no PIDs.
std::vector<Record> seen(const std::vector<Record>& full, const std::set<NodeId>& who = {}) {
  using enum TraceEvent;
  std::vector<Record> records;
  for (Record record : full) {
    if (who.empty() || who.contains(record.node)) {
      const bool is_inside = record.event == state || record.event == rule ||
                             record.event == timeout || record.event == suspect ||
                             record.event == drop || is_about_ping(record);
      if (is_inside) continue;
      Environment environment = environment_of(record);
      environment.observed = record.event == start;
      environment.from_reply = record.event == coordinator;
      record.environment = std::make_shared<const Environment>(environment);
      record.pid = 0;
    }
    records.push_back(record);
  }
  return records;
}

// Not judged, by its report and in words: nothing says who was coordinator of whom, or how long
// anything took.
void check_is_not_judged(const std::vector<Record>& records) {
  const Trace trace = trace_of(records);
  const Report report = check_trace(trace);
  CHECK(report.verdict == RunVerdict::cannot_tell);
  CHECK(report.violations.empty());
  CHECK(report.properties.empty());
  CHECK(report.elections.empty());
  REQUIRE(report.reasons.size() == 1);
  CHECK(report.reasons[0].doubt == Doubt("observed"));
  const std::string page = check_report(trace, report, Language::english, false);
  CHECK(page.starts_with("INCONCLUSIVE"));
  for (const char* absent : {"RIGHT", "VIOLATED", "coordinator of", " ms", " µs", "textbook  "}) {
    CAPTURE(absent);
    CHECK(!contains(page, absent));
  }
}

}  // namespace

TEST_CASE("check: a run recorded from outside is never judged, though only one process was") {
  for (const CarriedText& lesson : lessons()) {
    CAPTURE(lesson.name);
    const std::vector<Record> own = played(lesson.text);
    check_is_not_judged(seen(own));
    check_is_not_judged(seen(own, {own.front().node}));
  }
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      check_is_not_judged(seen(swept(faulty(algorithm, seed), seed)));
    }
  }
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SweepOptions options = faulty(default_algorithm(), seed);
    check_is_not_judged(seen(swept(options, seed, mutants(Mutation::no_answer))));
  }
}

TEST_CASE("check: of a run recorded from outside it shows what its links show") {
  // Coordinator 4 dies, and 1 notices.
  const std::vector<Record> own = run_of(default_algorithm(), {1, 2, 3}, {1});
  std::vector<Record> records = seen(own);
  SUBCASE("as the recorder has written it") {}
  SUBCASE("also if the processes have written into the same file") {
    for (Record record : own) {
      record.pid = 100;
      records.push_back(record);
    }
    std::ranges::stable_sort(records, {}, &Record::t_ns);
  }
  const Trace trace = trace_of(records);
  const Report report = check_trace(trace);
  const std::optional<Links> seen_there = links_of(trace);
  REQUIRE(seen_there);
  const Links& links = *seen_there;
  CHECK(links.observed == std::vector<NodeId>{1, 2, 3, 4});
  CHECK(links.all.of(messages::election) == 6);
  CHECK(links.all.of(messages::answer) == 3);
  CHECK(links.sent.at(1).of(messages::election) == 3);
  CHECK(links.sent.at(3).of(messages::coordinator) == 2);
  CHECK(links.announced.at(3) == std::set<NodeId>{1, 2});
  CHECK(links.named.at(1) == std::vector<NodeId>{4, 3});

  const std::string page = check_report(trace, report, Language::english, false);
  CAPTURE(page);
  for (const char* part : {"on the links of these nodes: 1, 2, 3, 4.", "States and",
                           "a dead process refuses", "`bully grade`", "to 1, 2\n", "1  4, 3\n"}) {
    CAPTURE(part);
    CHECK(contains(page, part));
  }
  const std::string portuguese = check_report(trace, report, Language::portuguese, false);
  CHECK(portuguese.starts_with("INCONCLUSIVA"));
  CHECK(portuguese.find("Gravado de fora") != std::string::npos);

  const std::optional<Json> json = parse_json(check_json(trace, report));
  REQUIRE(json);
  CHECK((*json)["verdict"].text == "INCONCLUSIVE");
  CHECK((*json)["evidence"]["observed"].elements.size() == 4);
  CHECK((*json)["messages"]["E"].as_unsigned() == 6);
  CHECK((*json)["sent"].elements.size() == links.sent.size());
  CHECK((*json)["announced"].elements.size() == links.announced.size());
  CHECK((*json)["named"].elements.size() == links.named.size());
  for (const char* absent : {"properties", "violations", "elections", "two_coordinators"}) {
    CHECK((*json)[absent].kind == Json::Kind::null);
  }
}

TEST_CASE("check: of a ring that was recorded as a bully the ring's messages are counted") {
  std::vector<Record> records = seen(run_of(ring(), {1, 3, 2}, {3}));
  for (Record& record : records) {
    if (record.event == TraceEvent::start) record.algorithm = default_algorithm().name;
  }
  check_is_not_judged(records);
  const Trace trace = trace_of(records);
  const Report report = check_trace(trace);
  CHECK(links_of(trace)->all.of(messages::value) > 0);
  CHECK(check_report(trace, report, Language::english, false).find("VALUE") != std::string::npos);
}

TEST_CASE("trace: that a node was observed stands in its start, and is read again") {
  const Record start{
      .t_ns = 7,
      .node = 3,
      .algorithm = "bully",
      .environment = std::make_shared<const Environment>(Environment{.observed = true})};
  const std::string line = trace_line(start);
  CHECK(line ==
        "{\"t\":7,\"node\":3,\"pid\":0,\"event\":\"start\",\"algorithm\":\"bully\",\"observed\":"
        "true}\n");
  CHECK(environment_of(parse_trace_line(line.substr(0, line.size() - 1))).observed);
  CHECK(environment_of(parse_trace(line, "t").records[0]).observed);
  CHECK_THROWS_AS(parse_trace_line(R"({"t":7,"node":3,"pid":0,"event":"start","observed":"yes"})"),
                  TraceError);
}

TEST_CASE("diagram: of an observed run nothing is drawn that was not seen") {
  const Trace trace = trace_of(seen(run_of(default_algorithm(), {1, 2, 3}, {1})));
  const Diagram diagram = make_diagram(trace, timeline_of(trace), {0, trace.records.size()}, false);
  CHECK(diagram.winner == 3);
  CHECK(states_in(diagram).empty());
  for (const Diagram::Step& step : diagram.steps) {
    // No sending is drawn at a step of another time.
    for (const Record& record : step.records) CHECK(record.t_ns - step.t_ns <= 10'000'000);
    if (step.event != TraceEvent::crash && step.event != TraceEvent::start) {
      CHECK(rule_of(step, Language::english).starts_with("Seen from outside"));
    }
  }
  const std::string picture = diagram_text(diagram, Language::english);
  CHECK(picture.find("no coordinator yet") == std::string::npos);
  CHECK(picture.find("3 ★") != std::string::npos);
  CHECK(picture.find("seen") != std::string::npos);
}

TEST_CASE("diagram: without the line that says so, nobody counts as seen from outside") {
  std::vector<Record> records = seen(run_of(default_algorithm(), {1, 2, 3}, {1}));
  std::erase_if(records, [](const Record& record) { return record.event == TraceEvent::start; });
  const Trace trace = trace_of(records);
  const Diagram diagram = make_diagram(trace, timeline_of(trace), {0, trace.records.size()}, false);
  CHECK(!diagram.observed);
  CHECK(!diagram.winner);
}
