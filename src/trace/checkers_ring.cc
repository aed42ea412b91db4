// checkers_ring.cc: violations of an election on a ring, and of the links that it needs.
#include <map>

#include "trace/checkers.h"

namespace bully {

// [DKR82] Links are FIFO: messages from one process to another arrive in the order of sending.
void check_fifo(const CheckedRun& run) {
  struct Arrival {
    std::size_t sending;
    std::size_t receipt;
  };
  // By the incarnations of sender and receiver: the latest sent message that has arrived.
  std::map<std::pair<std::size_t, std::size_t>, Arrival> latest;
  const Timeline& timeline = run.timeline;
  for (const auto& [i, record] : run.trace.records) {
    const std::size_t sending = timeline.partner[i];
    if (record.event != TraceEvent::receive || !is_about_election(record)) continue;
    if (sending == no_record) continue;
    const std::pair link(timeline.incarnation_of[sending], timeline.incarnation_of[i]);
    const auto [found, is_first] = latest.try_emplace(link, Arrival{sending, i});
    Arrival& last = found->second;
    if (!is_first) run.test(properties::fifo);
    if (last.sending > sending) {
      run.violation(properties::fifo, "overtaken", record.node, record.from,
                    {sending, last.sending, last.receipt, i});
    } else {
      last = {sending, i};
    }
  }
}

// [DKR82, CR79] An undisturbed election takes no more messages than the worst case.
void check_bound(const CheckedRun& run) {
  for (const Election& election : run.report.elections) {
    const Figures figures = figures_of(run.trace, run.timeline, election);
    if (election.held && figures.bound && figures.textbook) run.test(properties::within_bound);
    if (!figures.exceeds_bound || !figures.textbook) continue;
    run.violation(properties::within_bound, "more_than_bound", election.detections.front().node,
                  *election.winner, {election.first_record, election.last_record});
  }
}

}  // namespace bully
