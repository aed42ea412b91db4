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
    // For an observed process: its latest new ping target; and the message that announced another
    // winner, until it shows that it accepted that one.
    std::optional<NodeId> pinged = std::nullopt;
    std::size_t told = no_record;
    bool has_spoken = false;                         // since then
    std::int64_t answered_ns = 0;                    // when it last answered
    std::optional<NodeId> announced = std::nullopt;  // since its last election
  };
  // An observed process that held another election after the winner's announcement reached it.
  struct HeldAgain {
    std::size_t incarnation;
    std::size_t told;
    bool may_have_been_stopped;
  };
  const CheckedRun& run;
  std::vector<Follower> followers = std::vector<Follower>(run.timeline.incarnations.size());
  std::vector<HeldAgain> again = {};

  void check() {
    for (const auto& [i, record] : run.trace.records) {
      Follower& follower = followers[run.timeline.incarnation_of[i]];
      if (record.event == TraceEvent::resume) follower.goes_on = true;
      if (!is_step(record)) continue;
      take_step(follower, record, i);
      follower.last = i;
    }
    find_unconfirmed();
  }

  void take_step(Follower& follower, const Record& record, std::size_t i) {
    const Sign sign = run.timeline.sign_of(record, i);
    if (run.timeline.is_observed(i)) {
      observe(follower, record, i, sign);
    } else {
      check_heard(follower, record, i);
    }
    if (record.event == TraceEvent::stop) check_long_stay(follower, record, i);
    follower.stand.take(sign, i);
    if (record.event != TraceEvent::coordinator || !sign) return;
    if (sign.coordinator != record.node) run.test(properties::never_lower);
    if (run.prefers(record.node, sign.coordinator)) {
      run.violation(properties::never_lower, ViolationKind::follows_below_itself, record.node,
                    sign.coordinator, {i});
    }
  }

  // --- Observed nodes ---

  void observe(Follower& follower, const Record& record, std::size_t i, Sign sign) {
    check_told(follower, record, i);
    const bool holds = sign.is(Sign::Kind::holds);
    if (holds) check_again(follower, record, i);
    if (record.type->role == Role::answers && record.event == TraceEvent::send) {
      follower.answered_ns = record.t_ns;
    }
    if (sign) follower.told = no_record;
    // The process that it pinged before it won does not show which one it follows afterwards.
    if (sign.is(Sign::Kind::wins)) follower.pinged.reset();
    if (is_own(record)) follower.has_spoken = true;
    const bool names = record.event == TraceEvent::coordinator;
    if (holds) follower.announced.reset();
    if (sign.is(Sign::Kind::follows) && !names && follower.pinged != sign.coordinator) {
      follower.told = i;
    }
    if (sign && record.event == TraceEvent::receive) {
      follower.announced = sign.coordinator;
      follower.has_spoken = false;
    }
    if (!names || record.coordinator == record.node) return;
    if (!run.timeline.shows_choice(record, i)) return;
    follower.pinged = record.coordinator;
    if (follower.announced == record.coordinator) {
      // It sent nothing between the two, perhaps stopped, and has followed the next one announced.
      std::erase_if(again, [this, i](const HeldAgain& one) {
        return one.incarnation == run.timeline.incarnation_of[i] && one.may_have_been_stopped;
      });
    }
    if (follower.stand.coordinator == record.coordinator) follower.told = no_record;
  }

  // The ping target shows which process it follows. It has ignored an announcement if it and the
  // winner live on for long, and it has begun neither to ping the winner nor to hold an election.
  void check_told(Follower& follower, const Record& record, std::size_t i) const {
    if (follower.told == no_record || !follower.pinged || !is_own(record)) return;
    const std::size_t told = follower.told;
    if (record.t_ns - run.at(told).t_ns <= repair_ns) return;
    follower.told = no_record;
    const Incarnation* winner = incarnation_at(run.timeline, *follower.stand.coordinator, told);
    if (winner == nullptr || winner->gone <= i) return;
    run.violation(properties::ends, ViolationKind::ignored_coordinator, record.node,
                  *follower.stand.coordinator, {told, i});
  }

  // A process that follows the winner pings it before it can suspect it. If it holds another
  // election without that ping, it may have ignored the winner; or it was stopped, or had not taken
  // the message. But a process that has just answered had a request for it.
  void check_again(const Follower& follower, const Record& record, std::size_t i) {
    if (follower.told == no_record) return;
    const std::int64_t told_ns = run.at(follower.told).t_ns;
    const Incarnation* winner =
        incarnation_at(run.timeline, *follower.stand.coordinator, follower.told);
    const std::size_t gone = winner != nullptr ? winner->gone : 0;
    const bool is_dead =
        gone != no_record && run.at(gone).t_ns - record.t_ns < run.timeline.outage_ns;
    const bool was_asked = record.t_ns - follower.answered_ns < min_pause_ns;
    if (is_dead || was_asked || record.t_ns - told_ns < min_pause_ns) return;
    again.push_back({run.timeline.incarnation_of[i], follower.told, !follower.has_spoken});
  }

  static bool is_own(const Record& record) {
    return record.event == TraceEvent::send || record.event == TraceEvent::stop;
  }

  // For a trace that ends too early to show the ping targets.
  void find_unconfirmed() {
    Reason in_vain{Doubt::told_in_vain, {}, {}};
    for (const auto& [incarnation, told, may_have_been_stopped] : again) {
      in_vain.add(run.timeline.incarnations[incarnation].node, told);
    }
    run.doubt(std::move(in_vain));
    Reason reason{Doubt::unconfirmed, {}, {}};
    std::set<std::optional<NodeId>> followed;
    for (const Follower& follower : followers) followed.insert(follower.stand.coordinator);
    for (std::size_t k = 0; k < followers.size(); ++k) {
      const Incarnation& incarnation = run.timeline.incarnations[k];
      const std::size_t told = followers[k].told;
      if (!incarnation.observed) continue;
      const bool has_shown = followers[k].stand.sign || followed.contains(incarnation.node);
      if (has_shown && told == no_record) continue;
      const std::size_t since = has_shown ? told : incarnation.first;
      // It had no time to show it.
      const bool ends_soon =
          incarnation.gone != no_record &&
          run.at(incarnation.gone).t_ns - run.at(since).t_ns <= run.timeline.outage_ns;
      if (ends_soon) continue;
      reason.add(incarnation.node, since);
    }
    if (run.timeline.nodes.size() > 1) run.doubt(std::move(reason));
  }

  // --- Nodes that write a trace ---

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
    if (record.event == TraceEvent::state) return;
    if (record.event == TraceEvent::coordinator) {
      follower.has_obeyed = true;
      const NodeId taken = *record.coordinator;
      if (is_spread && taken == record.node) return;
      if (run.prefers(announced, taken)) {
        run.violation(properties::never_lower, ViolationKind::follows_another, record.node, taken,
                      {heard, i});
      } else if (announced != taken && is_not_there(taken, i)) {
        run.violation(properties::ends, ViolationKind::ignored_coordinator, record.node, announced,
                      {heard, i});
      }
    } else if (record.event != TraceEvent::send && record.event != TraceEvent::lost) {
      if (!follower.has_obeyed && !is_spread && follower.stand.coordinator != announced) {
        run.violation(properties::ends, ViolationKind::ignored_coordinator, record.node, announced,
                      {heard, i});
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
      run.violation(properties::never_lower, ViolationKind::stayed_with_a_lower, stop.node,
                    other.node, {stand.since, its.since, i});
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
  Reason untraced{Doubt::untraced, {}, {}};
  Reason strangers{Doubt::names_only, {}, {}};  // processes that use the name of a node
  for (const auto& [i, record] : run.trace.records) {
    const bool is_receipt = record.event == TraceEvent::receive;
    if (timeline.partner[i] != no_record) {
      if (is_receipt && is_about_election(record)) run.test(properties::sent);
      continue;
    }
    if (!is_receipt && record.event != TraceEvent::lost) continue;
    const bool is_known = std::ranges::binary_search(timeline.nodes, record.from);
    if (is_about_ping(record) || timeline.is_observed(i) || !is_known) continue;
    if (!is_receipt) {
      reasons.push_back({Doubt::contradiction, {record.node}, {i}});
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
      run.violation(properties::sent, ViolationKind::not_sent, record.node, record.from, {i});
    }
  }
  for (Reason* reason : {&untraced, &strangers}) {
    sort_out(reason->nodes);
    run.doubt(std::move(*reason));
  }
}

// True if an answer to `receipt` would be visible. A message is refused if its receiver has ended
// before record `until`, or never had a name.
bool is_reachable(const CheckedRun& run, NodeId sender, std::size_t receipt, std::size_t until) {
  const Incarnation* incarnation = incarnation_at(run.timeline, sender, receipt);
  return incarnation == nullptr || (incarnation->begins && incarnation->gone >= until);
}

// True if it took a later step, and so had taken the message. For an observed process the message
// has only reached the socket, and the process may be stopped: from its next step on it is live,
// and takes the message soon.
bool has_lived_on(const CheckedRun& run, const Incarnation& incarnation, std::size_t receipt) {
  if (!incarnation.observed || incarnation.last <= receipt) return incarnation.last > receipt;
  std::size_t next = receipt + 1;
  const auto is_step_of_it = [&](std::size_t i) {
    const Record record = run.at(i);
    return record.node == incarnation.node &&
           (record.event == TraceEvent::send || record.event == TraceEvent::coordinator);
  };
  while (next < incarnation.last && !is_step_of_it(next)) ++next;
  return run.at(incarnation.last).t_ns - run.at(next).t_ns > run.timeline.outage_ns;
}

// [Tan95] A process that gets an ELECTION from a lower one sends ANSWER back. The k-th ANSWER of an
// incarnation to a node belongs to the k-th ELECTION from that node.
void check_answers(const CheckedRun& run) {
  std::set<std::size_t> answering;  // incarnations that answered any process
  // By incarnation and sender.
  std::map<std::pair<std::size_t, NodeId>, std::vector<std::size_t>> open;
  for (const auto& [i, record] : run.trace.records) {
    const std::size_t incarnation = run.timeline.incarnation_of[i];
    if (record.type->role == Role::asks && record.event == TraceEvent::receive &&
        run.prefers(record.node, record.from)) {
      open[{incarnation, record.from}].push_back(i);
      run.test(properties::answered);
    } else if (record.type->role == Role::answers && record.event == TraceEvent::send) {
      answering.insert(incarnation);
      std::vector<std::size_t>& asked = open[{incarnation, record.to}];
      if (!asked.empty()) asked.erase(asked.begin());
    }
  }
  // A node that took another step was live, and had the time to answer. Otherwise it died at that
  // point, or the trace ends too early to show it. From outside one answer may be invisible: its
  // sender gave up, because a recorder under load did not take it in time.
  Reason unseen{Doubt::unseen_message, {}, {}};
  for (const auto& [from, receipts] : open) {
    const Incarnation& incarnation = run.timeline.incarnations[from.first];
    for (const std::size_t receipt : receipts) {
      const std::size_t last = incarnation.last;
      if (incarnation.observed && !is_reachable(run, from.second, receipt, last)) continue;
      if (has_lived_on(run, incarnation, receipt) && incarnation.observed &&
          answering.contains(from.first)) {
        unseen.add(incarnation.node, receipt);
      } else if (has_lived_on(run, incarnation, receipt)) {
        run.violation(properties::answered, ViolationKind::not_answered, incarnation.node,
                      from.second, {receipt, incarnation.last});
      } else if (incarnation.gone == no_record) {
        run.report.reasons.push_back({Doubt::end_of_answer, {incarnation.node}, {receipt}});
      }
    }
  }
  sort_out(unseen.nodes);
  run.doubt(std::move(unseen));
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
