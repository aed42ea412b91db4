// judges.h: who judges a run: one class for each thing that can be broken, in one table.
//
// A judge goes through the trace once and tells its breaches and doubts to the report. Whether it
// is asked follows from what the nodes run (Jurisdiction) and from nothing else.
// For verdict.cc alone. Read next: judges_common.cc, judges_bully.cc, judges_ring.cc.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "trace/verdict.h"

namespace bully {

// Of which runs something must hold.
enum class Jurisdiction : std::uint8_t {
  every_run,      // even one whose nodes run different algorithms
  one_algorithm,  // all nodes run the same, whichever
  everyone,       // and each sends to every other
  ring,           // and each sends to its clockwise neighbour only
};
bool is_within(Jurisdiction jurisdiction, const Algorithm* algorithm);

// What a judge may look at, and where it says what it finds.
struct Walk {
  const Trace& trace;
  const Causality& pairs;
  const Census& census;
  Report& report;

  Record at(std::size_t i) const { return trace.records[i]; }
  void breach(RunProperty property, Manner manner, NodeId node, NodeId other,
              std::vector<std::size_t> records) const {
    report.breaches.push_back({property, manner, node, other, std::move(records)});
  }
};

class Judge {
 public:
  explicit Judge(const Walk& walk) : walk_(walk) {}
  virtual ~Judge() = default;
  // Each record, by time.
  virtual void see(std::size_t /*record*/) {}
  // All have been seen.
  virtual void end() {}

 protected:
  const Walk& walk_;
};

struct JudgeRow {
  Jurisdiction jurisdiction;
  std::unique_ptr<Judge> (*appoint)(const Walk& walk);
};
std::span<const JudgeRow> common_judges();
std::span<const JudgeRow> bully_judges();
std::span<const JudgeRow> ring_judges();

template <class Kind>
std::unique_ptr<Judge> appoint(const Walk& walk) {
  return std::make_unique<Kind>(walk);
}

}  // namespace bully
