// recorded_run.h: simulated elections of any algorithm, as traces to be judged.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "sim/world.h"
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

inline Trace trace_of(const std::vector<Record>& records) {
  std::string text;
  for (const Record& record : records) text += trace_line(record);
  return parse_trace(text, "t");
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
  return broken(check_trace(trace_of(records)));
}

inline WorldOptions quiet(const Algorithm& algorithm) {
  WorldOptions options;
  options.detection = Detection::off;
  options.fifo = algorithm.is_fifo;
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
  const NodeId gone = *std::max_element(order.begin(), order.end()) + 1;
  all.push_back(gone);
  world.preset(all);
  world.arrange(all);
  world.crash(gone);
  for (const NodeId detector : detectors) world.suspect(detector);
  world.run_until_settled(std::chrono::seconds(100));
  return recorder.records;
}
}  // namespace bully::recorded
