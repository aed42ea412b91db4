#include "trace/elections.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace bully {

namespace {

bool is_step(const Record& record) {
  return is_about_election(record) || record.event == TraceEvent::state ||
         record.event == TraceEvent::coordinator || record.event == TraceEvent::timeout ||
         record.event == TraceEvent::suspect;
}

Occasion occasion_of(std::string_view reason) {
  if (reason == "hung") return Occasion::hung;
  return reason == "deposed" ? Occasion::deposed : Occasion::down;
}

// What one node has said of itself so far.
struct Standing {
  enum class View : std::uint8_t { unknown, nobody, somebody };
  bool is_here = false;
  View view = View::unknown;
  NodeId coordinator = 0;
  // Whom it has told that it is coordinator, since it is, and who has not asked since.
  std::set<NodeId> told;
  // Its latest record that is neither sending nor loss, and whether that one leads to an election.
  bool is_prompted = false;
};

// Goes through the trace once, knowing who is there, and keeps count of who follows whom.
class Splitter {
 public:
  Splitter(const Trace& trace, const Causality& pairs, const Census& census)
      : records_(trace.records), pairs_(pairs), census_(census) {
    traced_.insert(census.nodes.begin(), census.nodes.end());
    for (std::size_t i = 0; i < census.lives.size(); ++i) {
      changes_.push_back({census.lives[i].first, i, true});
      if (census.lives[i].gone != no_record) changes_.push_back({census.lives[i].gone, i, false});
    }
    for (const Absence& absence : census.absences) {
      changes_.push_back({absence.from, absence.life, false});
      const std::size_t gone = census.lives[absence.life].gone;
      if (absence.to < gone) changes_.push_back({absence.to, absence.life, true});
    }
    // At one and the same record a predecessor leaves before its successor comes.
    std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
      return a.record != b.record ? a.record < b.record : a.comes < b.comes;
    });
  }

  std::vector<Election> run() {
    for (std::size_t i = 0; i < records_.size(); ++i) {
      close_if_over();
      come_and_go(i);
      const bool again = announces_again(records_[i]);
      const bool notices = misses_coordinator(records_[i]);
      const bool set_out = sets_out(records_[i]);
      take_step(i);
      follow_messages(i);
      if (!open_ && (!agree() || again || notices)) open(i, again);
      if (open_) watch(i, {.again = again, .notices = notices, .sets_out = set_out});
      returned_.reset();
      remember_prompt(i);
    }
    close_if_over();
    if (open_ && has_begun()) found_.push_back(election_);
    find_last_records();
    return std::move(found_);
  }

 private:
  struct Change {
    std::size_t record;
    std::size_t life;
    bool comes;
  };

  // --- Who is there, and whom each follows ---

  void come_and_go(std::size_t i) {
    for (; next_change_ < changes_.size() && changes_[next_change_].record == i; ++next_change_) {
      const Change& change = changes_[next_change_];
      const Life& life = census_.lives[change.life];
      count(life.node, -1);
      Standing& standing = standings_[life.node];
      if (change.comes && life.first == i) {
        standing = Standing{};
        standing.view = life.begins ? Standing::View::nobody : Standing::View::unknown;
      }
      if (change.comes && life.first != i) returned_ = life.node;
      standing.is_here = change.comes;
      count(life.node, +1);
    }
  }

  // Takes a node out of the count, or into it again.
  void count(NodeId node, int by) {
    const Standing& standing = standings_[node];
    if (!standing.is_here) return;
    here_ += by;
    if (standing.view == Standing::View::nobody) undecided_ += by;
    if (standing.view != Standing::View::somebody) return;
    int& followers = followers_[standing.coordinator];
    followers += by;
    if (followers == 0) followers_.erase(standing.coordinator);
  }

  void set_view(NodeId node, Standing::View view, NodeId coordinator) {
    count(node, -1);
    standings_[node].view = view;
    standings_[node].coordinator = coordinator;
    count(node, +1);
  }

  void take_step(std::size_t i) {
    const Record& record = records_[i];
    Standing& standing = standings_[record.node];
    if (record.event == TraceEvent::state) {
      standing.told.clear();
      if (record.state == "coordinator") {
        set_view(record.node, Standing::View::somebody, record.node);
      } else if (!is_settled_state(record.state)) {
        set_view(record.node, Standing::View::nobody, 0);
      }
    } else if (record.event == TraceEvent::coordinator) {
      set_view(record.node, Standing::View::somebody, *record.coordinator);
    } else if (record.event == TraceEvent::receive && record.type == MessageType::election) {
      standing.told.erase(record.from);
    } else if (record.event == TraceEvent::send && record.type == MessageType::coordinator) {
      standing.told.insert(record.to);
    }
  }

  bool is_here(NodeId node) { return !traced_.contains(node) || standings_[node].is_here; }

  // Whether every live node follows one and the same, who is there. Nobody disagrees with nobody.
  bool agree() {
    if (here_ == 0) return true;
    if (undecided_ > 0 || followers_.size() > 1) return false;
    return followers_.empty() || is_here(followers_.begin()->first);
  }

  // A coordinator that was stopped and goes on, unnoticed by all: it tells them once more.
  bool announces_again(const Record& record) {
    return record.event == TraceEvent::send && record.type == MessageType::coordinator &&
           standings_[record.node].told.contains(record.to);
  }

  // Whether a coordinator is suspected. Who holds an election follows nobody: on a ring it watches
  // its neighbour, and passes it over.
  bool misses_coordinator(const Record& record) {
    return record.event == TraceEvent::suspect &&
           standings_[record.node].view != Standing::View::nobody;
  }

  // Whether it holds an election from now on, and nothing that it was told or noticed made it do
  // so: it was stopped, and goes on.
  bool sets_out(const Record& record) {
    const Standing& standing = standings_[record.node];
    return record.event == TraceEvent::state && !is_settled_state(record.state) &&
           standing.view != Standing::View::nobody && !standing.is_prompted;
  }

  // --- The messages on their way ---

  // One that is only heard when its receiver was absent for long is not waited for.
  void follow_messages(std::size_t i) {
    const Record& record = records_[i];
    const std::size_t end = pairs_.partner[i];
    if (!is_about_election(record) || end == no_record) return;
    const std::int64_t took = records_[end].t_ns - record.t_ns;
    if (std::max(took, -took) > census_.absence_ns) return;
    if (record.event == TraceEvent::send && records_[end].event == TraceEvent::receive)
      ++under_way_;
    if (record.event == TraceEvent::receive) --under_way_;
  }

  // --- Elections ---

  // A node that was stopped first hears what was sent to it meanwhile, and may be coordinator for
  // all again before it announces itself: that is still the election with which it came back.
  void open(std::size_t i, bool again) {
    open_ = true;
    if (again && resumed_.contains(records_[i].node)) {
      election_ = std::move(found_.back());
      found_.pop_back();
      election_.survivors.clear();
      return;
    }
    has_moved_ = false;
    won_.clear();
    resumed_.clear();
    election_ = Election{};
    election_.number = found_.size() + 1;
    election_.first_record = i;
  }

  // What a record is for its election.
  struct Part {
    bool again = false;
    bool notices = false;
    bool sets_out = false;
  };

  void watch(std::size_t i, Part part) {
    const Record& record = records_[i];
    detect(i, part);
    if (part.again || takes_office(record)) won_.insert_or_assign(record.node, i);
    has_moved_ = has_moved_ || part.again || !agree();
    if (!has_moved_ || !agree()) {
      election_.settled_record.reset();
    } else if (!election_.settled_record) {
      election_.settled_record = i;
    }
  }

  // The state comes first, then whom it follows: itself.
  static bool takes_office(const Record& record) {
    return record.event == TraceEvent::state && record.state == "coordinator";
  }

  void detect(std::size_t i, Part part) {
    const Record& record = records_[i];
    if (part.notices) {
      election_.detections.push_back(
          {i, record.node, occasion_of(record.reason), record.coordinator});
    } else if (record.event == TraceEvent::start) {
      election_.detections.push_back({i, record.node, Occasion::start, std::nullopt});
    } else if (returned_ || part.again || part.sets_out) {
      const NodeId node = returned_.value_or(record.node);
      if (!resumed_.insert(node).second) return;
      election_.detections.push_back({i, node, Occasion::resumed, std::nullopt});
    }
  }

  // Whether a message that was received can make its receiver hold an election.
  static bool prompts(const Record& record) {
    if (record.type == MessageType::answer) return false;
    return record.type != MessageType::coordinator || record.from < record.node;
  }

  // What makes a node hold an election without that it noticed anything just now.
  void remember_prompt(std::size_t i) {
    const Record& record = records_[i];
    Standing& standing = standings_[record.node];
    switch (record.event) {
      case TraceEvent::send:
      case TraceEvent::lost:
      case TraceEvent::drop:
        return;
      case TraceEvent::receive:
        if (!is_about_election(record)) return;
        standing.is_prompted = prompts(record);
        return;
      default:
        standing.is_prompted =
            record.event != TraceEvent::state && record.event != TraceEvent::coordinator;
    }
  }

  // A coordinator that has left or was killed starts no election until somebody notices.
  bool has_begun() const {
    const std::size_t first = election_.first_record;
    if (!ends_life(records_[first])) return true;
    return std::any_of(records_.from(first), records_.end(), is_step);
  }

  void close_if_over() {
    if (!open_ || !election_.settled_record || under_way_ > 0) return;
    open_ = false;
    for (const NodeId node : census_.nodes) {
      if (standings_[node].is_here) election_.survivors.push_back(node);
    }
    if (!followers_.empty()) {
      election_.winner = followers_.begin()->first;
      const auto won = won_.find(*election_.winner);
      if (won != won_.end()) election_.won_record = won->second;
    }
    found_.push_back(std::move(election_));
  }

  // Late answers and the like belong to the election before them.
  void find_last_records() {
    for (std::size_t k = 0; k < found_.size(); ++k) {
      const std::size_t end = k + 1 < found_.size() ? found_[k + 1].first_record : records_.size();
      std::size_t last = end - 1;
      const std::size_t least = found_[k].settled_record.value_or(found_[k].first_record);
      while (last > least && !is_step(records_[last])) --last;
      found_[k].last_record = last;
    }
  }

  const Records& records_;
  const Causality& pairs_;
  const Census& census_;
  std::set<NodeId> traced_;
  std::vector<Change> changes_;
  std::size_t next_change_ = 0;

  std::unordered_map<NodeId, Standing> standings_;
  int here_ = 0;
  int undecided_ = 0;
  std::map<NodeId, int> followers_;  // of each coordinator, among those who are there
  int under_way_ = 0;

  bool open_ = false;
  bool has_moved_ = false;  // since it was opened, somebody disagreed
  Election election_;
  std::map<NodeId, std::size_t> won_;
  std::optional<NodeId> returned_;  // from an absence, with this record
  std::set<NodeId> resumed_;        // in the latest election
  std::vector<Election> found_;
};

}  // namespace

std::vector<Election> elections_of(const Trace& trace, const Causality& pairs,
                                   const Census& census) {
  return Splitter(trace, pairs, census).run();
}

std::vector<Election> elections_of(const Trace& trace) {
  const Causality pairs = pair_messages(trace);
  return elections_of(trace, pairs, census_of(trace, pairs));
}

}  // namespace bully
