// figures.cc: counts messages and rules, and measures times.
#include "history/figures.h"

#include <algorithm>
#include <utility>

namespace bully {

namespace {

// True if it cost more than `bound`.
bool exceeds(const MessageCounts& bound, const Election& election, const Algorithm& algorithm) {
  std::uint64_t most = 0;
  std::uint64_t taken = 0;
  for (const auto& [type, allowed] : bound) {
    if (allowed == 0) continue;
    most += allowed;
    taken += election.sent.of(type) - (algorithm.counts_lost ? 0 : election.lost.of(type));
  }
  return taken > most;
}

// The survivors: in the order in which messages went round, if they reached all; otherwise from the
// lowest. `counted_in`: the processes that the textbook counts.
std::vector<NodeId> in_order(const Election& election, const std::set<NodeId>& counted_in) {
  const std::vector<NodeId>& survivors = election.survivors;
  if (survivors.empty() || election.next.size() != survivors.size()) return survivors;
  std::vector<NodeId> ring = {survivors.front()};
  while (ring.size() < election.next.size()) {
    const auto hop = election.next.find(ring.back());
    if (hop == election.next.end() || hop->second == ring.front()) return survivors;
    ring.push_back(hop->second);
  }
  return std::set<NodeId>(ring.begin(), ring.end()) == counted_in ? ring : survivors;
}

// Counts only undisturbed elections: one dead coordinator that all detectors had followed, and that
// does not come back meanwhile; or one node that comes back. No other process comes, goes or is
// silent meanwhile, and no message to a present process is lost. `has_left`: the coordinator took
// its name with it, so nobody asks it.
std::optional<TextbookCount> textbook_of(const Algorithm& algorithm, const Election& election,
                                         const std::set<NodeId>& counted_in, bool has_left) {
  const std::vector<Detection>& detections = election.detections;
  if (algorithm.count == nullptr || detections.empty()) return {};
  if (election.epochs.size() > 1 || election.lost_on_the_way) return {};
  const std::string_view trigger = detections.front().trigger;
  const bool returns = detections.size() == 1 && (trigger == "start" || trigger == "resumed");
  const std::optional<NodeId> lost = election.lost_coordinator;
  const auto has_lost_it = [lost](const Detection& each) {
    return each.is_of_loss() && each.suspected == lost;
  };
  if (!returns && !(lost && std::ranges::all_of(detections, has_lost_it))) return {};
  if (!returns && std::ranges::count(election.survivors, *lost) > 0) return {};
  const auto prefers = algorithm.prefers;
  const NodeId detector = std::ranges::max_element(detections, prefers, &Detection::node)->node;
  const NodeId changing = returns ? detector : *lost;
  // A process that asks for an election but has not just come has timed out waiting for one.
  std::set<NodeId> askers = election.askers;
  if (returns) askers.erase(changing);
  if (!askers.empty()) return {};
  // If the lost process does not count, any node may come or go; otherwise the textbook requires
  // the process that should be coordinator.
  const std::vector<NodeId> all(counted_in.begin(), counted_in.end());
  const bool is_any = !algorithm.counts_lost || algorithm.preferred_of(all) == changing;
  const auto is_other = [changing](NodeId node) { return node != changing; };
  if (!is_any || std::ranges::any_of(election.changed, is_other)) return {};
  const auto is_counted = [&](const auto& one) { return counted_in.contains(one.first); };
  if (!std::ranges::all_of(election.receivers, is_counted) || !counted_in.contains(detector)) {
    return {};
  }
  const auto rank = std::ranges::count_if(all, [&](NodeId id) { return prefers(detector, id); });
  const std::vector<NodeId> processes = in_order(election, counted_in);
  const CountedElection run{processes, detector, !returns, detections.size()};
  const MessageCounts sent = algorithm.count(run);
  const MessageCounts delivered = algorithm.delivered == nullptr ? sent : algorithm.delivered(run);
  return TextbookCount{static_cast<std::size_t>(rank) + 1, has_left ? delivered : sent, delivered};
}

}  // namespace

Figures figures_of(const History& history, const Election& election) {
  Figures figures;
  const std::vector<const Algorithm*> algorithms = history.algorithms();
  if (algorithms.size() != 1 || !election.winner) return figures;
  const Algorithm& algorithm = *algorithms.front();
  std::set<NodeId> counted_in(election.survivors.begin(), election.survivors.end());
  // Unless it was only stopped, and is back.
  const bool counts_dead = algorithm.counts_lost && election.lost_coordinator &&
                           counted_in.insert(*election.lost_coordinator).second;
  figures.nodes = counted_in.size();
  if (election.survivors.size() >= 2 && algorithm.bound != nullptr) {
    // The textbook counts a dead coordinator in. Without one, the winner announces to one more
    // process.
    const bool is_one_more = algorithm.counts_lost && !counts_dead;
    figures.bound = algorithm.bound(figures.nodes + (is_one_more ? 1 : 0));
    figures.exceeds_bound = exceeds(*figures.bound, election, algorithm);
  }
  // The life that was lost by its last sign; it may have begun at the same time.
  const Life* lost = election.last_sign
                         ? history.life_at(*election.lost_coordinator, election.last_sign->t_ns + 1)
                         : nullptr;
  const bool has_left = lost != nullptr && lost->how == Life::End::left &&
                        lost->end.record == election.last_sign->record;
  figures.textbook = textbook_of(algorithm, election, counted_in, has_left);
  return figures;
}

std::optional<MessageCounts> textbook_for(const History& history, const MessageCounts& sent) {
  const Elections& elections = history.elections();
  if (elections.goes_on() || elections.all().empty() || elections.all().back().sent != sent) {
    return std::nullopt;
  }
  const auto textbook = figures_of(history, elections.all().back()).textbook;
  return textbook ? std::optional(textbook->sent) : std::nullopt;
}

Phases phases_of(const Election& election) {
  const auto between = [](Moment from, Moment to) {
    return std::max<std::int64_t>(0, to.t_ns - from.t_ns);
  };
  Phases phases;
  if (election.detections.empty()) return phases;
  const Moment first = election.detections.front().when;
  if (election.last_sign) {
    phases.detect = Phase{between(*election.last_sign, first), !election.is_moment_of_loss};
  }
  if (!election.settled || !election.won) return phases;
  phases.elect = Phase{between(first, *election.won)};
  phases.announce = Phase{between(*election.won, *election.settled)};
  return phases;
}

Overlaps two_coordinators(const History& history) {
  Overlaps found;
  // Offices that begin later, by their end: if they still last, they overlap with the next.
  std::multimap<std::int64_t, const History::Office*> lasting;
  const std::vector<History::Office> offices = history.all_offices();
  for (const History::Office& office : offices) {
    lasting.erase(lasting.begin(), lasting.upper_bound(office.since.t_ns));
    found.pairs += lasting.size();
    // Of many, the longest.
    std::size_t taken = 0;
    for (auto other = lasting.rbegin(); other != lasting.rend() && ++taken <= most_pairs; ++other) {
      const NodeId a = history.lives()[office.life].node;
      const NodeId b = history.lives()[other->second->life].node;
      const Moment to = office.until.t_ns < other->first ? office.until : other->second->until;
      if (to.t_ns <= office.since.t_ns) continue;
      found.longest.push_back({std::min(a, b), std::max(a, b), office.since, to});
    }
    lasting.emplace(office.until.t_ns, &office);
    if (found.longest.size() < 2 * most_pairs) continue;
    std::ranges::stable_sort(found.longest, std::greater(), &TwoCoordinators::ns);
    found.longest.resize(most_pairs);
  }
  std::ranges::stable_sort(found.longest, {},
                           [](const TwoCoordinators& one) { return one.from.record; });
  return found;
}

const Algorithm& algorithm_of(const Trace& trace) {
  std::set<MessageType> spoken;
  for (const Record& record : trace.records) {
    if (is_about_election(record)) spoken.insert(record.type);
    const bool names_it = record.event == TraceEvent::start && !record.algorithm.empty();
    if (names_it) return algorithm_named(record.algorithm);
  }
  const auto has_all = [&](const Algorithm& algorithm) {
    return std::ranges::all_of(spoken, [&](MessageType type) { return algorithm.speaks(type); });
  };
  const auto found = std::ranges::find_if(algorithms(), has_all);
  return found == algorithms().end() ? default_algorithm() : *found;
}

History history_of(const Trace& trace) {
  History history(algorithm_of(trace));
  for (std::size_t i = 0; i < trace.records.size(); ++i) history.take(trace.records[i], i);
  return history;
}

std::vector<RuleCount> rules_fired(const History& history) {
  std::vector<RuleCount> counts;
  std::set<const Rule*> counted;  // rings share some
  for (const Algorithm* algorithm : history.algorithms()) {
    for (const Rule* rule : algorithm->rules) {
      const auto fired = history.rules().find(rule->key);
      const bool is_new = fired != history.rules().end() && counted.insert(rule).second;
      if (is_new) counts.push_back({rule, fired->second});
    }
  }
  return counts;
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
  for (const Record& record : trace.records) {
    if (record.event != TraceEvent::start) continue;
    if (!environment_of(record).observed) return std::nullopt;
    observed.insert(record.node);
  }
  if (observed.empty()) return std::nullopt;
  Links links{.observed = {observed.begin(), observed.end()}};
  for (const Record& record : trace.records) take(links, record);
  return links;
}

}  // namespace bully
