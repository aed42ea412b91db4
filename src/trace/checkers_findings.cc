// checkers_findings.cc: whether nobody was behind a name that a process found gone.
//
// A replica believes its process's events. But while a process runs, its socket listens: no
// connection to it is refused.
#include <utility>

#include "trace/checkers.h"

namespace bully {

void check_findings(const CheckedRun& run) {
  const Timeline& timeline = run.timeline;
  std::vector<std::size_t> last_step(timeline.incarnations.size(), no_record);
  for (const auto& [i, record] : run.trace.records) {
    if (is_of_step(record)) last_step[timeline.incarnation_of[i]] = i;
  }
  // By life: its line before this one, and the one with which it last went on after a stop.
  std::vector<std::size_t> previous(timeline.incarnations.size(), no_record);
  std::vector<std::size_t> resumed(timeline.incarnations.size(), no_record);
  Reason unfounded{"unfounded", {}, {}};
  for (const auto& [i, record] : run.trace.records) {
    const std::size_t own = timeline.incarnation_of[i];
    if (record.reason == "resumed" || record.event == TraceEvent::resume) resumed[own] = i;
    const std::size_t before = std::exchange(previous[own], i);
    // Without a detector a script gives the orders, which may be wrong on purpose. In slow motion a
    // suspicion may wait for long, and the process be back.
    const Waits& waits = timeline.incarnations[own].waits;
    const bool is_detected =
        record.event == TraceEvent::lost || (waits.detector != "off" && waits.pace_ns == 0);
    const Incarnation* found =
        says_gone(record) && is_detected ? incarnation_at(timeline, spoken_of(record), i) : nullptr;
    if (found == nullptr || before == no_record) continue;
    // A refusal may take its time. A suspicion that had waited during a stop may be out of date.
    const std::size_t sending = timeline.partner[i];
    const bool was_there = sending != no_record
                               ? found->first < sending
                               : run.at(found->first).t_ns <= run.at(before).t_ns &&
                                     (resumed[own] == no_record || resumed[own] < found->first);
    const std::size_t latest = last_step[timeline.index_of(*found)];
    if (was_there && latest != no_record && latest > i) unfounded.add(record.node, i);
  }
  run.doubt(std::move(unfounded));
}

}  // namespace bully
