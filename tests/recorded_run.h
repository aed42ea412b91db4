// recorded_run.h: simulated elections of any algorithm, as traces to be judged.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/experiments.h"
#include "sim/world.h"
#include "support/played.h"
#include "trace/trace.h"
#include "trace/verdict.h"

namespace bully::recorded {

// All that happens, as a trace would have it.
struct Recorder : Sink {
  explicit Recorder(const Algorithm& algorithm) : name(algorithm.name) {}
  void record(const Record& record) override {
    records.push_back(record);
    if (record.event == TraceEvent::start) records.back().algorithm = name;
  }
  std::string_view name;
  std::vector<Record> records;
};

// The same as the text of a trace.
struct TraceText : Sink {
  void record(const Record& record) override { text += trace_line(record); }
  std::string text;
};

inline Trace trace_of(const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) text += trace_line(record);
  return parse_trace(text, "t");
}

// As if each process had written these lines: a test's change is no damage that shows.
inline std::vector<Record> renumbered(std::vector<Record> records) {
  std::map<NodeId, std::uint64_t> lines;
  for (Record& record : records) {
    if (record.event == TraceEvent::start) lines[record.node] = 0;
    if (record.n > 0) record.n = ++lines[record.node];
  }
  return records;
}

// By everything but the processes' rules: else a replica would find each change first.
inline Report judged(const std::vector<Record>& records) {
  Report report = check_trace(trace_of(renumbered(records)));
  std::erase_if(report.violations, [](const Violation& violation) {
    return violation.property == &properties::by_rules;
  });
  if (report.verdict == RunVerdict::violated && report.violations.empty()) {
    report.verdict = report.reasons.empty() ? RunVerdict::right : RunVerdict::cannot_tell;
  }
  return report;
}
inline Report judged_first(const std::vector<Record>& records, std::size_t size) {
  return judged({records.begin(), records.begin() + static_cast<std::ptrdiff_t>(size)});
}

// The properties that are broken, by name.
inline std::string broken(const Report& report) {
  std::string names;
  for (const Violation& violation : report.violations) {
    const std::string name(violation.property->key);
    if (names.find(name) == std::string::npos) names += (names.empty() ? "" : " ") + name;
  }
  return names;
}
inline std::string broken(const std::vector<Record>& records) {
  return broken(judged(records));
}

// "ends/stood-still": the first that is broken, and how; or else the first doubt.
inline std::string first_reason(const Report& report) {
  if (!report.violations.empty()) {
    const Violation& first = report.violations.front();
    return std::string(first.property->key) + '/' + std::string(first.kind.name());
  }
  return report.reasons.empty() ? "" : std::string(report.reasons.front().doubt.name());
}

// That this property alone is broken, first by `node`, towards `other`.
inline void check_accuses(const std::vector<Record>& records, std::string_view property,
                          NodeId node, NodeId other) {
  const Report report = judged(records);
  CHECK(report.verdict == RunVerdict::violated);
  REQUIRE(broken(report) == property);
  CHECK(report.violations[0].node == node);
  CHECK(report.violations[0].other == other);
}

using Which = bool (*)(const Record&);
inline std::size_t first_of(const std::vector<Record>& records, Which which) {
  const auto found = std::ranges::find_if(records, which);
  REQUIRE(found != records.end());
  return static_cast<std::size_t>(found - records.begin());
}

inline WorldOptions quiet(const Algorithm& algorithm) {
  WorldOptions options;
  options.detection = Detector::off;
  options.algorithm = &algorithm;
  return options;
}

inline const Algorithm& ring() {
  return *find_algorithm("dolev-klawe-rodeh");
}

// `order`, clockwise, with a coordinator above them that crashes; `detectors` notice.
inline std::vector<Record> run_of(const Algorithm& algorithm, const std::vector<NodeId>& order,
                                  const std::vector<NodeId>& detectors) {
  Recorder recorder(algorithm);
  World world(quiet(algorithm), &recorder, algorithm.make);
  std::vector<NodeId> all = order;
  const NodeId gone = *std::ranges::max_element(order) + 1;
  all.push_back(gone);
  world.preset(all);
  world.arrange(all);
  world.crash(gone);
  for (const NodeId detector : detectors) world.suspect(detector);
  world.run_until_settled(std::chrono::seconds(100));
  return recorder.records;
}

// A script, played in virtual time by nodes that `make` makes, if it makes any.
inline std::vector<Record> played(std::string_view script, const ProtocolMaker& make = {}) {
  Recorder recorder(parsed(script).algorithm());
  play_script(script, make, &recorder);
  return recorder.records;
}

// Six processes that crash, come back and are stopped, as chance will have it.
inline SweepOptions faulty(const Algorithm& algorithm, std::uint64_t seed) {
  SweepOptions options;
  options.nodes = 6;
  options.crashes = 3;
  options.restarts = 2;
  options.pauses = 2;
  options.world.algorithm = &algorithm;
  options.world.delay = {Delay::Shape::uniform, std::chrono::milliseconds(1),
                         std::chrono::milliseconds(30)};
  options.world.detection = seed % 2 == 0 ? Detector::ping : Detector::eof;
  return options;
}
inline std::vector<Record> swept(const SweepOptions& options, std::uint64_t seed,
                                 const ProtocolMaker& make = {}) {
  Recorder recorder(*options.world.algorithm);
  sweep_one(options, seed, &recorder, make);
  return recorder.records;
}

// Whether this is among the reasons why nothing can be said.
inline bool doubts(const Report& report, Doubt doubt) {
  return std::ranges::count(report.reasons, doubt, &Reason::doubt) > 0;
}

}  // namespace bully::recorded
