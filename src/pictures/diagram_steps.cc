// diagram_steps.cc: puts records into steps and lanes.
#include "pictures/diagram_steps.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/list.h"

namespace bully {

namespace {

// True if the record is part of a process's reaction to an event, not the event itself.
bool is_consequence(const Record& record) {
  using enum TraceEvent;
  return record.event == send || record.event == state || record.event == coordinator ||
         record.event == rule;
}

// The messages that an observed process sends within this time are drawn as one step.
constexpr std::int64_t one_step_ns = 10'000'000;

// Goes through the records once; each of them continues the nodes, the open steps and the messages
// that the ones before have left. As functions on values, each would take and return all of these.
struct Builder {
  const std::vector<Record>& records;
  const Timeline& timeline;
  bool pings;
  Diagram diagram;
  // Unrecorded crashes, by the first record from which another process could detect each.
  std::multimap<std::size_t, Record> crashes = {};
  std::int64_t begin_ns = 0;
  Snapshots nodes = {};
  std::map<NodeId, std::size_t> open = {};  // the step that a node's next consequence belongs to
  std::set<NodeId> seen = {};
  std::set<NodeId> observed = {};  // by a recorder, and alive
  // By the record of its sending, or otherwise of its receipt or loss.
  std::map<std::size_t, std::size_t> message_of = {};

  Diagram build(Excerpt excerpt) {
    for (const Incarnation& one : timeline.incarnations) {
      if (one.left || one.gone == no_record) continue;
      const Record& sign = records[one.gone];
      if (sign.event == TraceEvent::crash && sign.node == one.node) continue;
      crashes.emplace(one.gone,
                      Record{.t_ns = sign.t_ns, .node = one.node, .event = TraceEvent::crash});
    }
    take(0, excerpt.first, [this](const Record& record, std::size_t) { take_in(record); });
    choose_lanes(excerpt);
    take(excerpt.first, excerpt.last, [this](const Record& record, std::size_t i) {
      // What follows is no consequence of the step before it.
      if (record.event == TraceEvent::step) open.erase(record.node);
      if (shown(record)) add(record, i);
    });
    diagram.after = nodes_before(excerpt.last);
    diagram.observed = !observed.empty();
    choose_winner();
    return diagram;
  }

  void take_in(const Record& record) {
    if (record.event == TraceEvent::start || ends_life(record)) observed.erase(record.node);
    if (environment_of(record).observed) observed.insert(record.node);
    learn(nodes[record.node], record);
  }

  void choose_winner() {
    const auto wins = [this](const Snapshot& node) {
      const bool follows_itself = observed.contains(node.id) && node.coordinator == node.id;
      return node.condition == Condition::running &&
             (is_coordinating(node.state) || follows_itself);
    };
    const std::vector<NodeId> winners = list_of(diagram.after, wins, &Snapshot::id);
    diagram.winner = winners.empty() ? followed_by_all() : diagram.algorithm->preferred_of(winners);
  }

  // The lanes of processes that did not react when record `i` came.
  std::vector<std::size_t> stopped_at(std::size_t i) const {
    std::vector<std::size_t> lanes;
    for (const Outage& outage : timeline.outages) {
      const NodeId id = timeline.incarnations[outage.incarnation].node;
      if (i < outage.from || i >= outage.to) continue;
      if (std::ranges::binary_search(diagram.lanes, id)) lanes.push_back(lane_of(id));
    }
    return lanes;
  }

  // An observed process that has been coordinator all the time does not announce that: its
  // followers show it.
  std::optional<NodeId> followed_by_all() const {
    std::optional<NodeId> followed;
    for (const Snapshot& node : diagram.after) {
      if (!node.is_alive() || (observed.contains(node.id) && !node.coordinator)) continue;
      if (!node.coordinator || (followed && followed != node.coordinator)) return {};
      followed = node.coordinator;
    }
    const auto found = followed ? nodes.find(*followed) : nodes.end();
    const bool is_there = found != nodes.end() && found->second.is_alive();
    if (!is_there || !observed.contains(*followed)) return {};
    return followed;
  }

  // With no_record for unrecorded crashes.
  void take(std::size_t first, std::size_t last, auto handle) const {
    for (std::size_t i = first; i < last; ++i) {
      const auto [begin, end] = crashes.equal_range(i);
      for (auto crash = begin; crash != end; ++crash) handle(crash->second, no_record);
      handle(records[i], i);
    }
  }

  bool shown(const Record& record) const {
    switch (record.event) {
      case TraceEvent::drop: return pings;
      case TraceEvent::end:
      case TraceEvent::step:
      case TraceEvent::wait:
      case TraceEvent::partition:
      case TraceEvent::heal: return false;
      default: return pings || !is_about_ping(record);
    }
  }

  void choose_lanes(Excerpt excerpt) {
    std::set<NodeId> ids;
    for (const auto& [id, node] : nodes) {
      if (node.is_alive()) ids.insert(id);
    }
    for (std::size_t i = excerpt.first; i < excerpt.last; ++i) {
      if (!shown(records[i]) || records[i].event == TraceEvent::crash) continue;
      ids.insert(records[i].node);
      if (is_about_message(records[i])) ids.insert({records[i].from, records[i].to});
    }
    diagram.lanes.assign(ids.begin(), ids.end());
    for (const NodeId id : ids) nodes[id].id = id;
    diagram.before = nodes_before(excerpt.first);
  }

  // As the records before `end` have taught them. As in each step, the outages tell which of them
  // are stopped.
  std::vector<Snapshot> nodes_before(std::size_t end) const {
    std::vector<Snapshot> found;
    for (const NodeId id : diagram.lanes) found.push_back(nodes.at(id));
    std::vector<std::size_t> stopped;
    if (end > 0) stopped = stopped_at(end - 1);
    for (std::size_t lane = 0; lane < found.size(); ++lane) note_stop(found[lane], lane, stopped);
    return found;
  }

  std::size_t lane_of(NodeId id) const {
    const auto found = std::ranges::lower_bound(diagram.lanes, id);
    return static_cast<std::size_t>(found - diagram.lanes.begin());
  }

  // An observed process's reasons for sending or pinging are invisible: only its announcement is a
  // consequence.
  bool continues_step(const Record& record) const {
    const auto known = is_consequence(record) ? open.find(record.node) : open.end();
    if (known == open.end()) return false;
    if (!observed.contains(record.node)) return true;
    const Diagram::Step& step = diagram.steps[known->second];
    if (step.event != TraceEvent::send) return false;
    if (record.event == TraceEvent::coordinator && record.coordinator != record.node) return false;
    return record.t_ns - begin_ns - step.t_ns <= one_step_ns;
  }

  // The step that the record belongs to. A process that loses several messages at once acts on
  // each loss afterwards: a rule that the last one has already belongs to the first one without
  // any.
  std::size_t step_of(const Record& record) {
    const std::size_t last = open[record.node];
    const auto is_rule = [](const Record& one) { return one.event == TraceEvent::rule; };
    const auto is_same = [&](const Record& one) { return is_rule(one) && one.rule == record.rule; };
    const Diagram::Step& step = diagram.steps[last];
    if (!is_rule(record) || std::ranges::none_of(step.records, is_same)) return last;
    std::size_t found = last;
    for (std::size_t i = last; i-- > 0;) {
      const Diagram::Step& earlier = diagram.steps[i];
      if (earlier.lane != step.lane) continue;
      if (earlier.event != TraceEvent::lost) break;
      if (std::ranges::none_of(earlier.records, is_rule)) found = i;
    }
    return found;
  }

  void add(const Record& record, std::size_t i) {
    Snapshot& node = nodes[record.node];
    const bool is_crash = record.event == TraceEvent::crash;
    if (is_crash && !node.is_alive()) return;  // this was known
    if (!continues_step(record)) {
      if (diagram.steps.empty()) begin_ns = record.t_ns;
      open[record.node] = diagram.steps.size();
      diagram.steps.push_back(
          {.lane = lane_of(record.node),
           .t_ns = record.t_ns - begin_ns,
           .event = record.event,
           .restart = record.event == TraceEvent::start && seen.contains(record.node),
           .before = node});
    }
    Diagram::Step& step = diagram.steps[step_of(record)];
    take_in(record);
    step.after = node;
    step.observed = observed.contains(record.node);
    if (i != no_record) step.records.push_back(record);
    if (i != no_record) step.stopped = stopped_at(i);
    if (is_about_message(record)) add_message(i, step);
    if (!is_crash) seen.insert(record.node);
    if (is_crash) open.erase(record.node);
  }

  void add_message(std::size_t i, Diagram::Step& step) {
    const Record& record = records[i];
    const std::size_t partner = timeline.partner[i];
    const auto [known, is_new] =
        message_of.try_emplace(message_of.contains(partner) ? partner : i, diagram.messages.size());
    if (is_new) {
      diagram.messages.push_back(
          {record.type, lane_of(record.from), lane_of(record.to), record.values});
    }
    Diagram::Message& message = diagram.messages[known->second];
    if (record.event == TraceEvent::send) {
      message.sent = open[record.node];
      step.sent.push_back(known->second);
    } else {
      message.ended = open[record.node];
      message.lost = record.event == TraceEvent::lost;
      step.ended = known->second;
    }
  }
};

}  // namespace

void note_stop(Snapshot& node, std::size_t lane, const std::vector<std::size_t>& stopped) {
  if (!node.is_alive()) return;
  const bool is_stopped = std::ranges::count(stopped, lane) > 0;
  node.condition = is_stopped ? Condition::stopped : Condition::running;
}

Diagram make_diagram(const Trace& trace, const Timeline& timeline, Excerpt excerpt, bool pings) {
  return Builder{trace.records, timeline, pings, Diagram{.algorithm = timeline.algorithms.front()}}
      .build(excerpt);
}

}  // namespace bully
