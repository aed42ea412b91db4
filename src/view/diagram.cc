#include "view/diagram.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "view/looks.h"

namespace bully {

namespace {

using Standing = Diagram::Standing;

// Where each crash is to be shown: before the record with this index, the first from which another
// could know of it.
std::multimap<std::size_t, NodeId> crashes_of(const Census& census) {
  std::multimap<std::size_t, NodeId> crashes;
  for (const Life& life : census.lives) {
    if (!life.stopped && life.gone != no_record) crashes.emplace(life.gone, life.node);
  }
  return crashes;
}

// What a process does about the thing that came to it, as opposed to the thing itself.
bool is_consequence(const Record& record) {
  return record.event == TraceEvent::send || record.event == TraceEvent::state ||
         record.event == TraceEvent::coordinator;
}

void apply(const Record& record, Standing& standing) {
  standing.up = true;
  if (record.event == TraceEvent::start) standing = {.up = true};
  if (ends_life(record)) standing = {};
  if (record.event == TraceEvent::coordinator) standing.coordinator = record.coordinator;
  if (record.event == TraceEvent::send && look_of(record.type).carries_number) {
    standing.epoch = record.epoch;
  }
  if (record.event != TraceEvent::state) return;
  standing.state = record.state;
  standing.variables = record.variables;
  // Whoever holds an election follows nobody.
  if (look_of_state(record.state).holds_election) standing.coordinator.reset();
}

// What the first start names; where none does, as in older traces, the first of the table that has
// all the messages of the trace.
const Algorithm& algorithm_of(const Records& records) {
  std::set<MessageType> types;
  for (const Record& record : records) {
    if (!record.algorithm.empty()) return algorithm_named(record.algorithm);
    if (is_about_message(record) && is_of_election(record.type)) types.insert(record.type);
  }
  for (const Algorithm& algorithm : algorithms()) {
    const auto has = [&](MessageType type) { return algorithm.speaks(type); };
    if (std::all_of(types.begin(), types.end(), has)) return algorithm;
  }
  return default_algorithm();
}

class Builder {
 public:
  Builder(const Trace& trace, const Causality& pairs, const Census& census, bool pings)
      : records_(trace.records), pairs_(pairs), crashes_(crashes_of(census)), pings_(pings) {}

  Diagram build(Excerpt excerpt) {
    diagram_.algorithm = &algorithm_of(records_);
    for (std::size_t i = 0; i < excerpt.first; ++i) {
      crash_before(i, false);
      apply(records_[i], standing_[records_[i].node]);
    }
    choose_lanes(excerpt);
    for (const NodeId id : diagram_.lanes) diagram_.before.push_back(standing_[id]);
    for (std::size_t i = excerpt.first; i < excerpt.last; ++i) {
      crash_before(i, true);
      if (shown(records_[i])) add(i);
    }
    const std::vector<Standing> end = standing_at_end(diagram_);
    for (std::size_t i = 0; i < end.size(); ++i) {
      if (end[i].up && end[i].state == "coordinator") diagram_.winner = diagram_.lanes[i];
    }
    return std::move(diagram_);
  }

 private:
  bool shown(const Record& record) const {
    if (record.event == TraceEvent::crash) return false;  // drawn by crash_before()
    return pings_ || (!is_about_ping(record) && record.event != TraceEvent::drop);
  }

  void choose_lanes(Excerpt excerpt) {
    std::set<NodeId> ids;
    for (const auto& [id, standing] : standing_) {
      if (standing.up) ids.insert(id);
    }
    for (std::size_t i = excerpt.first; i < excerpt.last; ++i) {
      if (!shown(records_[i])) continue;
      ids.insert(records_[i].node);
      if (is_about_message(records_[i])) ids.insert({records_[i].from, records_[i].to});
    }
    diagram_.lanes.assign(ids.begin(), ids.end());
  }

  std::size_t lane_of(NodeId id) const {
    const auto found = std::lower_bound(diagram_.lanes.begin(), diagram_.lanes.end(), id);
    return static_cast<std::size_t>(found - diagram_.lanes.begin());
  }

  void crash_before(std::size_t i, bool draw) {
    const auto [begin, end] = crashes_.equal_range(i);
    for (auto crash = begin; crash != end; ++crash) {
      Standing& standing = standing_[crash->second];
      const Standing before = std::exchange(standing, {});
      if (!draw || !before.up) continue;
      open_.erase(crash->second);
      Diagram::Step& step = new_step(crash->second, records_[i].t_ns);
      step.crash = true;
      step.before = before;
    }
  }

  Diagram::Step& new_step(NodeId node, std::int64_t t_ns) {
    if (diagram_.steps.empty()) begin_ns_ = t_ns;
    Diagram::Step& step = diagram_.steps.emplace_back();
    step.lane = lane_of(node);
    step.t_ns = t_ns - begin_ns_;
    return step;
  }

  void add(std::size_t i) {
    const Record& record = records_[i];
    Standing& standing = standing_[record.node];
    const auto open = open_.find(record.node);
    if (open == open_.end() || !is_consequence(record)) {
      const bool back = seen_.contains(record.node);
      Diagram::Step& step = new_step(record.node, record.t_ns);
      step.before = standing;
      step.restart = record.event == TraceEvent::start && back;
      open_[record.node] = diagram_.steps.size() - 1;
    }
    const std::size_t at = open_[record.node];
    Diagram::Step& step = diagram_.steps[at];
    apply(record, standing);
    step.after = standing;
    step.records.push_back(record);
    if (record.event == TraceEvent::send) {
      const std::size_t message = new_message(record);
      message_of_[i] = message;
      diagram_.messages[message].sent = at;
      step.sent.push_back(message);
    }
    if (record.event == TraceEvent::receive) {
      step.received = arrival(i);
      diagram_.messages[*step.received].received = at;
    }
    if (record.event == TraceEvent::lost) {
      step.lost = arrival(i);
      diagram_.messages[*step.lost].lost = at;
    }
    seen_.insert(record.node);
  }

  std::size_t new_message(const Record& record) {
    Diagram::Message message;
    message.type = record.type;
    message.from = lane_of(record.from);
    message.to = lane_of(record.to);
    message.number = record.number;
    message.subject = record.subject;
    message.epoch = record.epoch;
    diagram_.messages.push_back(message);
    return diagram_.messages.size() - 1;
  }

  // The message that has come, or was given up, with record i.
  std::size_t arrival(std::size_t i) {
    const auto sent = message_of_.find(pairs_.partner[i]);
    return sent == message_of_.end() ? new_message(records_[i]) : sent->second;
  }

  const Records& records_;
  const Causality& pairs_;
  std::multimap<std::size_t, NodeId> crashes_;
  bool pings_;
  Diagram diagram_;
  std::int64_t begin_ns_ = 0;
  std::map<NodeId, Standing> standing_;
  std::map<NodeId, std::size_t> open_;  // the step that a node's next consequence belongs to
  std::set<NodeId> seen_;
  std::map<std::size_t, std::size_t> message_of_;  // by the record that sent it
};

}  // namespace

Diagram make_diagram(const Trace& trace, const Causality& pairs, const Census& census,
                     Excerpt excerpt, bool pings) {
  return Builder(trace, pairs, census, pings).build(excerpt);
}

std::vector<Diagram::Standing> standing_at_end(const Diagram& diagram) {
  std::vector<Standing> standing = diagram.before;
  for (const Diagram::Step& step : diagram.steps) standing[step.lane] = step.after;
  return standing;
}

std::vector<MessageType> messages_in(const Diagram& diagram) {
  std::vector<MessageType> types;
  for (std::size_t i = 0; i < message_type_count; ++i) {
    const auto type = static_cast<MessageType>(i);
    const bool sent =
        std::any_of(diagram.messages.begin(), diagram.messages.end(),
                    [=](const Diagram::Message& message) { return message.type == type; });
    if (diagram.algorithm->speaks(type) || (sent && is_of_election(type))) types.push_back(type);
  }
  return types;
}

std::vector<std::string_view> states_in(const Diagram& diagram) {
  std::set<std::string_view> found;
  for (const Standing& standing : diagram.before) {
    if (standing.up) found.insert(standing.state);
  }
  for (const Diagram::Step& step : diagram.steps) {
    if (step.after.up) found.insert(step.after.state);
  }
  found.erase(std::string_view());
  std::vector<std::string_view> states;
  for (const std::string_view known : known_states()) {
    if (found.erase(known) > 0) states.push_back(known);
  }
  states.insert(states.end(), found.begin(), found.end());
  return states;
}

}  // namespace bully
