// elections.cc: splits the records of a run into elections.
#include "trace/elections.h"

#include <algorithm>
#include <map>
#include <set>

#include "trace/replica.h"

namespace bully {

namespace {

// True for a record with which an election can begin or end.
bool belongs_to_one(const Record& record) {
  using enum TraceEvent;
  return is_about_election(record) || record.event == state || record.event == coordinator ||
         record.event == timeout || record.event == suspect;
}

bool announces(const Record& record) {
  return record.event == TraceEvent::send && record.type->role == Role::announces;
}

// A node by its records so far: its belief, and the signs that decide where an election begins.
struct Member {
  bool is_present = false;
  Belief belief = {};
  // The processes that have its announcement, and have not asked since.
  std::set<NodeId> announced_to = {};
  bool goes_on = false;  // its latest step is the one after a stop
};

// Goes through the trace once, with the known incarnations, and keeps count of followers.
struct Splitter {
  // At the same record a predecessor leaves before its successor comes.
  struct Change {
    std::size_t record;
    bool comes;
    std::size_t incarnation;
    auto operator<=>(const Change&) const = default;  // NOLINT(*-use-nullptr): a false alarm
  };

  struct Part {
    // A coordinator announces itself to its followers again: it was stopped and continued,
    // undetected.
    bool again;
    // A node suspects its coordinator, and not, in a ring election, its neighbour.
    bool notices;
    // A node begins an election since it was stopped, and continued.
    bool sets_out;
  };

  const std::vector<Record>& records;
  const Timeline& timeline;
  std::set<Change> changes = {};
  std::unordered_map<NodeId, Member> members = {};
  // The present followers of each coordinator, or of none.
  std::map<std::optional<NodeId>, int> followers = {};
  int under_way = 0;

  bool is_open = false;
  Election election = {};
  std::map<NodeId, std::size_t> won = {};
  std::optional<NodeId> returned = std::nullopt;  // from an outage, with this record
  std::set<NodeId> resumed = {};                  // in the latest election
  std::vector<Election> found = {};

  std::vector<Election> run() {
    find_changes();
    for (std::size_t i = 0; i < records.size(); ++i) {
      const Record& record = records[i];
      close_if_over();
      come_and_go(i);
      const Sign sign = sign_of(record);
      const Part part = part_of(record, sign);
      take_step(record, i, sign);
      follow_message(record, i);
      if (!is_open && (!agree() || part.again || part.notices || part.sets_out)) {
        open(record, i, part);
      }
      if (is_open) watch(record, i, part, sign);
      if (Replica::begins_step(record)) members[record.node].goes_on = record.reason == "resumed";
    }
    close_if_over();
    if (is_open) found.push_back(election);
    find_last_records();
    // A coordinator that has left or was killed starts no election until another process detects
    // it.
    if (is_open && ends_life(records[election.first_record]) &&
        found.back().last_record == election.first_record) {
      found.pop_back();
    }
    return std::move(found);
  }

  // --- Present nodes and their coordinators ---

  void find_changes() {
    for (std::size_t k = 0; k < timeline.incarnations.size(); ++k) {
      const Incarnation& incarnation = timeline.incarnations[k];
      if (incarnation.gone == incarnation.first) continue;  // killed before its first line
      changes.insert({incarnation.first, true, k});
      changes.insert({incarnation.gone, false, k});
    }
    for (const Outage& outage : timeline.outages) {
      changes.insert({outage.from, false, outage.incarnation});
      const bool returns = outage.to < timeline.incarnations[outage.incarnation].gone;
      if (returns) changes.insert({outage.to, true, outage.incarnation});
    }
  }

  void come_and_go(std::size_t i) {
    returned.reset();
    for (; !changes.empty() && changes.begin()->record == i; changes.erase(changes.begin())) {
      const Change& change = *changes.begin();
      const Incarnation& incarnation = timeline.incarnations[change.incarnation];
      Member& member = members[incarnation.node];
      count(member, -1);
      if (change.comes && incarnation.first == i) {
        member = {};
        // A process that begins follows no coordinator.
        if (incarnation.begins) member.belief.take({Sign::Kind::holds}, i);
      } else if (change.comes) {
        returned = incarnation.node;
      }
      member.is_present = change.comes;
      count(member, +1);
    }
  }

  void count(const Member& member, int by) {
    if (!member.is_present || !member.belief) return;
    int& number = followers[member.belief.coordinator];
    number += by;
    if (number == 0) followers.erase(member.belief.coordinator);
  }

  void take_step(const Record& record, std::size_t i, Sign sign) {
    Member& member = members[record.node];
    if (record.event == TraceEvent::state) member.announced_to.clear();
    count(member, -1);
    member.belief.take(sign, i);
    count(member, +1);
    if (record.event == TraceEvent::receive && record.type->role == Role::asks) {
      member.announced_to.erase(record.from);
    } else if (announces(record)) {
      member.announced_to.insert(record.to);
    }
  }

  // True if all live nodes follow the same present process. If none is live, they agree.
  bool agree() {
    if (followers.size() != 1) return followers.empty();
    const std::optional<NodeId> coordinator = followers.begin()->first;
    if (!coordinator) return false;
    // A node without a trace counts as present.
    return !std::ranges::binary_search(timeline.nodes, *coordinator) ||
           members[*coordinator].is_present;
  }

  Part part_of(const Record& record, Sign sign) {
    const Member& member = members[record.node];
    const std::optional<NodeId>& followed = member.belief.coordinator;
    // It may also detect that a process other than its coordinator is gone.
    const bool suspects_own =
        record.event == TraceEvent::suspect && (!followed || followed == record.coordinator);
    return {.again = announces(record) && member.announced_to.contains(record.to),
            .notices = suspects_own && !member.belief.holds(),
            .sets_out = sign.holds() && !member.belief.holds() && member.goes_on};
  }

  // --- Messages in flight ---

  // Does not wait for a message whose receiver takes it only after a long absence.
  void follow_message(const Record& record, std::size_t i) {
    const std::size_t end = timeline.partner[i];
    if (!is_about_election(record) || end == no_record) return;
    const Record& other = records[end];
    if (std::abs(other.t_ns - record.t_ns) > timeline.outage_ns) return;
    if (other.event == TraceEvent::receive) ++under_way;
    if (record.event == TraceEvent::receive) --under_way;
  }

  // --- Elections ---

  // A node that was stopped first handles the messages that waited for it, and may be coordinator
  // for all again before it announces itself: that still belongs to the election with which it came
  // back.
  void open(const Record& record, std::size_t i, Part part) {
    is_open = true;
    if (part.again && resumed.contains(record.node)) {
      election = std::move(found.back());
      found.pop_back();
      election.survivors.clear();
      return;
    }
    won.clear();
    resumed.clear();
    election = {.number = found.size() + 1, .first_record = i};
  }

  // A lone process that wins sends no message.
  bool shows_election(const Record& record, Sign sign) const {
    const bool is_lone = timeline.nodes.size() == 1 && sign.is(Sign::Kind::wins);
    return is_lone || is_about_election(record) || sign.holds() ||
           record.event == TraceEvent::timeout || record.event == TraceEvent::rule;
  }

  void watch(const Record& record, std::size_t i, Part part, Sign sign) {
    detect(record, i, part);
    election.took_place = election.took_place || shows_election(record, sign);
    if (part.again || sign.is(Sign::Kind::wins)) won.insert_or_assign(record.node, i);
    const bool moves = part.again || part.sets_out || !agree();
    if (moves && !election.moved_record) election.moved_record = i;
    if (!election.moved_record || !agree()) {
      election.settled_record.reset();
    } else if (!election.settled_record) {
      election.settled_record = i;
    }
  }

  void detect(const Record& record, std::size_t i, Part part) {
    std::vector<Noticed>& detections = election.detections;
    if (part.notices) {
      // A coordinator's finding is a reason for an election, but no part of one.
      if (record.reason == "found" && !detections.empty()) return;
      detections.push_back({i, record.node, record.reason, record.coordinator});
    } else if (record.event == TraceEvent::start) {
      detections.push_back({i, record.node, "start"});
    } else if (returned || part.again || part.sets_out) {
      const NodeId node = returned.value_or(record.node);
      if (resumed.insert(node).second) detections.push_back({i, node, "resumed"});
    }
  }

  void close_if_over() {
    if (!is_open || !election.settled_record || under_way > 0) return;
    is_open = false;
    if (!followers.empty()) election.winner = followers.begin()->first;
    for (const NodeId node : timeline.nodes) {
      if (members[node].is_present) election.survivors.push_back(node);
    }
    if (!followers.empty()) {
      const auto record = won.find(*election.winner);
      if (record != won.end()) election.won_record = record->second;
    }
    found.push_back(std::move(election));
  }

  // Late answers and the like belong to the election before them.
  void find_last_records() {
    std::size_t end = records.size();
    for (auto one = found.rbegin(); one != found.rend(); ++one) {
      const std::size_t least = one->settled_record.value_or(one->first_record);
      one->last_record = end - 1;
      while (one->last_record > least && !belongs_to_one(records[one->last_record])) {
        --one->last_record;
      }
      end = one->first_record;
    }
  }
};

}  // namespace

std::vector<Election> elections_of(const Trace& trace, const Timeline& timeline) {
  return Splitter{trace.records, timeline}.run();
}

}  // namespace bully
