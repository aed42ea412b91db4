// checkers_findings.cc: whether the findings of processes about each other can be true.
//
// A replica believes its process's events. But while a process runs, its socket listens, so no
// connection to it is refused, and its name is there. And a process that has long been coordinator
// has told nobody anything else.
#include <algorithm>
#include <utility>
#include <vector>

#include "verdict/checkers.h"

namespace bully {

namespace {

struct Findings {
  // The belief of an incarnation, as far as its lines have come, and the lines that bound the time
  // of its next finding.
  struct LinesSoFar {
    std::size_t previous = no_record;  // its line before this one
    std::size_t resumed = no_record;   // with which it last went on after a stop
    Belief belief = {};
  };
  const CheckedRun& run;
  const Timeline& timeline = run.timeline;
  std::vector<LinesSoFar> lives = std::vector<LinesSoFar>(timeline.incarnations.size());
  Reason unfounded = {"unfounded", {}, {}};

  void check() {
    for (std::size_t i = 0; i < run.trace.records.size(); ++i) {
      const Record& record = run.trace.records[i];
      LinesSoFar& own = lives[timeline.incarnation_of[i]];
      if (record.reason == "resumed" || record.event == TraceEvent::resume) own.resumed = i;
      if (own.previous != no_record && is_wrong(own, i)) unfounded.add(record.node, i);
      own.previous = i;
      own.belief.take(sign_of(record), i);
    }
    run.doubt(std::move(unfounded));
  }

  bool is_wrong(const LinesSoFar& own, std::size_t i) const {
    const Record& record = run.at(i);
    const auto lived_on = [&](NodeId other) { return has_lived_on(own, other, i); };
    if (record.given != nullptr && std::ranges::any_of(record.given->left, lived_on)) return true;
    // Without a detector a script gives the orders, which may be wrong on purpose. In slow motion a
    // suspicion may wait for long, and be out of date.
    const Waits& waits = timeline.incarnations[timeline.incarnation_of[i]].waits;
    const bool is_detected = waits.detector != "off" && waits.pace_ns == 0;
    if (record.event != TraceEvent::lost && !is_detected) return false;
    if (says_gone(record)) return lived_on(spoken_of(record));
    if (record.event != TraceEvent::suspect || record.reason != "deposed") return false;
    if (own.resumed != no_record) return false;
    const std::int64_t longest_ns = 2 * (waits.ping_interval_ns + waits.ping_timeout_ns);
    return record.coordinator == record.node
               ? !has_one_above(record, longest_ns)
               : was_in_office(own, *record.coordinator, i, longest_ns);
  }

  // A refusal may take its time. A suspicion that had waited during a stop may be out of date.
  bool has_lived_on(const LinesSoFar& own, NodeId other, std::size_t i) const {
    const Incarnation* found = incarnation_at(timeline, other, i);
    if (found == nullptr) return false;
    const std::size_t sending = timeline.partner[i];
    const bool was_there = sending != no_record
                               ? found->first < sending
                               : run.at(found->first).t_ns <= run.at(own.previous).t_ns &&
                                     (own.resumed == no_record || own.resumed < found->first);
    return was_there && found->last_step != no_record && found->last_step > i;
  }

  // Whether the process followed has been coordinator for longer than a finding takes.
  bool was_in_office(const LinesSoFar& own, NodeId followed, std::size_t i,
                     std::int64_t longest_ns) const {
    const Incarnation* found = incarnation_at(timeline, followed, i);
    if (found == nullptr || own.belief.coordinator != followed) return false;
    const Belief& its = lives[timeline.index_of(*found)].belief;
    return its.coordinator == followed && run.at(i).t_ns - run.at(its.since).t_ns > longest_ns;
  }

  // Whether a process may have lived then that a coordinator has to find above itself.
  bool has_one_above(const Record& finding, std::int64_t longest_ns) const {
    const auto is_above = [&](NodeId id) { return run.prefers(id, finding.node); };
    const auto lived = [&](const Incarnation& life) {
      const bool is_over =
          life.shown_dead != no_record && finding.t_ns - run.at(life.shown_dead).t_ns > longest_ns;
      return is_above(life.node) && run.at(life.first).t_ns - finding.t_ns <= longest_ns &&
             !is_over;
    };
    return std::ranges::any_of(timeline.incarnations, lived) ||
           std::ranges::any_of(timeline.names_only, is_above);
  }
};

}  // namespace

void check_findings(const CheckedRun& run) {
  Findings{run}.check();
}

}  // namespace bully
