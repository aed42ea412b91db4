#include "trace/figures.h"

#include <algorithm>
#include <map>
#include <set>

namespace bully {

namespace {

class Measuring {
 public:
  Measuring(const Trace& trace, const Causality& pairs, const Census& census,
            const Election& election)
      : records_(trace.records),
        pairs_(pairs),
        census_(census),
        election_(election),
        algorithm_(algorithm_of(census)),
        is_ring_(algorithm_ != nullptr && algorithm_->is_ring) {}

  Figures run() {
    find_lost_coordinator();
    measure_phases();
    count_messages();
    if (algorithm_ != nullptr) {
      compare_with_bound();
      count_as_textbook();
    }
    return figures_;
  }

 private:
  // The coordinator that left by itself, or the first one that was found down or hung.
  void find_lost_coordinator() {
    const Record& first = records_[election_.first_record];
    if (ends_life(first)) figures_.lost_coordinator = first.node;
    for (const Noticed& detection : election_.detections) {
      if (figures_.lost_coordinator) break;
      const bool lost =
          detection.occasion == Occasion::down || detection.occasion == Occasion::hung;
      if (lost) figures_.lost_coordinator = detection.suspected;
    }
    if (!figures_.lost_coordinator) return;
    for (std::size_t i = election_.first_record + 1; i-- > 0;) {
      const Record& record = records_[i];
      if (record.node != *figures_.lost_coordinator) continue;
      if (record.event == TraceEvent::send && record.type == MessageType::ping) continue;
      figures_.last_sign = i;
      return;
    }
  }

  void measure_phases() {
    if (election_.detections.empty()) return;
    const auto first = election_.detections.front();
    if (figures_.last_sign) {
      const bool exact = ends_life(records_[*figures_.last_sign]);
      figures_.detect = Phase{between(*figures_.last_sign, first.record), !exact};
    }
    if (!election_.settled_record || !election_.won_record) return;
    const std::size_t won = *election_.won_record;
    figures_.elect = Phase{between(first.record, won), false};
    figures_.announce = Phase{between(won, *election_.settled_record), false};
  }

  std::int64_t between(std::size_t from, std::size_t to) const {
    return std::max<std::int64_t>(0, records_[to].t_ns - records_[from].t_ns);
  }

  void count_messages() {
    for (std::size_t i = election_.first_record; i <= election_.last_record; ++i) {
      const Record& record = records_[i];
      if (record.event != TraceEvent::send || !is_about_election(record)) continue;
      MessageFigures& messages = figures_.messages[static_cast<std::size_t>(record.type)];
      ++messages.sent;
      const std::size_t end = pairs_.partner[i];
      const bool arrives = end != no_record && records_[end].event == TraceEvent::receive;
      const bool is_lost = end != no_record && !arrives;
      messages.delivered += arrives ? 1 : 0;
      messages.lost += is_lost ? 1 : 0;
      lost_on_the_way_ = lost_on_the_way_ || (is_lost && records_[end].reason != "gone");
      // A ring passes over whoever is not there.
      if (!is_ring_ || !is_lost) others_.insert(record.to);
      if (record.epoch && !record.subject) askers_.insert(record.from);
      if (!record.epoch || !record.subject) continue;
      epochs_.insert(*record.epoch);
      if (arrives) next_.insert_or_assign(record.from, record.to);
    }
  }

  // Those that the textbook counts in, from the lowest.
  std::set<NodeId> counted_in() const {
    std::set<NodeId> nodes(election_.survivors.begin(), election_.survivors.end());
    if (figures_.lost_coordinator && !is_ring_) nodes.insert(*figures_.lost_coordinator);
    return nodes;
  }

  void compare_with_bound() {
    if (!election_.winner || election_.survivors.size() < 2) return;
    const std::size_t nodes = counted_in().size();
    figures_.bound = BoundCount{nodes, algorithm_->bound(nodes)};
    std::uint64_t most = 0;
    std::uint64_t taken = 0;
    for (std::size_t type = 0; type < figures_.messages.size(); ++type) {
      if (figures_.bound->sent[type] == 0) continue;
      const MessageFigures& messages = figures_.messages[type];
      most += figures_.bound->sent[type];
      taken += messages.sent - (is_ring_ ? messages.lost : 0);
    }
    figures_.exceeds_bound = taken > most;
  }

  // It counts only undisturbed elections: one dead coordinator that everyone who noticed had
  // followed, or one node that comes back; nobody else comes, goes, or is silent meanwhile,
  // and no message is lost on its way to somebody who is there.
  void count_as_textbook() {
    if (!election_.winner || election_.detections.empty()) return;
    if (epochs_.size() > 1 || lost_on_the_way_) return;
    const bool returns =
        election_.detections.size() == 1 && (election_.detections[0].occasion == Occasion::start ||
                                             election_.detections[0].occasion == Occasion::resumed);
    if (!returns && !all_noticed_one()) return;
    const std::set<NodeId> nodes = counted_in();
    NodeId lowest = election_.detections[0].node;
    for (const Noticed& detection : election_.detections) lowest = std::min(lowest, detection.node);
    const NodeId changing = returns ? lowest : *figures_.lost_coordinator;
    // Whoever asks for an election but has not just come has waited for one in vain.
    const std::set<NodeId> may_ask = returns ? std::set{changing} : std::set<NodeId>{};
    if (!std::includes(may_ask.begin(), may_ask.end(), askers_.begin(), askers_.end())) return;
    // On a ring it is all one who comes or goes; otherwise the textbook speaks of the highest.
    if ((!is_ring_ && *nodes.rbegin() != changing) || !undisturbed(changing)) return;
    if (!std::includes(nodes.begin(), nodes.end(), others_.begin(), others_.end())) return;
    if (!nodes.contains(lowest)) return;
    const auto rank = static_cast<std::size_t>(std::distance(nodes.begin(), nodes.find(lowest)));
    const std::vector<NodeId> processes = in_order();
    const CountedElection counted{processes, lowest, !returns};
    const MessageCounts sent = algorithm_->count(counted);
    figures_.textbook =
        TextbookCount{nodes.size(), rank + 1, sent,
                      algorithm_->delivered == nullptr ? sent : algorithm_->delivered(counted)};
  }

  // The survivors: where messages went round all of them, as they went; else from the lowest.
  std::vector<NodeId> in_order() const {
    if (!is_ring_ || next_.size() != election_.survivors.size()) return election_.survivors;
    std::vector<NodeId> ring = {election_.survivors.front()};
    while (ring.size() < next_.size()) {
      const auto next = next_.find(ring.back());
      if (next == next_.end() || next->second == ring.front()) return election_.survivors;
      ring.push_back(next->second);
    }
    std::vector<NodeId> sorted = ring;
    std::sort(sorted.begin(), sorted.end());
    return sorted == election_.survivors ? ring : election_.survivors;
  }

  bool all_noticed_one() const {
    return figures_.lost_coordinator &&
           std::all_of(election_.detections.begin(), election_.detections.end(),
                       [&](const Noticed& detection) {
                         return (detection.occasion == Occasion::down ||
                                 detection.occasion == Occasion::hung) &&
                                detection.suspected == figures_.lost_coordinator;
                       });
  }

  // Whether no node but `changing` came, left or was silent during the election.
  bool undisturbed(NodeId changing) const {
    const std::size_t from = election_.first_record;
    const std::size_t to = election_.last_record;
    for (const Life& life : census_.lives) {
      if (life.node == changing) continue;
      if (life.first >= from && life.first <= to) return false;
      if (life.gone >= from && life.gone <= to) return false;
    }
    return std::none_of(census_.absences.begin(), census_.absences.end(),
                        [&](const Absence& absence) {
                          const bool meanwhile = absence.from <= to && absence.to >= from;
                          return meanwhile && census_.lives[absence.life].node != changing;
                        });
  }

  const Records& records_;
  const Causality& pairs_;
  const Census& census_;
  const Election& election_;
  const Algorithm* algorithm_;  // null: the nodes run different ones
  bool is_ring_;
  Figures figures_;
  std::set<NodeId> others_;  // to whom messages were sent
  std::set<NodeId> askers_;  // for an election in which they take part
  bool lost_on_the_way_ = false;
  std::set<std::uint64_t> epochs_;  // of the messages that carry a number
  std::map<NodeId, NodeId> next_;   // to whom each of these last sent one that arrived
};

}  // namespace

Figures figures_of(const Trace& trace, const Causality& pairs, const Census& census,
                   const Election& election) {
  return Measuring(trace, pairs, census, election).run();
}

std::vector<TwoCoordinators> two_coordinators(const Trace& trace, const Census& census) {
  std::vector<TwoCoordinators> found;
  std::map<std::size_t, std::size_t> in_office;  // life, and since which record
  const auto leave_office = [&](std::size_t life, std::size_t at) {
    const auto mine = in_office.find(life);
    if (mine == in_office.end()) return;
    for (const auto& [other, since] : in_office) {
      if (other == life) continue;
      const NodeId a = census.lives[life].node;
      const NodeId b = census.lives[other].node;
      found.push_back({std::min(a, b), std::max(a, b), std::max(mine->second, since), at});
    }
    in_office.erase(mine);
  };
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const Record& record = trace.records[i];
    const std::size_t life = census.life_of[i];
    if (record.event == TraceEvent::state && record.state == "coordinator") {
      in_office.emplace(life, i);
    } else if (record.event == TraceEvent::state || i == census.lives[life].last) {
      leave_office(life, i);
    }
    if (i == census.lives[life].last) leave_office(life, i);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const TwoCoordinators& a, const TwoCoordinators& b) {
                     return a.from_record < b.from_record;
                   });
  return found;
}

}  // namespace bully
