#include "view/watch.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "view/ps_table.h"

namespace bully {

namespace {

constexpr std::size_t max_lines = 500;
// A node that has gone stays on the screen for so long.
constexpr std::int64_t gone_stays_ns = 30'000'000'000;
// What comes after such a silence is about another election.
constexpr std::int64_t silence_ns = 1'000'000'000;

// The title, the table's heading, the election's heading and the keys; and if messages are held,
// their heading, and more keys.
constexpr std::size_t fixed_rows = 4;
constexpr std::size_t held_fixed_rows = 2;
// So many lines of the log stay below messages that are held.
constexpr std::size_t log_rows_below_held = 4;
constexpr std::size_t mark_columns = 2;  // before each row of the table

// As wide as any state of these, so that the columns stay where they are when it changes.
std::size_t state_columns(const std::vector<const Algorithm*>& algorithms, Language language) {
  std::size_t widest = width(text(Text::ps_no_answer, language));
  for (const Algorithm* algorithm : algorithms) {
    for (const StateKind& state : algorithm->states) {
      widest = std::max(widest, width(state_words(state.name, language)));
    }
  }
  return widest;
}

Color color_of(const NodeStatus& peer) {
  if (peer.condition == Condition::stopped) return Color::red;
  if (peer.condition == Condition::crashed) return Color::dim;
  return style_of_state(peer.state).color;
}

}  // namespace

void LastElection::go_on(std::int64_t t_ns) {
  if (electing_.empty() && t_ns - last_ns_ > silence_ns) begin();
  last_ns_ = std::max(last_ns_, t_ns);
}

void LastElection::begin() {
  sent_ = {};
  spoken_.clear();
}

void LastElection::send(const Record& message) {
  const bool answers = message.type->role == Role::answers;
  if (answers && !spoken_.contains({message.to, message.from})) return;
  send(message.type, 1, message.t_ns);
  spoken_.emplace(message.from, message.to);
}

void LastElection::enter(NodeId node, std::string_view state, std::int64_t t_ns) {
  const bool is_electing = holds_election(state);
  if (is_electing == electing_.contains(node)) return;
  go_on(t_ns);
  if (!is_electing) electing_.erase(node);
  if (is_electing) electing_.insert(node);
}

void LastElection::send(MessageType type, std::uint64_t count, std::int64_t t_ns) {
  if (count == 0 || !type.is_of_election()) return;
  if (type->role != Role::answers) go_on(t_ns);
  any_ = true;
  sent_[type] += count;
}

Watch::Watch(LogStyle style, TimeColumn time, Log::Output also)
    : style_(style),
      also_(std::move(also)),
      log_(style, std::move(time), [this](std::string_view lines) { keep_lines(lines); }) {}

void Watch::keep_lines(std::string_view lines) {
  if (also_) also_(lines);
  for (std::size_t end = lines.find('\n'); end != std::string_view::npos; end = lines.find('\n')) {
    lines_.emplace_back(lines.substr(0, end));
    lines.remove_prefix(end + 1);
  }
  while (lines_.size() > max_lines) lines_.pop_front();
}

void Watch::remark(NodeId node, Text words, const std::string& value) {
  log_.remark(now_ns_, node, text(words, style_.language, {value}));
}

void Watch::tell_damage(std::int64_t now_ns, const std::string& damage) {
  if (!damage_.insert(damage).second) return;
  log_.remark(now_ns, std::nullopt, text(Text::watch_skips, style_.language, {damage}));
}

// --- What is seen --------------------------------------------------------------------------------

void Watch::update(const std::vector<NodeStatus>& peers, std::vector<Record> records,
                   std::int64_t now_ns) {
  std::ranges::stable_sort(records, {}, &Record::t_ns);
  for (const Record& record : records) take(record);
  now_ns_ = now_ns;
  // First whom it lost, then what the others did about it.
  for (const NodeStatus& peer : peers) {
    if (peer.condition == Condition::crashed) notice(peer);
  }
  for (auto at = nodes_.begin(); at != nodes_.end();) {
    const bool is_named = std::ranges::count(peers, at->first, &NodeStatus::id) > 0;
    if (!is_named) lose(at->second, false);
    const bool is_past = !is_named && now_ns - at->second.gone_ns > gone_stays_ns;
    at = is_past ? nodes_.erase(at) : std::next(at);
  }
  for (const NodeStatus& peer : peers) {
    if (peer.condition != Condition::crashed) notice(peer);
  }
  election_.keep([this](NodeId id) {
    const auto node = nodes_.find(id);
    return node != nodes_.end() && !node->second.is_gone() && !node->second.is_silent();
  });
  if (!is_selection_made_) select_coordinator();
  auto selected = nodes_.lower_bound(selected_.value_or(0));
  if (selected == nodes_.end() && !nodes_.empty()) --selected;
  selected_ = nodes_.empty() ? std::nullopt : std::optional(selected->first);
  log_.flush();
  is_first_ = false;
}

void Watch::take(const Record& record) {
  now_ns_ = record.t_ns;
  has_left_[record.node] = ends_life(record);
  const auto known = nodes_.find(record.node);
  if (known != nodes_.end()) take(record, known->second);
  if (record.event == TraceEvent::start) election_.join();
  if (record.event == TraceEvent::send) election_.send(record);
  if (record.event == TraceEvent::state) election_.enter(record.node, record.state, record.t_ns);
  if (view.pings || !is_about_ping(record)) log_.record(record);
}

// What others have done to it is no sign of life.
void Watch::take(const Record& record, Node& node) {
  if (record.event == TraceEvent::pause) node.is_paused = true;
  if (is_act_on(record) && record.event != TraceEvent::resume) return;
  if (node.is_silent() && !is_act_on(record)) remark(record.node, Text::watch_answers);
  node.is_paused = false;
  node.unanswered = 0;
}

void Watch::notice(const NodeStatus& told) {
  const auto seen = observed_.find(told.id);
  const NodeStatus& peer = seen != observed_.end() ? seen->second : told;
  const auto [entry, is_new] = nodes_.try_emplace(peer.id, Node{.seen = peer});
  Node& node = entry->second;
  if (peer.condition == Condition::running) return hear(node, peer, is_new);
  if (peer.condition != Condition::stopped) return lose(node, true);
  node.seen.condition = peer.condition;
  if (peer.pid != 0) node.seen.pid = peer.pid;
  if (++node.unanswered == Node::silent_after && !node.is_paused) {
    remark(peer.id, Text::watch_silent);
  }
}

void Watch::hear(Node& node, const NodeStatus& status, bool is_new) {
  const bool is_other = !is_new && (node.is_gone() || status.pid != node.seen.pid);
  const NodeStatus before = is_new || is_other ? NodeStatus{} : node.seen;
  const bool was_silent = node.is_silent();
  node.seen = status;
  node.unanswered = 0;
  node.is_paused = false;
  if (was_silent && !is_other) remark(status.id, Text::watch_answers);
  const auto traced = has_left_.find(status.id);
  if (traced != has_left_.end() && traced->second && is_other) {
    has_left_.erase(traced);  // it has come back without a trace
  } else if (traced != has_left_.end()) {
    return;  // the rest is told by the trace
  }
  if (!is_first_ && (is_new || is_other)) election_.join();
  const std::string pid = std::to_string(status.pid);
  if (is_other) {
    remark(status.id, Text::watch_back, pid);
  } else if (is_new && is_first_) {
    remark(status.id, Text::watch_here, pid);
  } else if (is_new) {
    log_.record({.t_ns = now_ns_, .node = status.id, .pid = status.pid});
  }
  tell_changes(before, status);
}

// In the words that the node itself would log.
void Watch::tell_changes(const NodeStatus& before, const NodeStatus& now) {
  election_.enter(now.id, now.state, now_ns_);
  if (now.state != before.state || now.group != before.group) {
    log_.record({.t_ns = now_ns_,
                 .node = now.id,
                 .event = TraceEvent::state,
                 .state = now.state,
                 .group = now.group});
  }
  if (now.coordinator && now.coordinator != before.coordinator) {
    log_.record({.t_ns = now_ns_,
                 .node = now.id,
                 .event = TraceEvent::coordinator,
                 .coordinator = now.coordinator});
  }
  if (is_first_) return;  // what it sent before anybody watched belongs to no election seen
  for (const auto& [type, sent] : now.sent) {
    election_.send(type, sent - std::min(sent, before.sent.of(type)), now_ns_);
  }
}

// A node that leaves removes its name; one that was killed cannot, and a peer does it later.
void Watch::lose(Node& node, bool is_stale) {
  if (!node.is_gone()) {
    const auto traced = has_left_.find(node.seen.id);
    const bool is_traced = traced != has_left_.end();
    const bool is_told = is_traced && traced->second;  // in the trace's words
    if (!is_told) {
      const bool is_killed = is_stale || is_traced;
      remark(node.seen.id, is_killed ? Text::watch_killed : Text::watch_gone);
    }
    node.gone_ns = now_ns_;
  }
  node.unanswered = 0;
  node.seen.condition = Condition::crashed;
}

std::vector<NodeId> Watch::silent() const {
  std::vector<NodeId> ids;
  for (const auto& [id, node] : nodes_) {
    if (node.is_silent()) ids.push_back(id);
  }
  return ids;
}

std::vector<NodeId> Watch::meet_observed(const std::vector<Record>& records) {
  for (const Record& record : records) {
    if (record.event == TraceEvent::start) observed_.erase(record.node);
    if (record.observed) observed_[record.node].algorithm = record.algorithm;
    const auto known = observed_.find(record.node);
    if (known == observed_.end()) continue;
    learn(known->second, record);
    if (record.event == TraceEvent::send) ++known->second.sent[record.type];
    if (record.event == TraceEvent::receive) ++known->second.received[record.type];
    if (ends_life(record)) observed_.erase(known);
  }
  std::vector<NodeId> ids;
  for (const auto& [id, status] : observed_) ids.push_back(id);
  return ids;
}

// What one wants to stop or to kill. It stays selected when another takes its place.
void Watch::select_coordinator() {
  for (const auto& [id, node] : nodes_) {
    if (node.seen.condition != Condition::running || !node.seen.is_coordinator()) continue;
    selected_ = id;
    is_selection_made_ = true;
  }
}

void Watch::move_selection(std::ptrdiff_t rows) {
  if (!selected_) return;
  is_selection_made_ = true;
  auto at = nodes_.find(*selected_);
  for (; rows > 0 && std::next(at) != nodes_.end(); --rows) ++at;
  for (; rows < 0 && at != nodes_.begin(); ++rows) --at;
  selected_ = at->first;
}

// --- The screen ----------------------------------------------------------------------------------

std::string Watch::agreement() const {
  std::vector<NodeStatus> running;
  std::set<std::optional<NodeId>> followed;
  bool is_alive = false;
  for (const auto& [id, node] : nodes_) {
    if (node.seen.condition != Condition::running) continue;
    running.push_back(node.seen);
    followed.insert(node.seen.coordinator);
    is_alive = is_alive || node.seen.coordinator == id;
  }
  if (running.empty()) return "";
  std::string several = coordinators_words(running, style_.language);
  if (!several.empty()) return several;
  const bool agree = followed.size() == 1 && is_alive;
  if (!agree) return std::string(text(Text::watch_disagree, style_.language));
  return text(Text::watch_agree, style_.language, {**followed.begin()});
}

std::string Watch::title(std::size_t shown) const {
  const auto say = [this](Text name, Values values = {}) {
    return text(name, style_.language, values);
  };
  std::vector<std::string> parts;
  if (view.paused) parts.push_back(say(Text::watch_paused));
  parts.push_back(agreement());
  const std::vector<const Algorithm*> run = algorithms_run();
  if (!is_default(run)) {
    for (const Algorithm* algorithm : run) parts.emplace_back(algorithm->name);
  }
  if (view.pings) parts.push_back(say(Text::watch_pings));
  if (nodes_.empty()) {
    parts.push_back(say(Text::ps_nobody, {view.place}));
  } else {
    parts.push_back(say(Text::watch_nodes, {nodes_.size()}));
    if (shown < nodes_.size()) {
      parts.push_back(say(Text::watch_shown, {first_row_ + 1, first_row_ + shown}));
    }
    parts.push_back(say(Text::watch_place, {view.place}));  // last: it may be long
  }
  std::erase(parts, "");
  return joined(parts, "  ");
}

std::string Watch::election() const {
  if (!election_.is_any()) return std::string(text(Text::watch_no_election, style_.language));
  const auto count = [this](MessageType type) {
    return name_of(type, style_.language) + ' ' + std::to_string(election_.sent(type));
  };
  return text(Text::watch_election, style_.language,
              {joined(messages_of(algorithms_run()), ", ", count)});
}

std::vector<const Algorithm*> Watch::algorithms_run() const {
  std::vector<std::string_view> names;
  for (const auto& [id, node] : nodes_) {
    if (!node.seen.state.empty()) names.push_back(node.seen.algorithm);
  }
  return algorithms_named(names);
}

// The heading, and a line for each node.
std::vector<std::string> Watch::table() const {
  const Language language = style_.language;
  std::vector<MessageType> types = messages_of(algorithms_run());
  if (view.pings) types.push_back(messages::ping);
  std::vector<PsRow> rows;
  const std::size_t columns = state_columns(algorithms_run(), language);
  for (const auto& [number, node] : nodes_) {
    rows.push_back(row_of(node.seen, types, language));
    std::string& state = rows.back()[PsColumn::state];
    state = padded(node.is_gone() ? state_words("down", language) : state, columns);
  }
  using enum PsColumn::Index;
  return table_lines(rows, {id, pid, state, coordinator, group, sent, received, dropped}, types,
                     view.columns - std::min(view.columns, mark_columns), language);
}

void Watch::scroll_to_selection(std::size_t shown) {
  const auto found = selected_ ? nodes_.find(*selected_) : nodes_.begin();
  const auto row = static_cast<std::size_t>(std::distance(nodes_.begin(), found));
  if (row < first_row_) first_row_ = row;
  if (shown > 0 && row >= first_row_ + shown) first_row_ = row + 1 - shown;
  first_row_ = std::min(first_row_, nodes_.size() - std::min(nodes_.size(), shown));
}

std::optional<NodeStatus> Watch::selected_status() const {
  const auto node = selected_ ? nodes_.find(*selected_) : nodes_.end();
  return node == nodes_.end() ? std::nullopt : std::optional(node->second.seen);
}

std::vector<std::string> Watch::screen() {
  const std::size_t fixed = fixed_rows + (view.held ? held_fixed_rows : 0);
  const std::size_t free = view.rows > fixed ? view.rows - fixed : 0;
  // What stands below the nodes has a third of the screen at least, and all that they leave.
  const std::size_t shown = std::min(nodes_.size(), free - free / 3);
  scroll_to_selection(shown);
  std::vector<std::string> lines;
  const auto add = [&](std::string_view line, Color color = Color::plain) {
    lines.push_back(colored(color, fitted(line, view.columns), style_.color));
  };
  add(title(shown), Color::bold);
  const std::vector<std::string> rows = table();
  add("  " + rows.front(), Color::dim);
  auto node = std::next(nodes_.begin(), static_cast<std::ptrdiff_t>(first_row_));
  for (std::size_t i = 0; i < shown; ++i, ++node) {
    const bool is_selected = node->first == selected_;
    add((is_selected ? "> " : "  ") + rows[first_row_ + i + 1], color_of(node->second.seen));
    if (is_selected) lines.back() = colored(Color::reversed, lines.back(), style_.color);
  }
  std::size_t log_rows = free - shown;
  if (view.held) {
    add("── " + held_heading(*view.held, style_.language) + " ──", Color::bold);
    const std::size_t kept = std::min(log_rows / 2, log_rows_below_held);
    const std::vector<std::string> waiting =
        held_rows(*view.held, log_rows - kept, view.columns, style_);
    lines.insert(lines.end(), waiting.begin(), waiting.end());
    log_rows -= waiting.size();
  }
  add("── " + election() + " ──", Color::bold);
  const std::size_t told = std::min(log_rows, lines_.size());
  for (std::size_t i = lines_.size() - told; i < lines_.size(); ++i) add(lines_[i]);
  const std::size_t key_rows = view.held ? 2 : 1;
  while (lines.size() + key_rows < view.rows) add("");
  lines.resize(view.rows > key_rows ? view.rows - key_rows : 0);
  if (view.held && view.rows > 1) add(text(Text::hold_keys, style_.language), Color::dim);
  const std::string_view keys = text(Text::watch_keys, style_.language);
  if (view.rows > 0) add(view.said.empty() ? keys : view.said, Color::dim);
  return lines;
}

}  // namespace bully
