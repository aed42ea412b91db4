#include "trace/checkers.h"

#include <algorithm>
#include <array>
#include <map>

namespace bully {

namespace {

// [CDK 5] A process that gets a COORDINATOR takes its sender as coordinator. And no process follows
// a lower process than itself, or stays for long with a lower one than the highest coordinator.
struct Following {
  struct Follower {
    Stand stand = {};
    std::size_t heard = no_record;  // the winner's announcement, in the step that handles it
    bool has_obeyed = false;        // it has recorded a coordinator since then
    bool goes_on = false;           // after a stop: its reaction to that may be still to come
    std::size_t last = no_record;   // its latest record
  };
  const CheckedRun& run;
  std::vector<Follower> followers = std::vector<Follower>(run.timeline.incarnations.size());

  void check() {
    for (const auto& [i, record] : run.trace.records) {
      Follower& follower = followers[run.timeline.incarnation_of[i]];
      if (record.event == TraceEvent::resume) follower.goes_on = true;
      if (!is_step(record)) continue;
      take_step(follower, record, i);
      follower.last = i;
    }
  }

  void take_step(Follower& follower, const Record& record, std::size_t i) {
    const Sign sign = sign_of(record);
    check_heard(follower, record, i);
    if (record.event == TraceEvent::stop) check_long_stay(follower, record, i);
    follower.stand.take(sign, i);
    if (record.event != TraceEvent::coordinator || !sign) return;
    if (sign.coordinator != record.node) run.test(properties::never_lower);
    if (run.prefers(record.node, sign.coordinator)) {
      run.violation(properties::never_lower, "follows_below_itself", record.node, sign.coordinator,
                    {i});
    }
  }

  void check_heard(Follower& follower, const Record& record, std::size_t i) const {
    if (follower.heard != no_record) check_taken(follower, record, i);
    const bool is_later =
        record.event == TraceEvent::timeout || record.event == TraceEvent::suspect;
    if (is_later) follower.goes_on = false;
    if (record.event != TraceEvent::receive) return;
    const auto winner = winner_in(record);
    if (!winner || !run.prefers(*winner, record.node)) return;
    follower.heard = i;
    follower.has_obeyed = follower.stand.coordinator == winner;
  }

  // Its first reaction to the announcement, before any other event, shows which process it
  // accepted.
  void check_taken(Follower& follower, const Record& record, std::size_t i) const {
    const std::size_t heard = follower.heard;
    const NodeId announced = *winner_in(run.at(heard));
    // On a ring it may take part in a later election, or turn out to be alone, despite an
    // announcement.
    const bool is_spread = run.at(heard).type->role == Role::spreads;
    // A process that obeys has no election to hold, or to win, after the same announcement. So
    // another event reached it. A process that continues after a stop records that before it reads
    // its socket.
    const bool holds = record.event == TraceEvent::state && is_asking(record.state);
    const bool wins = record.event == TraceEvent::coordinator && record.coordinator == record.node;
    if (follower.has_obeyed && (holds || (wins && follower.goes_on))) {
      follower.heard = no_record;
      return;
    }
    const auto ignores = [&] {
      run.violation(properties::ends, "ignored_coordinator", record.node, announced, {heard, i});
    };
    if (record.event == TraceEvent::state) return;
    if (record.event == TraceEvent::coordinator) {
      follower.has_obeyed = true;
      const NodeId taken = *record.coordinator;
      if (is_spread && taken == record.node) return;
      if (run.prefers(announced, taken)) {
        run.violation(properties::never_lower, "follows_another", record.node, taken, {heard, i});
      } else if (announced != taken && is_not_there(taken, i)) {
        ignores();
      }
    } else if (record.event != TraceEvent::send && record.event != TraceEvent::lost) {
      if (!follower.has_obeyed && !is_spread && follower.stand.coordinator != announced) {
        ignores();
      }
      follower.heard = no_record;
    }
  }

  bool is_not_there(NodeId node, std::size_t i) const {
    if (!run.timeline.lives.contains(node)) return false;  // its trace is not here
    const Incarnation* incarnation = incarnation_at(run.timeline, node, i);
    return incarnation == nullptr || incarnation->shown_dead < i;
  }

  // A process that leaves by itself; a stopped process that continues takes another step before it
  // leaves.
  void check_long_stay(const Follower& follower, const Record& stop, std::size_t i) const {
    if (follower.last == no_record) return;
    const std::int64_t quiet = stop.t_ns - run.at(follower.last).t_ns;
    const Stand& stand = follower.stand;
    if (!stand.coordinator || quiet <= repair_ns) return;
    for (std::size_t k = 0; k < followers.size(); ++k) {
      const Incarnation& other = run.timeline.incarnations[k];
      const Stand& its = followers[k].stand;
      const bool is_higher =
          its.coordinator == other.node && run.prefers(other.node, *stand.coordinator);
      if (!is_higher || other.last < i || is_absent(k, i)) continue;
      if (stop.t_ns - run.at(its.since).t_ns <= repair_ns) continue;
      run.violation(properties::never_lower, "stayed_with_a_lower", stop.node, other.node,
                    {stand.since, its.since, i});
    }
  }

  bool is_absent(std::size_t incarnation, std::size_t i) const {
    return std::ranges::any_of(run.timeline.outages, [&](const Outage& outage) {
      return outage.incarnation == incarnation && outage.from <= i && i < outage.to;
    });
  }
};

void check_following(const CheckedRun& run) {
  Following{run}.check();
}

void sort_out(std::vector<NodeId>& nodes) {
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

// Checks each receipt without a sending, if the trace would have its sender's sendings.
void check_receipts(const CheckedRun& run) {
  const Timeline& timeline = run.timeline;
  std::vector<Reason>& reasons = run.report.reasons;
  // The sending may be among its sender's missing first lines.
  const std::set<NodeId> headless = nodes_without_beginning(timeline);
  // It may also be from an untraced process that came after all lines of the traced one.
  Reason untraced{"untraced", {}, {}};
  Reason strangers{"names_only", {}, {}};  // processes that use the name of a node
  for (const auto& [i, record] : run.trace.records) {
    const bool is_receipt = record.event == TraceEvent::receive;
    if (timeline.partner[i] != no_record) {
      if (is_receipt && is_about_election(record)) run.test(properties::sent);
      continue;
    }
    if (!is_receipt && record.event != TraceEvent::lost) continue;
    const bool is_known = std::ranges::binary_search(timeline.nodes, record.from);
    if (is_about_ping(record) || !is_known) continue;
    if (!is_receipt) {
      reasons.push_back({"contradiction", {record.node}, {i}});
      continue;
    }
    if (record.number && headless.contains(record.from)) continue;
    const Incarnation* sender = incarnation_at(timeline, record.from, i);
    const bool had_ended = sender != nullptr && sender->last_sign < i;
    if (!record.number) {
      strangers.add(record.from, i);
    } else if (had_ended) {
      untraced.add(record.from, i);
    } else {
      run.violation(properties::sent, "not_sent", record.node, record.from, {i});
    }
  }
  for (Reason* reason : {&untraced, &strangers}) {
    sort_out(reason->nodes);
    run.doubt(std::move(*reason));
  }
}

// [Tan95] A process that gets an ELECTION from a lower one sends ANSWER back. The k-th ANSWER of an
// incarnation to a node belongs to the k-th ELECTION from that node.
void check_answers(const CheckedRun& run) {
  // By incarnation and sender.
  std::map<std::pair<std::size_t, NodeId>, std::vector<std::size_t>> open;
  // In slow motion a process that leaves drops what it has not sent yet: to leave is no step then.
  std::map<std::size_t, std::size_t> last_step;
  for (const auto& [i, record] : run.trace.records) {
    const std::size_t incarnation = run.timeline.incarnation_of[i];
    const bool is_slow = run.timeline.incarnations[incarnation].waits.pace_ns > 0;
    if (is_step(record) && !(is_slow && record.event == TraceEvent::stop)) {
      last_step[incarnation] = i;
    }
    if (record.type->role == Role::asks && record.event == TraceEvent::receive &&
        run.prefers(record.node, record.from)) {
      open[{incarnation, record.from}].push_back(i);
      run.test(properties::answered);
    } else if (record.type->role == Role::answers && record.event == TraceEvent::send) {
      std::vector<std::size_t>& asked = open[{incarnation, record.to}];
      if (!asked.empty()) asked.erase(asked.begin());
    }
  }
  // A node that took another step was live, and had the time to answer. Otherwise it died at that
  // point, or the trace ends too early to show it.
  for (const auto& [from, receipts] : open) {
    const Incarnation& incarnation = run.timeline.incarnations[from.first];
    for (const std::size_t receipt : receipts) {
      if (last_step[from.first] > receipt) {
        run.violation(properties::answered, "not_answered", incarnation.node, from.second,
                      {receipt, incarnation.last});
      } else if (incarnation.gone == no_record) {
        run.report.reasons.push_back({"end_of_answer", {incarnation.node}, {receipt}});
      }
    }
  }
}

}  // namespace

bool is_step(const Record& record) {
  return !is_about_ping(record) && record.event != TraceEvent::rule && !is_act_on(record);
}

bool suspects_silence(const Record& record) {
  return record.event == TraceEvent::suspect &&
         (record.reason == "down" || record.reason == "hung");
}

bool disturbs_all(const Record& record) {
  return is_act_on(record) || record.event == TraceEvent::start ||
         record.event == TraceEvent::stop ||
         (record.event == TraceEvent::lost && record.reason != "gone");
}

std::set<NodeId> nodes_without_beginning(const Timeline& timeline) {
  std::set<NodeId> nodes;
  for (const Incarnation& incarnation : timeline.incarnations) {
    if (!incarnation.begins) nodes.insert(incarnation.node);
  }
  return nodes;
}

std::span<const Checker> checkers() {
  static constexpr auto all = std::to_array<Checker>({
      {&properties::by_rules, check_rules},
      {&properties::never_lower, check_following},
      {&properties::ends, check_following},
      {&properties::ends, check_endings},
      {&properties::ends, check_settling},
      {&properties::sent, check_receipts},
      {&properties::answered, check_answers},
      {&properties::answered, check_taking_office},
      {&properties::fifo, check_fifo},
      {&properties::one_neighbour, check_one_neighbour},
      {&properties::own_numbers, check_own_numbers},
      {&properties::within_bound, check_bound},
  });
  return all;
}

}  // namespace bully
