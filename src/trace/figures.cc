#include "trace/figures.h"

#include <algorithm>
#include <map>
#include <set>

namespace bully {

namespace {

std::optional<std::size_t> place_of(MessageType type) {
  for (std::size_t k = 0; k < election_messages.size(); ++k) {
    if (election_messages[k] == type) return k;
  }
  return std::nullopt;
}

class Measuring {
 public:
  Measuring(const Trace& trace, const Causality& pairs, const Census& census,
            const Election& election)
      : records_(trace.records), pairs_(pairs), census_(census), election_(election) {}

  Figures run() {
    find_lost_coordinator();
    measure_phases();
    count_messages();
    count_as_textbook();
    return figures_;
  }

 private:
  // The coordinator that left by itself, or the first one that was found down or hung.
  void find_lost_coordinator() {
    const Record& first = records_[election_.first_record];
    if (first.event == TraceEvent::stop) figures_.lost_coordinator = first.node;
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
      const bool exact = records_[*figures_.last_sign].event == TraceEvent::stop;
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
      const std::optional<std::size_t> place = place_of(record.type);
      if (record.event != TraceEvent::send || !place) continue;
      MessageFigures& messages = figures_.messages[*place];
      ++messages.sent;
      others_.insert(record.to);
      const std::size_t end = pairs_.partner[i];
      if (end == no_record) continue;
      ++(records_[end].event == TraceEvent::receive ? messages.delivered : messages.lost);
    }
  }

  // It counts only undisturbed elections: one dead coordinator that everyone who noticed had
  // followed, or one node that comes back; nobody else comes, goes, or is silent meanwhile.
  void count_as_textbook() {
    if (!election_.winner || election_.detections.empty()) return;
    std::set<NodeId> nodes(election_.survivors.begin(), election_.survivors.end());
    const bool returns =
        election_.detections.size() == 1 && (election_.detections[0].occasion == Occasion::start ||
                                             election_.detections[0].occasion == Occasion::resumed);
    NodeId lowest = election_.detections[0].node;
    if (!returns) {
      if (!all_noticed_one()) return;
      nodes.insert(*figures_.lost_coordinator);
      for (const Noticed& detection : election_.detections) {
        lowest = std::min(lowest, detection.node);
      }
    }
    const std::optional<NodeId> changing =
        returns ? std::optional(lowest) : figures_.lost_coordinator;
    if (*nodes.rbegin() != *changing || !undisturbed(*changing)) return;
    if (!std::includes(nodes.begin(), nodes.end(), others_.begin(), others_.end())) return;
    if (!nodes.contains(lowest)) return;
    const auto rank = static_cast<std::size_t>(std::distance(nodes.begin(), nodes.find(lowest)));
    figures_.textbook = textbook_count(nodes.size(), rank + 1);
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

  const std::vector<Record>& records_;
  const Causality& pairs_;
  const Census& census_;
  const Election& election_;
  Figures figures_;
  std::set<NodeId> others_;  // to whom messages were sent
};

}  // namespace

TextbookCount textbook_count(std::size_t nodes, std::size_t lowest_rank) {
  TextbookCount count{.nodes = nodes, .lowest_rank = lowest_rank};
  const std::uint64_t above = nodes - lowest_rank;
  if (above == 0) {
    // [Tan95] The highest that comes back only announces itself.
    count.coordinator = nodes - 1;
    return count;
  }
  count.election = above * (above + 1) / 2;
  count.election_delivered = above * (above - 1) / 2;
  count.answer = count.election_delivered;
  count.coordinator = nodes - 2;
  return count;
}

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
