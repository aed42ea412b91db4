// checkers.h: what checks a run: a checker for each thing that can be broken.
//
// A checker goes through the trace once and tells the report its violations and doubts. Only the
// properties that the nodes' algorithm owes decide whether it is asked. For verdict.cc alone.
#pragma once

#include <set>

#include "trace/verdict.h"

namespace bully {

// Until a ping shows a node that it follows the wrong one. Few intervals are set as long.
inline constexpr std::int64_t repair_ns = 60'000'000'000;

struct CheckedRun {
  const Trace& trace;
  const Timeline& timeline;
  Report& report;
  const Algorithm& algorithm;  // that all nodes run; the default one if they run different ones

  Record at(std::size_t i) const { return trace.records[i]; }
  bool prefers(NodeId a, NodeId b) const { return algorithm.prefers(a, b); }
  // The property was put to the test, once or several times.
  void test(const Property& property, std::uint64_t times = 1) const;
  // It counts only if the property is owed.
  void violation(const Property& property, ViolationKind kind, NodeId node, NodeId other,
                 std::vector<std::size_t> records) const;
  // It counts only if it is about a node.
  void doubt(Reason reason) const;
};

// Asked once, where one of its properties is owed; finds all that breaks it, and perhaps others.
struct Checker {
  const Property* property;
  void (*check)(const CheckedRun& run);
};
std::span<const Checker> checkers();

// The record that shows that this assumption does not hold in the run, if there is one.
std::optional<std::size_t> shown_broken(const CheckedRun& run, Assumption assumption);

// How long the nodes of a run may take: lenient, for a machine under load.
class Patience {
 public:
  explicit Patience(const CheckedRun& run);

  // A follower, to notice that the one it follows is gone.
  std::int64_t to_notice_ns(const Incarnation& incarnation) const;
  // One that holds an election, to take its next step in it.
  std::int64_t to_decide_ns(const Incarnation& incarnation) const;
  // All of them, to agree once nothing disturbs them any more.
  std::int64_t to_agree_ns() const;

 private:
  std::int64_t to_elect_ns(const Incarnation& incarnation) const;
  std::int64_t slow_ns(const Waits& waits) const;

  const Timeline& timeline_;
  std::int64_t longest_wait_ns_ = 0;  // for a timeout, in this trace
};

void check_endings(const CheckedRun& run);
void check_settling(const CheckedRun& run);
void check_taking_office(const CheckedRun& run);
void check_fifo(const CheckedRun& run);
void check_one_neighbour(const CheckedRun& run);
void check_own_numbers(const CheckedRun& run);
void check_bound(const CheckedRun& run);

// A process that is not stopped has taken a message by then, and acted on it.
inline constexpr std::int64_t min_pause_ns = 250'000'000;

// Whether it tells of the election, and not only why a step was taken.
bool is_step(const Record& record);

std::set<NodeId> nodes_without_beginning(const Timeline& timeline);

}  // namespace bully
