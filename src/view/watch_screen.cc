// watch_screen.cc: the nodes as the looks and the traces show them, and what is remarked of them.
#include "view/watch_screen.h"

#include <algorithm>
#include <iterator>

#include "base/layout.h"
#include "base/list.h"
#include "trace/trace.h"

namespace bully {

namespace {

constexpr std::size_t max_lines = 500;
constexpr std::size_t max_drawn = 300;  // of a trace's latest records
constexpr std::int64_t gone_stays_ns = 30'000'000'000;

void keep(std::deque<std::string>& latest, std::string_view text) {
  for (std::string& line : lines_in(text)) latest.push_back(std::move(line));
  while (latest.size() > max_lines) latest.pop_front();
}

}  // namespace

Watch::Watch(LogStyle style, const TimeColumn& time, const Log::Output& also)
    : style_(style),
      plain_(style, time,
             [this, also](std::string_view text) {
               if (also) also(text);
               keep(plain_lines_, text);
             }),
      explained_({.language = style.language, .color = style.color, .explain = true}, time,
                 [this](std::string_view text) { keep(explained_lines_, text); }) {}

void Watch::record(const Record& record) {
  plain_.record(record);
  explained_.record(record);
}

void Watch::remark(std::optional<NodeId> node, Text words, const std::string& value) {
  const std::string said = style_.say(words, {value});
  plain_.remark(now_ns_, node, said);
  explained_.remark(now_ns_, node, said);
}

void Watch::note_once(Text words, const std::string& value) {
  if (noted_.insert({words, value}).second) remark(std::nullopt, words, value);
}

// --- Observations --------------------------------------------------------------------------------

void Watch::update(const std::vector<NodeStatus>& peers, std::vector<Record> records,
                   std::int64_t now_ns) {
  std::ranges::stable_sort(records, {}, &Record::t_ns);
  for (const Record& record : records) take(record);
  now_ns_ = now_ns;
  // First the lost nodes, then the reactions of the others.
  for (const NodeStatus& peer : peers) {
    if (peer.condition == Condition::crashed) notice(peer);
  }
  for (auto at = nodes_.begin(); at != nodes_.end();) {
    const bool is_named = std::ranges::count(peers, at->first, &NodeStatus::id) > 0;
    if (!is_named) lose(at->second, false);
    const bool is_past =
        !is_named && at->second.has_left && now_ns - at->second.gone_ns > gone_stays_ns;
    at = is_past ? nodes_.erase(at) : std::next(at);
  }
  for (const NodeStatus& peer : peers) {
    if (peer.condition != Condition::crashed) notice(peer);
  }
  const auto is_electing = [](const auto& entry) {
    const NodeStatus& seen = entry.second.seen;
    const bool is_known = find_state(seen.state) != nullptr;
    return is_known && seen.condition == Condition::running && !is_settled(seen.state);
  };
  untraced_is_calm_ =
      !std::exchange(untraced_has_sent_, false) && std::ranges::none_of(nodes_, is_electing);
  if (!is_selection_made_) select_coordinator();
  auto selected = nodes_.lower_bound(selected_.value_or(0));
  if (selected == nodes_.end() && !nodes_.empty()) --selected;
  selected_ = nodes_.empty() ? std::nullopt : std::optional(selected->first);
  plain_.flush();
  explained_.flush();
  is_first_ = false;
}

void Watch::take(const Record& record) {
  now_ns_ = record.t_ns;
  const bool is_said_by_node = !is_of_network(record);
  if (is_said_by_node) traced_[record.node] = {record.pid, ends_life(record)};
  const auto known = nodes_.find(record.node);
  if (is_said_by_node && known != nodes_.end()) take(record, known->second);
  history_.take(record, records_++);
  if (view.pings || !is_about_ping(record)) this->record(record);
  latest_.push_back(record);
  if (latest_.size() > max_drawn) latest_.pop_front();
}

// No sign of life: acts of others on it, and those receipts and losses that a recorder has seen.
void Watch::take(const Record& record, Node& node) {
  if (record.event == TraceEvent::pause) node.is_paused = true;
  const bool is_of_this = record.pid == 0 || record.pid == node.seen.pid;
  if (record.event == TraceEvent::crash && is_of_this) lose(node, true);
  if (is_act_on(record) && record.event != TraceEvent::resume) return;
  const bool is_passive = record.event == TraceEvent::receive || record.event == TraceEvent::lost;
  if (is_passive && observed_.contains(record.node)) return;
  node.has_left = record.event == TraceEvent::leave;
  if (node.is_silent() && !is_act_on(record)) remark(record.node, Text::watch_answers);
  node.is_paused = false;
  node.unanswered = 0;
}

void Watch::notice(const NodeStatus& listed) {
  const auto seen = observed_.find(listed.id);
  const NodeStatus& peer = seen != observed_.end() ? seen->second : listed;
  Node& node =
      nodes_.try_emplace(peer.id, Node{.seen = peer, .was_there = is_first_}).first->second;
  if (peer.condition == Condition::running) return take_reply(node, peer);
  if (peer.condition != Condition::stopped) return lose(node, true);
  node.seen.condition = peer.condition;
  node.seen.is_halted = node.seen.is_halted || peer.is_halted;
  if (peer.pid != 0) node.seen.pid = peer.pid;
  if (++node.unanswered == Node::silent_after && !node.is_paused) {
    remark(peer.id, Text::watch_silent);
  }
}

void Watch::take_reply(Node& node, const NodeStatus& status) {
  const auto traced = traced_.find(status.id);
  const bool is_traced = traced != traced_.end();
  // A reply from before the end that the trace has meanwhile.
  if (is_traced && traced->second.has_ended && traced->second.pid == status.pid) return;
  const bool is_new = !std::exchange(node.is_known, true);
  const bool has_come = is_new && !node.was_there;
  const bool is_other = node.is_gone() || (!is_new && status.pid != node.seen.pid);
  const NodeStatus before = is_new || is_other ? NodeStatus{} : node.seen;
  const bool was_silent = node.is_silent();
  node.seen = status;
  node.unanswered = 0;
  node.is_paused = node.has_left = false;
  if (was_silent && !is_other) remark(status.id, Text::watch_answers);
  if (is_traced) {
    const bool is_same = traced->second.pid == 0 || traced->second.pid == status.pid;
    if (is_same && !(traced->second.has_ended && is_other)) return;  // the trace shows the rest
    traced_.erase(traced);  // it has come back without a trace
  }
  const std::string pid = std::to_string(status.pid);
  if (is_other) {
    remark(status.id, Text::watch_back, pid);
  } else if (has_come) {
    record({.t_ns = now_ns_, .node = status.id, .pid = status.pid});
  } else if (is_new) {
    remark(status.id, Text::watch_here, pid);
  }
  log_changes(before, status);
}

// In the words of the node's own log.
void Watch::log_changes(const NodeStatus& before, const NodeStatus& now) {
  if (now.state != before.state) {
    record({.t_ns = now_ns_, .node = now.id, .event = TraceEvent::state, .state = now.state});
  }
  if (now.coordinator && now.coordinator != before.coordinator) {
    record({.t_ns = now_ns_,
            .node = now.id,
            .event = TraceEvent::coordinator,
            .coordinator = now.coordinator});
  }
  if (is_first_) return;  // messages from before the watch belong to no election seen
  for (const auto& [type, sent] : now.sent) {
    const std::uint64_t more = sent - std::min(sent, before.sent.of(type));
    if (more == 0 || !type.is_of_election()) continue;
    if (std::exchange(untraced_is_calm_, false)) untraced_ = {};
    untraced_has_sent_ = true;
    untraced_[type] += more;
  }
}

// A node that leaves removes its name; a killed one cannot, and a peer does it later.
void Watch::lose(Node& node, bool is_stale) {
  if (!node.is_gone()) {
    const auto traced = traced_.find(node.seen.id);
    const bool is_traced = traced != traced_.end();
    const bool is_told = is_traced && traced->second.has_ended;
    if (!is_told) remark(node.seen.id, is_stale ? Text::watch_killed : Text::watch_gone);
    if (!is_stale && !is_traced) node.has_left = true;
    node.gone_ns = now_ns_;
  }
  node.unanswered = 0;
  node.seen.condition = Condition::crashed;
}

std::vector<NodeId> Watch::silent() const {
  const auto is_silent = [](const auto& entry) { return entry.second.is_silent(); };
  return list_of(nodes_, is_silent, [](const auto& entry) { return entry.first; });
}

std::vector<NodeId> Watch::meet_observed(const std::vector<Record>& records) {
  for (const Record& record : records) {
    if (record.event == TraceEvent::start) observed_.erase(record.node);
    if (environment_of(record).observed) {
      NodeStatus& seen = observed_[record.node];
      seen.algorithm = record.algorithm;
      seen.observed = true;
    }
    const auto known = observed_.find(record.node);
    if (known == observed_.end()) continue;
    learn(known->second, record);
    if (record.event == TraceEvent::send) ++known->second.sent[record.type];
    if (record.event == TraceEvent::receive) ++known->second.received[record.type];
    if (ends_life(record)) observed_.erase(known);
  }
  return list_of(observed_, [](const auto& entry) { return entry.first; });
}

// The coordinator is the usual target for stopping or killing; and once it is stopped or dead, for
// continuing or starting again.
void Watch::select_coordinator() {
  const auto selected = nodes_.find(selected_.value_or(0));
  const bool is_out =
      selected != nodes_.end() && selected->second.seen.condition != Condition::running;
  if (has_selected_coordinator_ && is_out) return;
  for (const auto& [id, node] : nodes_) {
    if (node.seen.condition != Condition::running || !node.seen.is_coordinator()) continue;
    selected_ = id;
    has_selected_coordinator_ = true;
  }
}

void Watch::move_selection(std::ptrdiff_t rows) {
  if (!selected_ || rows == 0) return;
  is_selection_made_ = true;
  auto at = nodes_.find(*selected_);
  for (; rows > 0 && std::next(at) != nodes_.end(); --rows) ++at;
  for (; rows < 0 && at != nodes_.begin(); ++rows) --at;
  selected_ = at->first;
}

}  // namespace bully
