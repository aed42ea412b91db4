#include "trace/lives.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace bully {

namespace {

// Far above what a machine under load needs between two steps, far below what a class waits.
constexpr std::int64_t least_absence_ns = 2'000'000'000;

// With --pace, messages take long: whoever is absent takes this many times as long as is usual.
constexpr std::int64_t usual_delays = 4;

// Whether the node itself did this: its monitor's pings and its being killed are no steps of its
// own.
bool is_own_step(const Record& record) {
  const bool is_monitors_ping =
      record.event == TraceEvent::send && record.type == MessageType::ping;
  return !is_monitors_ping && record.event != TraceEvent::crash;
}

// Whether the record is a sign that somebody else is not there, or does not react.
bool says_gone(const Record& record) {
  return (record.event == TraceEvent::lost && record.reason == "gone") ||
         (record.event == TraceEvent::suspect && record.reason == "down");
}
NodeId spoken_of(const Record& record) {
  return record.event == TraceEvent::suspect ? *record.coordinator : record.to;
}

std::int64_t usual_delay(const Trace& trace, const Causality& pairs) {
  std::vector<std::int64_t> delays;
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    const Record& record = trace.records[i];
    if (record.event != TraceEvent::receive || is_about_ping(record)) continue;
    if (pairs.partner[i] == no_record) continue;
    delays.push_back(record.t_ns - trace.records[pairs.partner[i]].t_ns);
  }
  if (delays.empty()) return 0;
  const auto middle = delays.begin() + static_cast<std::ptrdiff_t>(delays.size() / 2);
  std::nth_element(delays.begin(), middle, delays.end());
  return *middle;
}

class Counting {
 public:
  Counting(const Trace& trace, const Causality& pairs) : records_(trace.records), pairs_(pairs) {
    census_.absence_ns = std::max(least_absence_ns, usual_delays * usual_delay(trace, pairs));
  }

  Census run() {
    find_algorithms();
    find_lives();
    find_ends();
    find_passed_over();
    find_absences();
    find_names();
    return std::move(census_);
  }

 private:
  void find_lives() {
    census_.life_of.reserve(records_.size());
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const Record& record = records_[i];
      const auto [current, is_new] = current_.try_emplace(record.node, 0);
      if (is_new || begins_life(census_.lives[current->second], record)) {
        if (is_new) census_.nodes.push_back(record.node);
        if (!is_new) end_life(current->second, i);
        current->second = census_.lives.size();
        census_.lives.push_back({.node = record.node,
                                 .pid = record.pid,
                                 .first = i,
                                 .last = i,
                                 .begins = record.event == TraceEvent::start});
      }
      Life& life = census_.lives[current->second];
      census_.life_of.push_back(current->second);
      if (is_own_step(record)) life.last = i;
      if (record.event == TraceEvent::stop) life.stopped = true;
      if (ends_life(record)) end_life(current->second, i);
    }
    std::sort(census_.nodes.begin(), census_.nodes.end());
  }

  void end_life(std::size_t life, std::size_t i) {
    census_.lives[life].gone = std::min(census_.lives[life].gone, i);
  }

  static bool begins_life(const Life& life, const Record& record) {
    return record.event == TraceEvent::start || record.pid != life.pid;
  }

  // The first sign after a life's last record. Whoever shows a later step was not gone.
  void find_ends() {
    std::unordered_map<NodeId, std::size_t> current;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      current[records_[i].node] = census_.life_of[i];
      if (!says_gone(records_[i])) continue;
      const auto found = current.find(spoken_of(records_[i]));
      if (found == current.end()) continue;
      Life& life = census_.lives[found->second];
      if (i > life.last && i < life.gone) life.gone = i;
    }
  }

  void find_algorithms() {
    std::set<std::string_view> names;
    MessageCounts types{};
    for (const Record& record : records_) {
      if (record.event == TraceEvent::start) {
        names.insert(record.algorithm.empty() ? default_algorithm().name : record.algorithm);
      } else if (is_about_election(record)) {
        ++count_of(types, record.type);
      }
    }
    for (const Algorithm& algorithm : algorithms()) {
      if (names.contains(algorithm.name)) census_.algorithms.push_back(&algorithm);
    }
    for (const Algorithm& algorithm : algorithms()) {
      if (census_.algorithms.empty() && speaks_all(algorithm, types)) {
        census_.algorithms.push_back(&algorithm);
      }
    }
    if (census_.algorithms.empty()) census_.algorithms.push_back(&default_algorithm());
  }

  static bool speaks_all(const Algorithm& algorithm, const MessageCounts& types) {
    for (std::size_t type = 0; type < types.size(); ++type) {
      if (types[type] > 0 && !algorithm.speaks(static_cast<MessageType>(type))) return false;
    }
    return true;
  }

  // An election looks for all who have a name. Whom it passed over, and who takes no step any more,
  // has none: whoever swept it knew that nobody is behind it.
  void find_passed_over() {
    const Algorithm* algorithm = algorithm_of(census_);
    if (algorithm != nullptr && algorithm->is_ring) {
      find_passed_on_ring();
    } else {
      find_untold();
    }
  }

  void passed_over(NodeId winner, std::size_t since, const std::set<NodeId>& found) {
    for (Life& life : census_.lives) {
      if (life.first > since) break;
      if (life.node >= winner || life.last > since || found.contains(life.node)) continue;
      life.gone = std::min(life.gone, since);
    }
  }

  // When the leader takes office, its election has been all the way round.
  void find_passed_on_ring() {
    std::map<std::uint64_t, std::set<NodeId>> spoken_to;  // by epoch
    std::unordered_map<NodeId, std::uint64_t> heard;      // the latest epoch, by node
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const Record& record = records_[i];
      const bool numbered = is_about_election(record) && record.epoch && record.subject;
      if (numbered && record.event == TraceEvent::send) {
        spoken_to[*record.epoch].insert(record.to);
      } else if (numbered && record.event == TraceEvent::receive) {
        heard[record.node] = *record.epoch;
      } else if (record.event == TraceEvent::state && record.state == "coordinator") {
        const auto epoch = heard.find(record.node);
        if (epoch != heard.end()) passed_over(record.node, i, spoken_to[epoch->second]);
      }
    }
  }

  // A new coordinator tells every lower node whose name it finds.
  void find_untold() {
    struct Announcement {
      std::size_t since = no_record;
      std::set<NodeId> told;
    };
    std::vector<Announcement> announcements(census_.lives.size());
    const auto finish = [this](std::size_t winner, Announcement& announcement) {
      const std::size_t since = std::exchange(announcement.since, no_record);
      if (since != no_record) passed_over(census_.lives[winner].node, since, announcement.told);
    };
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const Record& record = records_[i];
      Announcement& announcement = announcements[census_.life_of[i]];
      const bool tells = record.event == TraceEvent::send && record.type != MessageType::answer;
      if (record.event == TraceEvent::state && record.state == "coordinator") {
        announcement = {i, {}};
      } else if (tells && record.type == MessageType::coordinator) {
        announcement.told.insert(record.to);
      } else if (record.event != TraceEvent::coordinator && record.event != TraceEvent::lost &&
                 !tells) {
        finish(census_.life_of[i], announcement);
      }
    }
    for (std::size_t life = 0; life < announcements.size(); ++life) {
      finish(life, announcements[life]);
    }
  }

  // A message sent to a node asks it for a step: to receive it. So does the suspicion that it
  // hangs.
  void find_absences() {
    std::unordered_map<NodeId, std::size_t> current;
    std::vector<std::size_t> asked(census_.lives.size(), no_record);
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const Record& record = records_[i];
      const std::size_t own = census_.life_of[i];
      current[record.node] = own;
      if (is_own_step(record)) {
        if (asked[own] != no_record) end_of_silence(own, asked[own], i);
        asked[own] = no_record;
      }
      const bool is_hung = record.event == TraceEvent::suspect && record.reason == "hung";
      if (!is_hung && !may_arrive(i)) continue;
      const auto found = current.find(spoken_of(record));
      if (found == current.end() || found->second == own) continue;
      if (census_.lives[found->second].gone <= i) continue;
      std::size_t& since = asked[found->second];
      since = std::min(since, i);
    }
    for (std::size_t life = 0; life < asked.size(); ++life) {
      if (asked[life] == no_record) continue;
      end_of_silence(life, asked[life], census_.lives[life].gone);
    }
    std::sort(census_.absences.begin(), census_.absences.end(),
              [](const Absence& a, const Absence& b) { return a.from < b.from; });
  }

  // Whether record `i` sends a message that its receiver has only to take.
  bool may_arrive(std::size_t i) const {
    if (records_[i].event != TraceEvent::send || is_about_ping(records_[i])) return false;
    const std::size_t end = pairs_.partner[i];
    return end == no_record || records_[end].event != TraceEvent::lost ||
           records_[end].reason == "deadline";
  }

  void end_of_silence(std::size_t life, std::size_t from, std::size_t to) {
    const std::int64_t until = records_[std::min(to, records_.size() - 1)].t_ns;
    if (until - records_[from].t_ns <= census_.absence_ns) return;
    census_.absences.push_back({life, from, to});
  }

  void find_names() {
    std::set<NodeId> names;
    // A node that is killed while it sends has told of sendings that never left.
    std::vector<std::size_t> last_other(census_.lives.size(), 0);
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (records_[i].event != TraceEvent::send) last_other[census_.life_of[i]] = i;
    }
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const Record& record = records_[i];
      if (record.event == TraceEvent::receive) names.insert(record.from);
      if (record.event == TraceEvent::coordinator) names.insert(*record.coordinator);
      if (record.event != TraceEvent::send || is_about_ping(record)) continue;
      if (may_arrive(i) && i < last_other[census_.life_of[i]]) names.insert(record.to);
    }
    std::set_difference(names.begin(), names.end(), census_.nodes.begin(), census_.nodes.end(),
                        std::back_inserter(census_.names_only));
  }

  const Records& records_;
  const Causality& pairs_;
  Census census_;
  std::unordered_map<NodeId, std::size_t> current_;
};

}  // namespace

const Algorithm* algorithm_of(const Census& census) {
  return census.algorithms.size() == 1 ? census.algorithms.front() : nullptr;
}

Census census_of(const Trace& trace, const Causality& pairs) {
  return Counting(trace, pairs).run();
}

std::optional<std::size_t> life_at(const Census& census, NodeId node, std::size_t record) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < census.lives.size() && census.lives[i].first <= record; ++i) {
    if (census.lives[i].node == node) found = i;
  }
  return found;
}

}  // namespace bully
