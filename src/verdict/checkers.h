// checkers.h: a checker for each property of whole runs, such as by-rules, ends, sent and fifo.
//
// For a property of single states, such as highest-live, verdict.cc asks Property::holds. A
// checker goes through the trace once and adds its violations and doubts to the report. It runs
// once if the nodes' algorithm promises any of its properties, and may find other violations as
// well. For verdict.cc alone.
#pragma once

#include <cstdint>
#include <map>

#include "verdict/verdict.h"

namespace bully {

// By record: how long its process may wait from then on for a timer of its election, where that has
// changed; 0: no longer than is usual (time_to_decide_ns).
using LongWaits = std::map<std::size_t, std::int64_t>;

struct CheckedRun {
  const Trace& trace;
  const Timeline& timeline;
  Report& report;
  const Algorithm& algorithm;  // of all nodes; the default one if they run different ones
  LongWaits& long_waits;       // check_rules, which comes first, finds them

  const Record& at(std::size_t i) const { return trace.records[i]; }
  bool prefers(NodeId a, NodeId b) const { return algorithm.prefers(a, b); }
  void test(const Property& property, std::uint64_t times = 1) const;
  // Counts only if the property is promised.
  void violation(const Property& property, ViolationKind kind, NodeId node, NodeId other,
                 std::vector<std::size_t> records) const;
  // Counts only if it is about a node. Names each once, from the lowest.
  void doubt(Reason reason) const;
};

// The record that shows that this assumption does not hold in the run, if any.
std::optional<std::size_t> shown_broken(const CheckedRun& run, Assumption assumption);

// The times that a run allows its nodes, lenient, for a machine under load: a follower, to detect
// that its coordinator is gone; and a process in an election, to take its next step.
std::int64_t time_to_notice_ns(const Timeline& timeline, const Waits& waits);
// `wait_ns`: from its LongWaits, or 0.
std::int64_t time_to_decide_ns(const Timeline& timeline, const Waits& waits, std::int64_t wait_ns);

// Where a process's lines are not whole, by its own count of them: the first damage to each is a
// doubt.
void find_damage(const CheckedRun& run);

// Lives whose lines do not tell enough to be compared with their rules (Replica::can_begin) are a
// doubt, and so is a life that differs and was written by another version of this program.
void check_rules(const CheckedRun& run);

// A process that found another gone, which took a step afterwards, is a doubt.
void check_findings(const CheckedRun& run);

// A receipt without a sending, if the trace would have its sender's sendings.
void check_receipts(const CheckedRun& run);
void check_endings(const CheckedRun& run);
void check_settling(const CheckedRun& run);
void check_fifo(const CheckedRun& run);
void check_bound(const CheckedRun& run);

// True if it suspects a process to be dead or hung.
bool suspects_silence(const Record& record);

}  // namespace bully
