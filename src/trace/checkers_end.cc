// checkers_end.cc: where each process stood when it was last heard of. A process that follows a
// dead coordinator, or holds an election, must not stay so: it has to notice, and to decide, in
// time.
//
// How its record ends decides what that means. A process that left or was killed in time owes
// nothing. One that lived on for longer than it may breaks a property. One of which the lines
// simply stop, or that nothing could tell of the loss, leaves a doubt.
#include <algorithm>
#include <map>

#include "trace/checkers.h"

namespace bully {

namespace {

struct Ending {
  // Where a life stands, as far as its lines tell.
  struct Standing {
    Sign sign = {};
    std::size_t since = no_record;  // of that sign
    std::size_t late = no_record;   // the `since` of one that it has followed for too long
    // Its latest news of the one that it follows: of its own choice, or from that one.
    std::size_t confirmed = no_record;
    std::size_t latest_drop = 0;
    std::size_t last = no_record;  // its latest own step
    // Its last state, and whom it has followed since it was last in an election.
    std::string_view state = {};
    std::optional<NodeId> coordinator = std::nullopt;
    std::optional<std::int64_t> paused_ns = std::nullopt;  // since when it is stopped
    std::int64_t stopped_for_ns = 0;                       // before, since it stands there
    std::int64_t resumed_ns = 0;  // when it went on after a stop of which no line tells
    bool is_over = false;
  };
  // How the record of a life ends, and until when it is known to have lived.
  struct Last {
    std::size_t record;  // the moment, for those that it follows
    bool leaves;         // by itself, or killed; else its lines stop
    bool lived_on;       // its last sign of life is no step of its own
    std::int64_t t_ns;
  };
  const CheckedRun& run;
  std::vector<Standing> standings = std::vector<Standing>(run.timeline.incarnations.size());
  const Patience patience = Patience(run);
  Reason open_end{Doubt::open_end, {}, {}};
  Reason unwatched{Doubt::unwatched, {}, {}};
  Reason contradiction{Doubt::contradiction, {}, {}};
  Reason in_flight{Doubt::in_flight, {}, {}};

  void check() {
    for (const auto& [i, record] : run.trace.records) {
      Standing& standing = standings[run.timeline.incarnation_of[i]];
      if (ends_life(record)) {
        end(run.timeline.incarnation_of[i], {i, true, true, record.t_ns});
      } else if (is_act_on(record)) {
        take_act(standing, record);
      } else if (is_step(record)) {
        take_step(standing, record, i);
      }
    }
    const std::size_t size = run.trace.records.size();
    for (std::size_t k = 0; k < standings.size(); ++k) {
      const Incarnation& life = run.timeline.incarnations[k];
      if (standings[k].is_over || life.shown_dead != no_record) continue;
      end(k, {size, false, life.last_sign != life.last, run.at(life.last_sign).t_ns});
    }
    find_in_flight();
    for (Reason* reason : {&open_end, &unwatched, &contradiction, &in_flight}) {
      if (!reason->nodes.empty()) run.report.reasons.push_back(std::move(*reason));
    }
  }

  // --- What the lines tell ---

  static void take_act(Standing& standing, const Record& record) {
    if (record.event == TraceEvent::pause && !standing.paused_ns) {
      standing.paused_ns = record.t_ns;
    } else if (record.event == TraceEvent::resume && standing.paused_ns) {
      standing.stopped_for_ns += record.t_ns - *std::exchange(standing.paused_ns, std::nullopt);
    } else if (record.event == TraceEvent::resume) {
      standing.resumed_ns = record.t_ns;
    }
  }

  void take_step(Standing& standing, const Record& record, std::size_t i) {
    const bool observed = run.timeline.is_observed(i);
    const Sign sign = run.timeline.sign_of(record, i);
    if (!observed) check_late(run.timeline.incarnation_of[i], i);
    if (!sign.is(Kind::none)) {
      if (sign.kind != standing.sign.kind || sign.coordinator != standing.sign.coordinator) {
        standing.since = i;
      }
      standing.sign = sign;
    }
    if (record.event == TraceEvent::state) {
      standing.state = record.state;
      if (!is_settled(record.state)) standing.coordinator.reset();
    }
    if (record.event == TraceEvent::coordinator) standing.coordinator = record.coordinator;
    if (!observed && !is_consistent(standing, record)) contradict(record.node, i);
    const bool is_told = record.event == TraceEvent::receive &&
                         record.type->role == Role::announces &&
                         record.from == standing.sign.coordinator;
    if (!sign.is(Kind::none) || is_told) standing.confirmed = i;
    if (record.event == TraceEvent::drop) standing.latest_drop = i;
    if (observed && record.event == TraceEvent::receive) return;  // it may still wait in its socket
    standing.last = i;
    if (standing.since == i) standing.stopped_for_ns = 0;
  }

  using Kind = Sign::Kind;

  // A process says in which state it is before it says whom it follows, and knows only the states
  // of its algorithm.
  bool is_consistent(const Standing& standing, const Record& record) const {
    if (record.event == TraceEvent::state) {
      const auto& states = run.algorithm.states;
      return run.timeline.algorithm() == nullptr ||
             std::ranges::find(states, record.state, &StateKind::name) != states.end();
    }
    return record.event != TraceEvent::coordinator || standing.state.empty() ||
           (is_settled(standing.state) &&
            is_coordinating(standing.state) == (record.coordinator == record.node));
  }

  void contradict(NodeId node, std::size_t i) {
    contradiction.nodes.push_back(node);
    contradiction.records.push_back(i);
  }

  // --- How it ends ---

  void end(std::size_t k, const Last& last) {
    Standing& standing = standings[k];
    const Incarnation& life = run.timeline.incarnations[k];
    if (std::exchange(standing.is_over, true)) return;
    const bool killed = last.leaves && !life.stopped;
    if (!killed && !agrees_with_itself(standing, life)) {
      contradict(life.node, std::min(life.last_sign, last.record));
    }
    if (standing.sign.is(Kind::none) && (life.observed || !life.begins)) return;
    const bool holds = standing.sign.is(Kind::holds) || standing.sign.is(Kind::none);
    if (!holds && is_in_office(standing, last.record)) return;
    const auto lost = holds ? std::nullopt : loss_of(standing.sign.coordinator, last.record);
    if (holds && life.observed && !would_show_its_end(k, last)) return;
    if (!last.leaves && is_absent(standing)) return;  // a stopped process owes nothing
    const std::size_t from = begin_of(standing, life, lost);
    // That a live process has given up the office is judged elsewhere.
    const std::int64_t allowed_ns =
        holds ? patience.to_decide_ns(life) : patience.to_notice_ns(life);
    if ((holds || lost) && lasted(standing, from, last) > allowed_ns)
      return overdue(k, lost, from, last);
    if (!last.leaves) add(open_end, life, last);
  }

  // It takes another step at record `i`, but has stood still in an election, or has followed a lost
  // coordinator, for too long by then.
  void check_late(std::size_t k, std::size_t i) {
    Standing& standing = standings[k];
    const Incarnation& life = run.timeline.incarnations[k];
    const Last now{i, false, true, run.at(i).t_ns};
    if (standing.sign.is(Kind::holds) && standing.last != no_record &&
        run.at(i).event != TraceEvent::stop &&
        lasted(standing, standing.last, now) > patience.to_decide_ns(life)) {
      run.violation(properties::ends, ViolationKind::stood_still, life.node, life.node,
                    {standing.last, i});
    }
    if (!standing.sign.is(Kind::follows) || life.waits.detector == "off") return;
    if (standing.late == standing.since) return;  // that is told already
    const auto lost = loss_of(standing.sign.coordinator, i);
    if (!lost) return;
    const std::size_t from = std::max(*lost, standing.since);
    if (lasted(standing, from, now) <= patience.to_notice_ns(life)) return;
    standing.late = standing.since;
    run.violation(properties::ends, ViolationKind::stayed_with_the_dead, life.node,
                  standing.sign.coordinator, {standing.since, from, i});
  }

  void overdue(std::size_t k, std::optional<std::size_t> lost, std::size_t from, const Last& last) {
    const Incarnation& life = run.timeline.incarnations[k];
    const NodeId followed = standings[k].sign.coordinator;
    if (!lost) {
      run.violation(properties::ends, ViolationKind::never_decided, life.node, life.node,
                    {from, shown(k, last)});
    } else if (life.waits.detector == "off") {
      add(unwatched, life, last);
    } else if (!last.leaves && !last.lived_on) {
      add(open_end, life, last);
    } else if (life.observed && lasted(standings[k], from, last) <= repair_ns) {
      add(open_end, life, last);
    } else {
      run.violation(properties::ends, ViolationKind::stayed_with_the_dead, life.node, followed,
                    {standings[k].since, from, shown(k, last)});
    }
  }

  void add(Reason& reason, const Incarnation& life, const Last& last) const {
    reason.nodes.push_back(life.node);
    reason.records.push_back(std::min(life.last_sign, last.record));
  }

  // A message of which neither the receipt nor the loss is told, to a process that can take it: the
  // trace ends before that.
  void find_in_flight() {
    std::set<NodeId> receivers;
    for (const auto& [i, record] : run.trace.records) {
      const bool is_open = record.event == TraceEvent::send && is_about_election(record) &&
                           run.timeline.partner[i] == no_record;
      if (!is_open) continue;
      const Incarnation* to = incarnation_at(run.timeline, record.to, i);
      if (to == nullptr || to->observed || to->shown_dead != no_record) continue;
      const Standing& its =
          standings[static_cast<std::size_t>(to - run.timeline.incarnations.data())];
      if (is_absent(its) || its.latest_drop > i) continue;
      if (receivers.insert(record.to).second) in_flight.records.push_back(i);
    }
    in_flight.nodes.assign(receivers.begin(), receivers.end());
  }

  // Whether it is stopped to the end of the trace, and has been for some time.
  bool is_absent(const Standing& standing) const {
    const std::int64_t end_ns = run.at(run.trace.records.size() - 1).t_ns;
    return standing.paused_ns && end_ns - *standing.paused_ns > run.timeline.outage_ns;
  }

  std::size_t shown(std::size_t k, const Last& last) const {
    return std::min(run.timeline.incarnations[k].last_sign, last.record);
  }

  static bool agrees_with_itself(const Standing& standing, const Incarnation& life) {
    if (standing.state.empty()) return true;
    if (!is_settled(standing.state)) return !standing.coordinator;
    return standing.coordinator &&
           is_coordinating(standing.state) == (*standing.coordinator == life.node);
  }

  // Where it was lost, if it was before record `end`.
  std::optional<std::size_t> loss_of(NodeId followed, std::size_t end) const {
    const Incarnation* life = incarnation_at(run.timeline, followed, end - 1);
    if (life == nullptr || life->shown_dead >= end) return std::nullopt;
    return life->shown_dead;
  }

  // Whether the process that it follows was alive and coordinator before record `end`, or nothing
  // is known of that one. If it came back under its id, those that followed it before have to be
  // told.
  bool is_in_office(const Standing& standing, std::size_t end) const {
    const NodeId followed = standing.sign.coordinator;
    const Incarnation* life = incarnation_at(run.timeline, followed, end - 1);
    if (life == nullptr) return true;
    const auto k = static_cast<std::size_t>(life - run.timeline.incarnations.data());
    const bool is_back = run.timeline.lives.at(followed).front() != k;
    if (is_back && standing.confirmed < life->first) return false;
    const Sign& sign = standings[k].sign;
    if (sign.is(Kind::none)) return life->observed && life->shown_dead >= end;
    return life->shown_dead >= end && !sign.is(Kind::holds) && sign.coordinator == followed;
  }

  std::size_t begin_of(const Standing& standing, const Incarnation& life,
                       std::optional<std::size_t> lost) const {
    const std::size_t last = standing.last == no_record ? life.first : standing.last;
    return lost ? std::max(*lost, last) : last;
  }

  // Without the time in which it was stopped. That its own step is the last sign says nothing of
  // how long it lived after it.
  std::int64_t lasted(const Standing& standing, std::size_t from, const Last& last) const {
    if (!last.lived_on) return 0;
    const std::int64_t until = standing.paused_ns.value_or(last.t_ns);
    return until - std::max(run.at(from).t_ns, standing.resumed_ns) - standing.stopped_for_ns;
  }

  // Of one that was observed: if it wins, it tells another.
  bool would_show_its_end(std::size_t k, const Last& last) const {
    const Incarnation& life = run.timeline.incarnations[k];
    const bool tells_all = run.algorithm.passes_over();
    return std::ranges::any_of(run.timeline.incarnations, [&](const Incarnation& other) {
      return other.first < life.last && other.gone > last.record && other.node != life.node &&
             (tells_all || run.prefers(life.node, other.node));
    });
  }
};

}  // namespace

void check_endings(const CheckedRun& run) {
  Ending{run}.check();
}

}  // namespace bully
