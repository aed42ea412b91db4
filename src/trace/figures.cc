// figures.cc: counts messages and rules, and measures times.
#include "trace/figures.h"

#include <algorithm>
#include <utility>

namespace bully {

namespace {

bool counts_lost(const Algorithm* algorithm) {
  return algorithm == nullptr || algorithm->counts_lost;
}

bool is_of_loss(const Noticed& detection) {
  return detection.suspected && (detection.trigger == "down" || detection.trigger == "hung");
}

// The coordinator that left by itself, or the first coordinator found down or hung.
std::optional<NodeId> lost_coordinator_of(const std::vector<Record>& records,
                                          const Election& election) {
  const Record& first = records[election.first_record];
  if (ends_life(first)) return first.node;
  const auto found = std::ranges::find_if(election.detections, is_of_loss);
  return found == election.detections.end() ? std::nullopt : found->suspected;
}

// The messages of an election, and the signs in them that it differs from the textbook's.
struct Counted {
  Figures figures = {};
  std::set<NodeId> receivers = {};
  std::set<NodeId> askers = {};  // for an election in which they take part
  bool lost_on_the_way = false;
  std::set<std::uint64_t> epochs = {};  // of the messages that carry a number
  std::map<NodeId, NodeId> next = {};   // by sender: the receiver of its latest arrived message
};

Counted count_messages(const std::vector<Record>& records, const Timeline& timeline,
                       const Election& election) {
  Counted counted;
  Figures& figures = counted.figures;
  figures.lost_coordinator = lost_coordinator_of(records, election);
  for (std::size_t i = election.first_record; i <= election.last_record; ++i) {
    const Record& record = records[i];
    if (record.event != TraceEvent::send || !is_about_election(record)) continue;
    const std::size_t end = timeline.partner[i];
    const bool arrives = end != no_record && records[end].event == TraceEvent::receive;
    const bool is_lost = end != no_record && !arrives;
    ++figures.sent[record.type];
    if (arrives) ++figures.delivered[record.type];
    if (is_lost) ++figures.lost[record.type];
    const bool is_refused = is_lost && records[end].reason == "gone";
    if (is_refused) ++figures.refused;
    counted.lost_on_the_way = counted.lost_on_the_way || (is_lost && !is_refused);
    if (!is_lost || counts_lost(timeline.algorithm())) counted.receivers.insert(record.to);
    if (record.type->role == Role::joins) {
      counted.askers.insert(record.from);
    } else if (record.epoch()) {
      counted.epochs.insert(*record.epoch());
      if (arrives) counted.next.insert_or_assign(record.from, record.to);
    }
  }
  return counted;
}

// True if it cost more than `bound`.
bool exceeds(const MessageCounts& bound, const Figures& figures, const Algorithm& algorithm) {
  std::uint64_t most = 0;
  std::uint64_t taken = 0;
  for (const auto& [type, allowed] : bound) {
    if (allowed == 0) continue;
    most += allowed;
    taken += figures.sent.of(type) - (algorithm.counts_lost ? 0 : figures.lost.of(type));
  }
  return taken > most;
}

// The survivors: in the order in which messages went round, if they reached all; otherwise from the
// lowest. `counted_in`: the processes that the textbook counts.
std::vector<NodeId> in_order(const std::vector<NodeId>& survivors,
                             const std::map<NodeId, NodeId>& next,
                             const std::set<NodeId>& counted_in) {
  if (survivors.empty() || next.size() != survivors.size()) return survivors;
  std::vector<NodeId> ring = {survivors.front()};
  while (ring.size() < next.size()) {
    const auto hop = next.find(ring.back());
    if (hop == next.end() || hop->second == ring.front()) return survivors;
    ring.push_back(hop->second);
  }
  return std::set<NodeId>(ring.begin(), ring.end()) == counted_in ? ring : survivors;
}

bool is_undisturbed(const Timeline& timeline, const Election& election, NodeId changing) {
  const std::size_t from = election.first_record;
  const std::size_t to = election.last_record;
  const std::vector<Incarnation>& all = timeline.incarnations;
  for (auto one = std::ranges::lower_bound(all, from, {}, &Incarnation::first);
       one != all.end() && one->first <= to; ++one) {
    if (one->node != changing) return false;
  }
  const auto past = timeline.ends.upper_bound(to);
  for (auto end = timeline.ends.lower_bound(from); end != past; ++end) {
    if (all[end->second].node != changing) return false;
  }
  return std::ranges::none_of(timeline.outages, [&](const Outage& outage) {
    return all[outage.incarnation].node != changing && outage.from <= to && outage.to >= from;
  });
}

// Counts only undisturbed elections: one dead coordinator that all detectors had followed, or one
// node that comes back. No other process comes, goes or is silent meanwhile, and no message to a
// present process is lost.
std::optional<TextbookCount> textbook_of(const Timeline& timeline, const Election& election,
                                         Counted counted, const std::set<NodeId>& counted_in) {
  const Algorithm& algorithm = *timeline.algorithm();
  const std::vector<Noticed>& detections = election.detections;
  if (algorithm.count == nullptr || detections.empty()) return {};
  if (counted.epochs.size() > 1 || counted.lost_on_the_way) return {};
  const std::string_view trigger = detections.front().trigger;
  const bool returns = detections.size() == 1 && (trigger == "start" || trigger == "resumed");
  const std::optional<NodeId> lost = counted.figures.lost_coordinator;
  const auto has_lost_it = [lost](const Noticed& each) {
    return is_of_loss(each) && each.suspected == lost;
  };
  if (!returns && !(lost && std::ranges::all_of(detections, has_lost_it))) return {};
  const auto prefers = algorithm.prefers;
  const NodeId detector = std::ranges::max_element(detections, prefers, &Noticed::node)->node;
  const NodeId changing = returns ? detector : *lost;
  // A process that asks for an election but has not just come has timed out waiting for one.
  if (returns) counted.askers.erase(changing);
  if (!counted.askers.empty()) return {};
  // If the lost process does not count, any node may come or go; otherwise the textbook requires
  // the process that should be coordinator.
  const std::vector<NodeId> all(counted_in.begin(), counted_in.end());
  const bool is_any = !algorithm.counts_lost || algorithm.preferred_of(all) == changing;
  if (!is_any || !is_undisturbed(timeline, election, changing)) return {};
  if (!std::ranges::includes(counted_in, counted.receivers) || !counted_in.contains(detector)) {
    return {};
  }
  const auto rank = std::ranges::count_if(all, [&](NodeId id) { return prefers(detector, id); });
  const std::vector<NodeId> processes = in_order(election.survivors, counted.next, counted_in);
  const CountedElection run{processes, detector, !returns, detections.size()};
  const MessageCounts sent = algorithm.count(run);
  return TextbookCount{static_cast<std::size_t>(rank) + 1, sent,
                       algorithm.delivered == nullptr ? sent : algorithm.delivered(run)};
}

}  // namespace

Figures figures_of(const Trace& trace, const Timeline& timeline, const Election& election) {
  const Counted counted = count_messages(trace.records, timeline, election);
  Figures figures = counted.figures;
  const Algorithm* algorithm = timeline.algorithm();  // null: the nodes run different algorithms
  if (algorithm == nullptr || !election.winner) return figures;
  std::set<NodeId> counted_in(election.survivors.begin(), election.survivors.end());
  const bool counts_dead = algorithm->counts_lost && figures.lost_coordinator;
  if (counts_dead) counted_in.insert(*figures.lost_coordinator);
  figures.nodes = counted_in.size();
  if (election.survivors.size() >= 2 && algorithm->bound != nullptr) {
    // The textbook counts a dead coordinator in. Without one, the winner announces to one more
    // process.
    const bool is_one_more = algorithm->counts_lost && !counts_dead;
    figures.bound = algorithm->bound(figures.nodes + (is_one_more ? 1 : 0));
    figures.exceeds_bound = exceeds(*figures.bound, figures, *algorithm);
  }
  figures.textbook = textbook_of(timeline, election, counted, counted_in);
  return figures;
}

Phases phases_of(const Trace& trace, const Election& election,
                 std::optional<NodeId> lost_coordinator) {
  const auto between = [&](std::size_t from, std::size_t to) {
    return std::max<std::int64_t>(0, trace.records[to].t_ns - trace.records[from].t_ns);
  };
  Phases phases;
  for (std::size_t i = election.first_record + 1;
       lost_coordinator && !phases.last_sign && i-- > 0;) {
    const Record& record = trace.records[i];
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
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const Record& record = trace.records[i];
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

std::vector<RuleCount> rules_fired(const Trace& trace, const Timeline& timeline) {
  std::map<std::string_view, std::uint64_t> fired;
  for (const Record& record : trace.records) {
    if (record.event == TraceEvent::rule) ++fired[record.rule];
  }
  std::vector<RuleCount> counts;
  if (fired.empty()) return counts;
  std::set<const Rule*> counted;  // rings share some
  for (const Algorithm* algorithm : timeline.algorithms) {
    for (const Rule* rule : algorithm->rules) {
      if (counted.insert(rule).second) counts.push_back({rule, fired[rule->key]});
    }
  }
  return counts;
}

std::set<std::string_view> variants_run(const Trace& trace, const Timeline& timeline) {
  std::set<std::string_view> variants;
  for (const Incarnation& incarnation : timeline.incarnations) {
    const Record& first = trace.records[incarnation.first];
    if (first.given == nullptr || first.given->variant.empty()) continue;
    variants.insert(first.given->variant);
  }
  return variants;
}

static void take(Links& links, const Record& record) {
  if (environment_of(record).from_reply) {
    std::vector<NodeId>& named = links.named[record.node];
    if (named.empty() || named.back() != record.coordinator) named.push_back(*record.coordinator);
  }
  if (record.event != TraceEvent::send || !is_about_election(record)) return;
  ++links.sent[record.from][record.type];
  ++links.all[record.type];
  if (winner_in(record) == record.from) links.announced[record.from].insert(record.to);
}

std::optional<Links> links_of(const Trace& trace) {
  std::set<NodeId> observed;
  // By id and PID, the processes with lines of their own: a recorder knows no PIDs.
  std::set<std::pair<NodeId, std::int64_t>> tellers;
  for (const Record& record : trace.records) {
    if (record.event != TraceEvent::start) continue;
    if (environment_of(record).observed) {
      observed.insert(record.node);
    } else {
      tellers.emplace(record.node, record.pid);
    }
  }
  if (observed.empty()) return std::nullopt;
  Links links{.observed = {observed.begin(), observed.end()}};
  for (const Record& record : trace.records) {
    if (!tellers.contains({record.node, record.pid})) take(links, record);
  }
  return links;
}

}  // namespace bully
