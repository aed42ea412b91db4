#include "view/diagram.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "election/incarnation.h"

namespace bully {

namespace {

// What a process does about the thing that came to it, as opposed to the thing itself.
bool is_consequence(const Record& record) {
  using enum TraceEvent;
  return record.event == send || record.event == state || record.event == coordinator ||
         record.event == rule;
}

// What an observed process sends within this time is drawn as one step.
constexpr std::int64_t one_step_ns = 10'000'000;

struct Builder {
  const Records& records;
  const Timeline& timeline;
  Grain grain;
  bool pings;
  Diagram diagram;
  // Those that nobody has recorded, by the first record from which another could know of each.
  std::multimap<std::size_t, Record> crashes = {};
  std::int64_t begin_ns = 0;
  Snapshots nodes = {};
  std::map<NodeId, std::size_t> open = {};  // the step that a node's next consequence belongs to
  std::set<NodeId> seen = {};
  // By the record that sent it, or else the one that received or lost it.
  std::map<std::size_t, std::size_t> message_of = {};

  Diagram build(Excerpt excerpt) {
    for (const Incarnation& one : timeline.incarnations) {
      if (one.stopped || one.gone == no_record) continue;
      const Record& sign = records[one.gone];
      if (sign.event == TraceEvent::crash && sign.node == one.node) continue;
      crashes.emplace(one.gone, Record{sign.t_ns, one.node, 0, TraceEvent::crash});
    }
    take(0, excerpt.first,
         [this](const Record& record, std::size_t) { learn(nodes[record.node], record); });
    choose_lanes(excerpt);
    take(excerpt.first, excerpt.last, [this](const Record& record, std::size_t i) {
      if (shown(record)) add(record, i);
    });
    for (const NodeId id : diagram.lanes) diagram.after.push_back(nodes[id]);
    for (const std::size_t lane : stopped_at(excerpt.last - 1)) {
      if (diagram.after[lane].is_alive()) diagram.after[lane].condition = Condition::stopped;
    }
    choose_winners();
    return diagram;
  }

  void choose_winners() {
    std::vector<NodeId>& winners = diagram.winners;
    bool has_groups = true;
    for (const Snapshot& node : diagram.after) {
      if (node.condition != Condition::running || !node.is_coordinator()) continue;
      has_groups = has_groups && node.group;
      for (const NodeId other : winners) has_groups &= nodes[other].group != node.group;
      winners.push_back(node.id);
    }
    if (winners.size() > 1 && !has_groups) winners = {diagram.algorithm->preferred_of(winners)};
    if (winners.empty()) winners = followed_by_all();
  }

  // The lanes of those that did not react when record `i` came.
  std::vector<std::size_t> stopped_at(std::size_t i) const {
    std::vector<std::size_t> lanes;
    for (const Outage& outage : timeline.outages) {
      const NodeId id = timeline.incarnations[outage.incarnation].node;
      if (i < outage.from || i >= outage.to) continue;
      if (std::ranges::binary_search(diagram.lanes, id)) lanes.push_back(lane_of(id));
    }
    return lanes;
  }

  // An observed process that has been coordinator all the time does not say so: the others do.
  std::vector<NodeId> followed_by_all() const {
    std::optional<NodeId> followed;
    for (const Snapshot& node : diagram.after) {
      if (!node.is_alive() || (node.observed && !node.coordinator)) continue;
      if (!node.coordinator || (followed && followed != node.coordinator)) return {};
      followed = node.coordinator;
    }
    const auto found = followed ? nodes.find(*followed) : nodes.end();
    const bool is_there = found != nodes.end() && found->second.is_alive();
    if (!is_there || !found->second.observed) return {};
    return {*followed};
  }

  // With no_record for the crashes that have none.
  void take(std::size_t first, std::size_t last, auto handle) const {
    for (std::size_t i = first; i < last; ++i) {
      const auto [begin, end] = crashes.equal_range(i);
      for (auto crash = begin; crash != end; ++crash) handle(crash->second, no_record);
      handle(records[i], i);
    }
  }

  bool shown(const Record& record) const {
    if (record.event == TraceEvent::rule && grain == Grain::records) return false;
    if (record.event == TraceEvent::end) return false;
    return pings || (!is_about_ping(record) && record.event != TraceEvent::drop);
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
    for (const NodeId id : ids) {
      nodes[id].id = id;
      diagram.before.push_back(nodes[id]);
    }
  }

  std::size_t lane_of(NodeId id) const {
    const auto found = std::ranges::lower_bound(diagram.lanes, id);
    return static_cast<std::size_t>(found - diagram.lanes.begin());
  }

  // Of an observed process nobody sees why it sends, or begins to ping: only that it announces
  // itself belongs to what it sends.
  bool continues_step(const Record& record) const {
    const auto known = is_consequence(record) ? open.find(record.node) : open.end();
    if (known == open.end()) return false;
    if (!nodes.at(record.node).observed) return true;
    const Diagram::Step& step = diagram.steps[known->second];
    if (step.event != TraceEvent::send) return false;
    if (record.event == TraceEvent::coordinator && record.coordinator != record.node) return false;
    return record.t_ns - begin_ns - step.t_ns <= one_step_ns;
  }

  void add(const Record& record, std::size_t i) {
    Snapshot& node = nodes[record.node];
    const bool is_crash = record.event == TraceEvent::crash;
    if (is_crash && !node.is_alive()) return;  // that was known
    if (grain == Grain::records || !continues_step(record)) {
      if (diagram.steps.empty()) begin_ns = record.t_ns;
      open[record.node] = diagram.steps.size();
      diagram.steps.push_back(
          {.lane = lane_of(record.node),
           .t_ns = record.t_ns - begin_ns,
           .event = record.event,
           .restart = record.event == TraceEvent::start && seen.contains(record.node),
           .before = node});
    }
    Diagram::Step& step = diagram.steps[open[record.node]];
    learn(node, record);
    step.after = node;
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

using Step = Diagram::Step;

// What came of it: "candidate". May be empty.
std::string outcome_of(const Step& step, Language language) {
  if (step.event == TraceEvent::stop) return "";
  const auto has = [&](TraceEvent event) {
    return std::ranges::count(step.records, event, &Record::event) > 0;
  };
  const bool has_state = has(TraceEvent::state);
  if (is_coordinating(step.after.state) && has_state) {
    return "★ " + state_words(step.after.state, language);
  }
  if (has(TraceEvent::coordinator) && step.after.observed && step.after.is_coordinator()) {
    return "★ " + std::string(text(Text::state_coordinator, language));
  }
  if (has(TraceEvent::coordinator) && step.after.coordinator) {
    return text(Text::diagram_follows, language, {*step.after.coordinator});
  }
  if (!has_state) return "";
  // A change of a variable changes no state, and is told all the same.
  std::string words;
  if (step.after.state != step.before.state || variable_names(step.after.variables).empty()) {
    words = state_words(step.after.state, language);
  }
  if (step.after.variables != step.before.variables) {
    const std::string values = variables_words(step.after.variables);
    words += (words.empty() || values.empty() ? "" : " ") + values;
  }
  return words;
}

}  // namespace

Diagram make_diagram(const Trace& trace, const Timeline& timeline, Excerpt excerpt, bool pings,
                     Grain grain) {
  return Builder{trace.records, timeline, grain, pings,
                 Diagram{.algorithm = timeline.algorithms.front()}}
      .build(excerpt);
}

bool has_unrecorded_crash(const Diagram& diagram) {
  return std::ranges::any_of(diagram.steps, [](const Step& step) { return step.records.empty(); });
}

std::vector<MessageType> messages_in(const Diagram& diagram) {
  std::vector<MessageType> types(known_messages().begin(), known_messages().end());
  std::erase_if(types, [&](MessageType type) {
    const bool sent = std::ranges::count(diagram.messages, type, &Diagram::Message::type) > 0;
    return !diagram.algorithm->speaks(type) && !(sent && type.is_of_election());
  });
  return types;
}

std::vector<std::string_view> states_in(const Diagram& diagram) {
  std::set<std::string_view> found;
  const auto add = [&](const Snapshot& node) {
    if (node.is_alive() && !node.state.empty()) found.insert(node.state);
  };
  std::ranges::for_each(diagram.before, add);
  std::ranges::for_each(diagram.steps, add, &Step::after);
  std::vector<std::string_view> states;
  for (const Algorithm& algorithm : algorithms()) {
    for (const StateKind& state : algorithm.states) {
      if (found.erase(state.name) > 0) states.push_back(state.name);
    }
  }
  std::stable_partition(states.begin(), states.end(), std::not_fn(is_coordinating));
  states.insert(states.end(), found.begin(), found.end());
  return states;
}

std::string milliseconds_text(std::int64_t ns, Language language) {
  return decimal(static_cast<double>(ns - ns % 1000) / 1e6, 3, language);
}

std::string cause_of(const Step& step, Language language) {
  const auto say = [&](Text words) { return text(words, language, {}); };
  const Record* first = step.records.empty() ? nullptr : &step.records.front();
  switch (step.event) {
    case TraceEvent::crash:
      return say(Text::diagram_crashed);
    case TraceEvent::start:
      if (step.after.observed && !step.restart) return say(Text::diagram_appears);
      return say(step.restart ? Text::diagram_restarts : Text::diagram_starts);
    case TraceEvent::stop:
      return say(Text::log_stop);
    case TraceEvent::pause:
      return say(Text::log_pause);
    case TraceEvent::resume:
      return say(Text::log_resume);
    case TraceEvent::timeout:
      // As in the log: what was waited for depends on where the process stood.
      return word_or(word_key("diagram_time_up_", step.before.state),
                     word_key("diagram_time_up_", first->timer), language);
    case TraceEvent::suspect:
      if (first->coordinator == first->node) return say(Text::diagram_deposed_itself);
      return word_or(word_key("diagram_suspects_", first->reason), "diagram_suspects_down",
                     language, {first->coordinator.value_or(0)});
    case TraceEvent::drop:
      return say(Text::diagram_drops);
    default:
      return "";
  }
}

std::vector<Group> groups_in(const Diagram& diagram) {
  std::vector<Group> groups;
  const auto add = [&](const Snapshot& node) {
    if (node.group && std::ranges::count(groups, *node.group) == 0) groups.push_back(*node.group);
  };
  std::ranges::for_each(diagram.before, add);
  std::ranges::for_each(diagram.steps, add, &Step::after);
  return groups;
}

std::string group_note(const Diagram& diagram, Language language) {
  const std::vector<Group> groups = groups_in(diagram);
  if (groups.empty()) return "";
  const Group& last = groups.back();
  return text(Text::group_note, language,
              {group_words(last), last.creator, counted_in_life(last.count)});
}

std::vector<std::string> words_beside(const Step& step, Language language) {
  std::vector<std::string> words = {cause_of(step, language), outcome_of(step, language)};
  if (step.after.group != step.before.group) {
    words.push_back(group_label(step.after.group, language));
  }
  std::erase(words, "");
  return words;
}

std::vector<Sending> sendings_of(const Diagram& diagram, const Step& step) {
  std::vector<Sending> sendings;
  for (const std::size_t i : step.sent) {
    const Diagram::Message& message = diagram.messages[i];
    const bool goes_on =
        !sendings.empty() && sendings.back().message.type == message.type &&
        sendings.back().message.values.shown(message.type) == message.values.shown(message.type);
    if (!goes_on) sendings.push_back({message, {}});
    sendings.back().to.push_back(std::to_string(diagram.lanes[message.to]));
  }
  return sendings;
}

std::string sentence_of(const Diagram& diagram, const Diagram::Message& message,
                        Language language) {
  return name_of(message.type, message.values, language) +
         (message.values.shown(message.type) ? ", " : " ") +
         std::to_string(diagram.lanes[message.from]) + " → " +
         std::to_string(diagram.lanes[message.to]);
}

std::string sentence_of(const Diagram& diagram, const Step& step, Language language) {
  const auto name = [&](const auto& one) { return name_of(one.type, one.values, language); };
  std::vector<std::string> parts = {cause_of(step, language)};
  if (step.ended) {
    const Diagram::Message& message = diagram.messages[*step.ended];
    const NodeId other = diagram.lanes[message.lost ? message.to : message.from];
    parts.push_back(text(message.lost ? Text::diagram_loses : Text::diagram_receives, language,
                         {name(message), other}));
  }
  parts.push_back(outcome_of(step, language));
  if (step.after.group && step.after.group != step.before.group) {
    parts.push_back(text(Text::in_group, language, {group_words(step.after.group)}));
  }
  for (const auto& [message, to] : sendings_of(diagram, step)) {
    parts.push_back(text(Text::diagram_sends, language, {name(message), joined(to, ", ")}));
  }
  std::erase(parts, "");
  return std::to_string(diagram.lanes[step.lane]) + ": " + joined(parts, "; ");
}

std::string rule_of(const Step& step, Language language) {
  const auto say = [&](Text words) { return std::string(text(words, language)); };
  if (step.records.empty()) return say(Text::rule_crash) + ' ' + say(Text::rule_crash_found);
  if (step.event == TraceEvent::crash) return say(Text::rule_crash);
  if (step.event == TraceEvent::stop) return say(Text::rule_stop);
  if (step.event == TraceEvent::pause) return say(Text::rule_pause);
  if (step.event == TraceEvent::drop) return say(Text::rule_drop);
  const Record& first = step.records.front();
  if (is_about_ping(first)) return say(Text::rule_ping);
  if (first.event == TraceEvent::lost && first.reason != "gone") return say(Text::rule_lost);
  if (step.after.observed) {
    return say(step.event == TraceEvent::start ? Text::rule_seen : Text::rule_unseen);
  }
  std::vector<std::string> rules;
  for (const Record& record : step.records) {
    if (record.event == TraceEvent::rule) rules.push_back(rule_words(record.rule, language));
  }
  if (!rules.empty()) return joined(rules, " ");
  return say(first.event == TraceEvent::receive ? Text::rule_unchanged : Text::rule_goes_on);
}

std::string title_of(const Diagram& diagram, Language language) {
  const bool has_left =
      !diagram.lanes.empty() && std::ranges::none_of(diagram.after, &Snapshot::is_alive);
  const bool is_observed = std::ranges::any_of(diagram.after, &Snapshot::observed);
  const std::vector<NodeId>& winners = diagram.winners;
  const Text title = winners.size() > 1 ? Text::diagram_title_groups
                     : !winners.empty() ? Text::diagram_title
                     : has_left         ? Text::diagram_title_left
                     : is_observed      ? Text::diagram_title_unseen
                                        : Text::diagram_title_open;
  const std::string_view name = diagram.algorithm->name;
  const std::string election =
      word_or(word_key("election_", name), "election_other", language, {name});
  std::vector<std::string> groups;
  for (const Snapshot& node : diagram.after) {
    if (diagram.wins(node.id)) groups.push_back(group_words(node.group));
  }
  return text(title, language,
              {election, diagram.lanes.size(), diagram.messages.size(),
               winners.empty() ? 0 : winners.front(), winners.size(), joined(groups, ", ")});
}

}  // namespace bully
