// diagram_steps.cc: puts records into steps and lanes.
#include "pictures/diagram_steps.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/list.h"
#include "history/figures.h"

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
  const Trace& trace;
  bool pings;
  Diagram diagram;
  // Unrecorded crashes, by the first record from which another process could detect each.
  std::multimap<std::size_t, Record> crashes = {};
  std::int64_t begin_ns = 0;
  std::int64_t now_ns = 0;
  History history;  // of the records so far
  History whole = history_of(trace);
  std::map<NodeId, std::size_t> open = {};  // the step that a node's next consequence belongs to
  // By the record of its sending, or otherwise of its receipt or loss.
  std::map<std::size_t, std::size_t> message_of = {};
  std::size_t counted_election = 0;  // the number of the one counted last

  Diagram build(Excerpt excerpt) {
    find_crashes();
    take(0, excerpt.first, [this](const Record& record, std::size_t i, bool) { take(record, i); });
    diagram.counted.clear();
    counted_election = 0;
    choose_lanes(excerpt);
    take(excerpt.first, excerpt.last,
         [this](const Record& record, std::size_t i, bool is_recorded) {
           // What follows is no consequence of the step before it.
           if (record.event == TraceEvent::step) open.erase(record.node);
           const Life* life = history.life(record.node);
           const bool is_known = record.event == TraceEvent::resume && life != nullptr &&
                                 !life->damage && life->has_just_returned();
           shown(record) && !is_known ? add(record, i, is_recorded) : take(record, i);
           if (record.event == TraceEvent::partition) sides_now() = sides();
         });
    diagram.after = nodes_now();
    diagram.observed =
        std::ranges::any_of(diagram.lanes, [this](NodeId id) { return observed(id); });
    choose_winner();
    return diagram;
  }

  void take(const Record& record, std::size_t i) {
    now_ns = record.t_ns;
    history.take(record, i);
    const auto& all = history.elections().all();
    if (all.empty() || all.back().last.record != i) return;
    // It was not over: more messages have come.
    if (counted_election == all.size() && diagram.counted.back().sent != all.back().sent) {
      diagram.counted.pop_back();
      counted_election = 0;
    }
    const auto textbook = textbook_for(history, all.back().sent);
    if (!textbook) return;
    diagram.counted.push_back({diagram.steps.size(), all.back().sent, *textbook});
    counted_election = all.size();
  }

  // What others found gone, and wrote no line afterwards, was killed: there, or before its next
  // start.
  void find_crashes() {
    for (const Life& life : whole.lives()) {
      const bool is_replaced = life.how == Life::End::replaced;
      if (!life.gone && !is_replaced) continue;
      if (life.how != Life::End::none && !is_replaced) continue;
      const Moment when = life.gone ? *life.gone : life.end;
      crashes.emplace(
          when.record,
          Record{
              .t_ns = when.t_ns, .node = life.node, .pid = life.pid, .event = TraceEvent::crash});
    }
    diagram.algorithm = whole.algorithms().front();
  }

  // By a recorder, and alive.
  bool observed(NodeId id) const {
    const Life* life = history.life(id);
    return life != nullptr && life->observed && !life->is_over();
  }

  void choose_winner() {
    const auto wins = [this](const Snapshot& node) {
      const bool follows_itself = observed(node.id) && node.coordinator == node.id;
      return node.condition == Condition::running &&
             (is_coordinating(node.state) || follows_itself);
    };
    const std::vector<NodeId> winners = list_of(diagram.after, wins, &Snapshot::id);
    diagram.winner = winners.empty() ? followed_by_all() : diagram.algorithm->preferred_of(winners);
  }

  // Others may find a process silent that is slow, or cut off: if it goes on without having been
  // stopped, it was not.
  Snapshot snapshot(NodeId id) const {
    Snapshot node = history.snapshot(id);
    const Life* life = history.life(id);
    if (node.condition != Condition::stopped || life->paused) return node;
    // By its beginning: a crash that only others saw may make it two lives here.
    const Life& later = *whole.life_at(id, life->first.t_ns + 1);
    const bool is_silent = later.silent && later.silent->t_ns == life->silent->t_ns &&
                           later.last_own.t_ns <= later.silent->t_ns;
    const bool is_stopped = is_silent || later.was_away(Reading::generous, now_ns + 1, now_ns + 1);
    if (life->side > 0 || !is_stopped) node.condition = Condition::running;
    return node;
  }

  // The lanes of processes that do not react.
  std::vector<std::size_t> stopped() const {
    std::vector<std::size_t> lanes;
    for (std::size_t lane = 0; lane < diagram.lanes.size(); ++lane) {
      if (snapshot(diagram.lanes[lane]).condition == Condition::stopped) lanes.push_back(lane);
    }
    return lanes;
  }

  // The sides of a cut network by lane, or nothing if it is not cut.
  std::vector<std::uint64_t> sides() const {
    auto sides = list_of<std::uint64_t>(diagram.lanes, [this](NodeId id) {
      const Life* life = history.life(id);
      return life == nullptr ? 0 : life->side;
    });
    if (std::ranges::count(sides, 0U) == std::ssize(sides)) sides.clear();
    return sides;
  }
  // Of the latest step, or of the beginning: a cut shows before its first effect.
  std::vector<std::uint64_t>& sides_now() {
    return diagram.steps.empty() ? diagram.sides : diagram.steps.back().sides;
  }

  // An observed process that has been coordinator all the time does not announce that: its
  // followers show it.
  std::optional<NodeId> followed_by_all() const {
    std::optional<NodeId> followed;
    for (const Snapshot& node : diagram.after) {
      if (!node.is_alive() || (observed(node.id) && !node.coordinator)) continue;
      if (!node.coordinator || (followed && followed != node.coordinator)) return {};
      followed = node.coordinator;
    }
    if (!followed || !observed(*followed)) return {};
    return followed;
  }

  // An unrecorded crash has the index of the record that shows it.
  void take(std::size_t first, std::size_t last, auto handle) const {
    for (std::size_t i = first; i < last; ++i) {
      const auto [begin, end] = crashes.equal_range(i);
      for (auto crash = begin; crash != end; ++crash) handle(crash->second, i, false);
      handle(trace.records[i], i, true);
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
    for (const NodeId id : history.nodes()) {
      if (history.snapshot(id).is_alive()) ids.insert(id);
    }
    for (std::size_t i = excerpt.first; i < excerpt.last; ++i) {
      if (!shown(trace.records[i]) || trace.records[i].event == TraceEvent::crash) continue;
      ids.insert(trace.records[i].node);
      if (is_about_message(trace.records[i]))
        ids.insert({trace.records[i].from, trace.records[i].to});
    }
    diagram.lanes.assign(ids.begin(), ids.end());
    diagram.before = nodes_now();
  }

  std::vector<Snapshot> nodes_now() const {
    return list_of<Snapshot>(diagram.lanes, [this](NodeId id) { return snapshot(id); });
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
    if (!observed(record.node)) return true;
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

  void add(const Record& record, std::size_t i, bool is_recorded) {
    const Snapshot before = snapshot(record.node);
    const bool is_crash = record.event == TraceEvent::crash;
    // This was known; or nothing else shows the process, which has no lane.
    const bool has_lane = std::ranges::binary_search(diagram.lanes, record.node);
    if (is_crash && (!before.is_alive() || !has_lane)) return;
    if (!continues_step(record)) {
      if (diagram.steps.empty()) begin_ns = record.t_ns;
      open[record.node] = diagram.steps.size();
      const bool was_there = history.life(record.node) != nullptr;
      diagram.steps.push_back({.lane = lane_of(record.node),
                               .t_ns = record.t_ns - begin_ns,
                               .from_record = i,
                               .event = record.event,
                               .restart = record.event == TraceEvent::start && was_there,
                               .before = before});
    }
    Diagram::Step& step = diagram.steps[step_of(record)];
    take(record, i);
    step.after = snapshot(record.node);
    step.observed = observed(record.node);
    if (is_recorded) step.records.push_back(record);
    step.stopped = stopped();
    step.sides = sides();
    if (is_about_message(record)) add_message(record, i, step);
    if (is_crash) open.erase(record.node);
  }

  void add_message(const Record& record, std::size_t i, Diagram::Step& step) {
    const std::optional<SentMessage>& arrived = history.arrived();
    const std::size_t sending = arrived ? arrived->sent.record : i;
    const auto [known, is_new] =
        message_of.try_emplace(message_of.contains(sending) ? sending : i, diagram.messages.size());
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
      message.finds_nobody = message.lost && record.reason == "gone";
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

Diagram make_diagram(const Trace& trace, Excerpt excerpt, bool pings) {
  return Builder{
      .trace = trace, .pings = pings, .diagram = {}, .history = History(algorithm_of(trace))}
      .build(excerpt);
}

}  // namespace bully
