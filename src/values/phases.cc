// phases.cc: moments of an election, and intervals with two coordinators.
#include "values/phases.h"

#include <algorithm>
#include <map>

namespace bully {

Phases phases_of(const Trace& trace, const Election& election,
                 std::optional<NodeId> lost_coordinator) {
  const auto between = [&](std::size_t from, std::size_t to) {
    return std::max<std::int64_t>(0, trace.records[to].t_ns - trace.records[from].t_ns);
  };
  Phases phases;
  for (std::size_t i = election.first_record + 1;
       lost_coordinator && !phases.last_sign && i-- > 0;) {
    const Record record = trace.records[i];
    const bool is_monitors = record.event == TraceEvent::send && is_about_ping(record);
    if (record.node == *lost_coordinator && !is_monitors) phases.last_sign = i;
  }
  if (election.detections.empty()) return phases;
  const std::size_t first = election.detections.front().record;
  if (phases.last_sign) {
    const bool is_exact = ends_life(trace.records[*phases.last_sign]);
    phases.detect = Phase{between(*phases.last_sign, first), !is_exact};
  }
  if (!election.settled_record || !election.won_record) return phases;
  phases.elect = Phase{between(first, *election.won_record)};
  phases.announce = Phase{between(*election.won_record, *election.settled_record)};
  return phases;
}

std::vector<TwoCoordinators> two_coordinators(const Trace& trace, const Timeline& timeline) {
  std::vector<TwoCoordinators> found;
  std::map<std::size_t, std::size_t> in_office;  // by incarnation: the office's first record
  for (const auto& [i, record] : trace.records) {
    const std::size_t incarnation = timeline.incarnation_of[i];
    const bool is_state = record.event == TraceEvent::state;
    const bool is_coordinator = sign_of(record).is(Sign::Kind::wins);
    if (is_coordinator) in_office.emplace(incarnation, i);
    const bool is_last = i == timeline.incarnations[incarnation].last_sign;
    const auto mine = in_office.find(incarnation);
    if (mine == in_office.end() || (!is_last && (!is_state || is_coordinator))) continue;
    for (const auto& [other, since] : in_office) {
      const NodeId a = timeline.incarnations[incarnation].node;
      const NodeId b = timeline.incarnations[other].node;
      if (other == incarnation) continue;
      found.push_back({std::min(a, b), std::max(a, b), std::max(mine->second, since), i});
    }
    in_office.erase(mine);
  }
  std::ranges::stable_sort(found, {}, &TwoCoordinators::from_record);
  return found;
}

}  // namespace bully
