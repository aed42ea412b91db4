// observed.h: what a recorder on the links of processes would have seen of a run.
//
// Made of the trace that the processes wrote themselves. It follows PROTOCOL.md: messages that are
// carried, whom a process begins to ping, refused connections and removed names; nothing else.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "trace/elections.h"

namespace bully {

struct ObservedRun {
  const Trace& full;
  std::set<NodeId> who;  // who is observed; empty: all
  std::int64_t ping_ns;  // how long after a decision its first ping is seen
  Timeline timeline = timeline_of(full);
  std::multimap<std::pair<std::int64_t, std::size_t>, Record> seen = {};
  std::set<NodeId> announced = {};         // who sees itself as coordinator, as far as it has said
  std::set<const Incarnation*> dead = {};  // whose end has been seen
  std::map<NodeId, NodeId> pinged = {};
  std::map<NodeId, NodeId> follows = {};

  std::vector<Record> run() {
    for (const auto& [i, record] : full.records) {
      if (is_observed(record.node)) {
        see(record, i);
      } else {
        put(record.t_ns, i, record);
      }
    }
    std::vector<Record> records;
    for (const auto& [place, record] : seen) records.push_back(record);
    return records;
  }

  bool is_observed(NodeId node) const { return who.empty() || who.contains(node); }
  void put(std::int64_t t_ns, std::size_t i, Record record) {
    record.t_ns = t_ns;
    seen.emplace(std::pair(t_ns, i), record);
  }

  void see(const Record& record, std::size_t i) {
    if (record.event == TraceEvent::start) {
      announced.erase(record.node);
      pinged.erase(record.node);
      Record start = record;
      start.observed = true;
      put(record.t_ns, i, start);
    }
    if (record.event == TraceEvent::stop || record.event == TraceEvent::end) {
      put(record.t_ns, i, record);
    }
    if (record.event == TraceEvent::crash) {
      // Otherwise it is seen when a message is refused.
      const Incarnation* life = &timeline.incarnations[timeline.incarnation_of[i]];
      if (!is_refused_later(i) && dead.insert(life).second) put(record.t_ns, i, record);
    }
    if (record.event == TraceEvent::send && !is_about_ping(record)) see_sending(record, i);
    if (record.event == TraceEvent::receive && !is_observed(record.from))
      put(record.t_ns, i, record);
    if (record.event == TraceEvent::coordinator) follows[record.node] = *record.coordinator;
    const bool is_unsettled = record.event == TraceEvent::state && !is_settled(record.state);
    if (is_unsettled || record.event == TraceEvent::start) follows.erase(record.node);
    if (record.event == TraceEvent::send && record.type->role == Role::answers) {
      see_choice(record, i);
    }
    if (record.event == TraceEvent::coordinator && record.coordinator != record.node) {
      see_ping(record, i);
    }
    if (record.event == TraceEvent::state && !is_coordinating(record.state)) {
      announced.erase(record.node);
    }
  }

  bool is_refused_later(std::size_t i) const {
    const NodeId node = full.records[i].node;
    for (std::size_t k = i; k < full.records.size(); ++k) {
      const Record record = full.records[k];
      if (record.event == TraceEvent::start && record.node == node) return false;
      const bool is_gone = record.event == TraceEvent::lost && record.reason == "gone";
      if (is_gone && record.to == node) return true;
    }
    return false;
  }

  // Messages are refused without being seen once it is known that their receiver is gone.
  void see_sending(const Record& record, std::size_t i) {
    const std::size_t end = timeline.partner[i];
    const Incarnation* to = incarnation_at(timeline, record.to, i);
    const bool is_lost = end != no_record && full.records[end].event == TraceEvent::lost;
    const bool is_gone = is_lost && full.records[end].reason == "gone";
    if (is_gone && (to == nullptr || dead.contains(to) || to->stopped)) return;
    put(record.t_ns, i, record);
    announce(record, i);
    Record other = record;
    other.event = TraceEvent::receive;
    other.node = record.to;
    other.pid = to != nullptr ? to->pid : 0;
    if (is_gone) {
      Record lost = full.records[end];
      put(lost.t_ns, end, lost);
      if (!is_observed(record.to)) return;
      dead.insert(to);
      put(lost.t_ns, end, {.node = record.to, .pid = other.pid, .event = TraceEvent::crash});
    } else if (!is_lost && to != nullptr && is_observed(record.to)) {
      // It waits in its socket, if the process is stopped.
      const auto later = record.t_ns + 1'000'000;
      const bool has_end = end != no_record;
      if (!has_end && later > full.records[full.records.size() - 1].t_ns) return;
      const bool ends = to->gone != no_record && later > full.records[to->gone].t_ns;
      if (!has_end && ends) return;
      if (has_end) other.pid = full.records[end].pid;
      const auto taken = has_end ? full.records[end].t_ns : later;
      put(std::max(record.t_ns, std::min(later, taken)), has_end && taken <= later ? end : i,
          other);
    }
  }

  void announce(const Record& record, std::size_t i) {
    const Role role = record.type->role;
    const bool is_own = role == Role::announces ||
                        (role == Role::spreads && record.values.shown(record.type) == record.node);
    if (!is_own || !announced.insert(record.node).second) return;
    pinged.erase(record.node);
    put(record.t_ns, i,
        {.node = record.node,
         .pid = record.pid,
         .event = TraceEvent::coordinator,
         .coordinator = record.node});
  }

  // One that answers, and goes on following the same, is seen to ping that one afterwards.
  void see_choice(const Record& answer, std::size_t i) {
    const auto followed = follows.find(answer.node);
    if (followed == follows.end() || followed->second == answer.node) return;
    pinged.erase(answer.node);
    see_ping({.t_ns = answer.t_ns,
              .node = answer.node,
              .pid = answer.pid,
              .event = TraceEvent::coordinator,
              .coordinator = followed->second},
             i);
  }

  // Only if it still follows that one then, both are there, and it has pinged another since.
  void see_ping(const Record& record, std::size_t i) {
    const std::int64_t t_ns = record.t_ns + ping_ns;
    const Incarnation* other = incarnation_at(timeline, *record.coordinator, i);
    if (other == nullptr) return;
    const Incarnation* own = &timeline.incarnations[timeline.incarnation_of[i]];
    for (const Incarnation* life : {other, own}) {
      if (life->gone != no_record && full.records[life->gone].t_ns <= t_ns) return;
    }
    std::size_t k = i + 1;
    for (; k < full.records.size() && full.records[k].t_ns <= t_ns; ++k) {
      const Record later = full.records[k];
      const bool changes = later.node == record.node && (later.event == TraceEvent::coordinator ||
                                                         later.event == TraceEvent::state);
      if (changes && !(later.event == TraceEvent::state && is_settled(later.state))) return;
    }
    const auto before = pinged.find(record.node);
    if (before != pinged.end() && before->second == *record.coordinator) return;
    pinged[record.node] = *record.coordinator;
    // Nodes of ours say so in their replies.
    Record said = record;
    said.said = true;
    put(t_ns, k, said);
  }
};

inline std::vector<Record> as_observed(const Trace& full, const std::set<NodeId>& who = {},
                                       std::int64_t ping_ns = 700'000'000) {
  return ObservedRun{full, who, ping_ns}.run();
}

}  // namespace bully
