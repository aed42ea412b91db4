// checkers_end.cc: the last known state of each process. A process that follows a dead coordinator
// must detect that in time, and a process in an election must decide in time.
//
// The end of its record decides the result: README.md has the table.
#include <algorithm>
#include <map>

#include "verdict/checkers.h"

namespace bully {

namespace {

struct Ending {
  // The belief of an incarnation, as far as its lines show it, and the times that decide whether it
  // has kept that for too long.
  struct LastKnown {
    Belief belief = {};
    std::size_t late = no_record;  // the `since` of a coordinator that it has followed for too long
    // The latest confirmation of its coordinator: its own choice, or a message from that process.
    std::size_t confirmed = no_record;
    std::size_t latest_drop = 0;
    std::size_t last = no_record;                          // its latest own step
    std::optional<std::int64_t> paused_ns = std::nullopt;  // when it was stopped, if it is stopped
    std::int64_t stopped_for_ns = 0;                       // earlier, in the present state
    std::int64_t resumed_ns = 0;  // when it continued after an unrecorded stop
    std::int64_t wait_ns = 0;     // for a timer, if that is long
    bool is_over = false;
  };
  // The end of an incarnation's record, and the last time at which it was known to live.
  struct Last {
    std::size_t record;  // the moment, for its followers
    bool leaves;         // by itself, or killed; otherwise its lines stop
    bool lived_on;       // its last sign of life is not its own step
    std::int64_t t_ns;
  };
  const CheckedRun& run;
  std::vector<LastKnown> last_known = std::vector<LastKnown>(run.timeline.incarnations.size());
  Reason open_end{"open_end", {}, {}};
  Reason unwatched{"unwatched", {}, {}};
  Reason in_flight{"in_flight", {}, {}};
  // By sender: the receipts without a sending. So it came back without a trace, perhaps.
  std::map<NodeId, std::vector<std::size_t>> heard_untraced = {};

  void check() {
    for (std::size_t i = 0; i < run.trace.records.size(); ++i) {
      const Record& record = run.trace.records[i];
      const bool is_untraced =
          record.event == TraceEvent::receive && run.timeline.partner[i] == no_record;
      if (is_untraced) heard_untraced[record.from].push_back(i);
    }
    for (std::size_t i = 0; i < run.trace.records.size(); ++i) {
      const Record& record = run.trace.records[i];
      LastKnown& known = last_known[run.timeline.incarnation_of[i]];
      if (ends_life(record)) {
        end(run.timeline.incarnation_of[i], {i, true, true, record.t_ns});
      } else if (is_act_on(record)) {
        take_act(known, record);
      } else if (!is_about_ping(record) && record.event != TraceEvent::rule) {
        take_step(known, record, i);
      }
      const auto wait = run.long_waits.find(i);
      if (wait != run.long_waits.end()) known.wait_ns = wait->second;
    }
    const std::size_t size = run.trace.records.size();
    for (std::size_t k = 0; k < last_known.size(); ++k) {
      const Incarnation& incarnation = run.timeline.incarnations[k];
      if (last_known[k].is_over || incarnation.shown_dead != no_record) continue;
      end(k, {size, false, incarnation.last_sign != incarnation.last,
              run.at(incarnation.last_sign).t_ns});
    }
    find_in_flight();
    for (Reason* reason : {&open_end, &unwatched, &in_flight}) {
      run.doubt(std::move(*reason));
    }
  }

  // --- The lines ---

  static void take_act(LastKnown& known, const Record& record) {
    if (record.event == TraceEvent::pause && !known.paused_ns) {
      known.paused_ns = record.t_ns;
    } else if (record.event == TraceEvent::resume && known.paused_ns) {
      known.stopped_for_ns += record.t_ns - *std::exchange(known.paused_ns, std::nullopt);
    } else if (record.event == TraceEvent::resume) {
      known.resumed_ns = record.t_ns;
    }
  }

  void take_step(LastKnown& known, const Record& record, std::size_t i) {
    const Sign sign = sign_of(record);
    check_late(run.timeline.incarnation_of[i], i);
    known.belief.take(sign, i);
    const bool is_confirmed = record.event == TraceEvent::receive &&
                              record.type->role == Role::announces &&
                              record.from == known.belief.coordinator;
    if (sign || is_confirmed) known.confirmed = i;
    if (record.event == TraceEvent::drop) known.latest_drop = i;
    known.last = i;
    if (known.belief.since == i) known.stopped_for_ns = 0;
  }

  // --- The end ---

  void end(std::size_t k, Last last) {
    LastKnown& known = last_known[k];
    const Incarnation& incarnation = run.timeline.incarnations[k];
    if (std::exchange(known.is_over, true)) return;
    const bool holds = !known.belief.coordinator;
    if (!holds && is_in_office(known, last.record)) return;
    const auto lost = holds ? std::nullopt : loss_of(*known.belief.coordinator, last.record);
    if (!last.leaves && is_absent(known)) return;  // a stopped process need not do anything
    const std::size_t own = known.last == no_record ? incarnation.first : known.last;
    const std::size_t from = lost ? std::max(*lost, own) : own;
    if (lost) last.t_ns = until_back_ns(*known.belief.coordinator, *lost, last);
    // Another checker covers a live process that has given up its office.
    const std::int64_t allowed_ns =
        holds ? time_to_decide_ns(run.timeline, incarnation.waits, known.wait_ns)
              : time_to_notice_ns(run.timeline, incarnation.waits);
    if ((holds || lost) && lasted(known, from, last) > allowed_ns)
      return overdue(k, lost, from, last);
    if (!last.leaves) open_end.add(incarnation.node, shown(incarnation, last));
  }

  // Another step comes at record `i`, too late for an election or a lost coordinator.
  void check_late(std::size_t k, std::size_t i) {
    LastKnown& known = last_known[k];
    const Incarnation& incarnation = run.timeline.incarnations[k];
    Last now{i, false, true, run.at(i).t_ns};
    if (known.belief.holds() && known.last != no_record && run.at(i).event != TraceEvent::leave &&
        lasted(known, known.last, now) >
            time_to_decide_ns(run.timeline, incarnation.waits, known.wait_ns)) {
      run.violation(properties::ends, "stood_still", incarnation.node, incarnation.node,
                    {known.last, i});
    }
    if (!known.belief.is(Sign::Kind::follows) || incarnation.waits.detector == "off") return;
    if (known.late == known.belief.since) return;  // reported already
    const auto lost = loss_of(*known.belief.coordinator, i);
    if (!lost) return;
    const std::size_t from = std::max(*lost, known.belief.since);
    now.t_ns = until_back_ns(*known.belief.coordinator, *lost, now);
    if (lasted(known, from, now) <= time_to_notice_ns(run.timeline, incarnation.waits)) return;
    known.late = known.belief.since;
    run.violation(properties::ends, "stayed_with_the_dead", incarnation.node,
                  *known.belief.coordinator, {known.belief.since, from, i});
  }

  void overdue(std::size_t k, std::optional<std::size_t> lost, std::size_t from, const Last& last) {
    const Incarnation& incarnation = run.timeline.incarnations[k];
    const Belief& belief = last_known[k].belief;
    if (!lost) {
      run.violation(properties::ends, "never_decided", incarnation.node, incarnation.node,
                    {from, shown(incarnation, last)});
    } else if (incarnation.waits.detector == "off") {
      unwatched.add(incarnation.node, shown(incarnation, last));
    } else if (!last.leaves && !last.lived_on) {
      open_end.add(incarnation.node, shown(incarnation, last));
    } else {
      run.violation(properties::ends, "stayed_with_the_dead", incarnation.node, *belief.coordinator,
                    {belief.since, from, shown(incarnation, last)});
    }
  }

  // A message neither received nor lost, though its receiver can take it: the trace ends before
  // that.
  void find_in_flight() {
    std::set<NodeId> receivers;
    for (std::size_t i = 0; i < run.trace.records.size(); ++i) {
      const Record& record = run.trace.records[i];
      const bool is_open = record.event == TraceEvent::send && is_about_election(record) &&
                           run.timeline.partner[i] == no_record;
      if (!is_open) continue;
      const Incarnation* to = incarnation_at(run.timeline, record.to, i);
      if (to == nullptr || to->shown_dead != no_record) continue;
      const LastKnown& its = last_known[run.timeline.index_of(*to)];
      if (is_absent(its) || its.latest_drop > i) continue;
      if (receivers.insert(record.to).second) in_flight.records.push_back(i);
    }
    in_flight.nodes.assign(receivers.begin(), receivers.end());
  }

  bool is_absent(const LastKnown& known) const {
    const std::int64_t end_ns = run.at(run.trace.records.size() - 1).t_ns;
    return known.paused_ns && end_ns - *known.paused_ns > run.timeline.outage_ns;
  }

  static std::size_t shown(const Incarnation& incarnation, const Last& last) {
    return std::min(incarnation.last_sign, last.record);
  }

  std::optional<std::size_t> loss_of(NodeId followed, std::size_t end) const {
    const Incarnation* incarnation = incarnation_at(run.timeline, followed, end - 1);
    if (incarnation == nullptr || incarnation->shown_dead >= end) return std::nullopt;
    return incarnation->shown_dead;
  }

  // The end of the time in which the followed process was dead: it may have come back without a
  // trace before that of its follower, and was heard then.
  std::int64_t until_back_ns(NodeId followed, std::size_t lost, const Last& last) const {
    const auto heard = heard_untraced.find(followed);
    if (heard == heard_untraced.end()) return last.t_ns;
    const auto back = std::ranges::upper_bound(heard->second, lost);
    return back == heard->second.end() ? last.t_ns : std::min(last.t_ns, run.at(*back).t_ns);
  }

  // True if the followed process was alive and coordinator before record `end`, or is unknown. If
  // it came back under its id, it has to inform its earlier followers.
  bool is_in_office(const LastKnown& known, std::size_t end) const {
    const NodeId followed = *known.belief.coordinator;
    const Incarnation* incarnation = incarnation_at(run.timeline, followed, end - 1);
    if (incarnation == nullptr) return true;
    const std::size_t k = run.timeline.index_of(*incarnation);
    const bool is_back = run.timeline.lives.at(followed).front() != k;
    if (is_back && known.confirmed < incarnation->first) return false;
    const Belief& its = last_known[k].belief;
    return incarnation->shown_dead >= end && its.coordinator == followed;
  }

  // The time without stops. If its own step is the last sign, it may have lived on for any time.
  std::int64_t lasted(const LastKnown& known, std::size_t from, const Last& last) const {
    if (!last.lived_on) return 0;
    const std::int64_t until = std::min(known.paused_ns.value_or(last.t_ns), last.t_ns);
    return until - std::max(run.at(from).t_ns, known.resumed_ns) - known.stopped_for_ns;
  }
};

}  // namespace

void check_endings(const CheckedRun& run) {
  Ending{run}.check();
}

}  // namespace bully
