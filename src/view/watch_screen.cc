// watch_screen.cc: the header, the table, the last election and the log of a screen.
#include "view/watch_screen.h"

#include <algorithm>
#include <iterator>

#include "base/layout.h"
#include "base/list.h"
#include "pictures/diagram.h"
#include "pictures/diagram_steps.h"
#include "pictures/style.h"
#include "trace/trace.h"
#include "view/ps_table.h"
#include "words/names.h"

namespace bully {

namespace {

constexpr std::size_t max_lines = 500;
constexpr std::size_t max_drawn = 300;  // of a trace's latest records
constexpr std::int64_t gone_stays_ns = 30'000'000'000;

// Title, table heading, election heading and keys; if messages are held, two more.
constexpr std::size_t fixed_rows = 4;
constexpr std::size_t held_fixed_rows = 2;
constexpr std::size_t log_rows_below_held = 4;
constexpr std::size_t mark_columns = 2;  // before each row of the table
// From this width on, the table has room for a sentence.
constexpr std::size_t wide_columns = 100;

// As wide as any of these states, so that the columns do not move when the state changes.
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
    const bool is_past = !is_named && now_ns - at->second.gone_ns > gone_stays_ns;
    at = is_past ? nodes_.erase(at) : std::next(at);
  }
  for (const NodeStatus& peer : peers) {
    if (peer.condition != Condition::crashed) notice(peer);
  }
  untraced_is_calm_ = !std::exchange(untraced_has_sent_, false);
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
  if (is_said_by_node) has_left_[record.node] = ends_life(record);
  const auto known = nodes_.find(record.node);
  if (is_said_by_node && known != nodes_.end()) take(record, known->second);
  history_.take(record, records_++);
  if (view.pings || !is_about_ping(record)) this->record(record);
  latest_.push_back(record);
  if (latest_.size() > max_drawn) latest_.pop_front();
}

// Another process's act on it is no sign of life.
void Watch::take(const Record& record, Node& node) {
  if (record.event == TraceEvent::pause) node.is_paused = true;
  if (is_act_on(record) && record.event != TraceEvent::resume) return;
  if (node.is_silent() && !is_act_on(record)) remark(record.node, Text::watch_answers);
  node.is_paused = false;
  node.unanswered = 0;
}

void Watch::notice(const NodeStatus& listed) {
  const auto seen = observed_.find(listed.id);
  const NodeStatus& peer = seen != observed_.end() ? seen->second : listed;
  const auto [entry, is_unlisted] = nodes_.try_emplace(peer.id, Node{.seen = peer});
  Node& node = entry->second;
  if (peer.condition == Condition::running) return take_reply(node, peer, !is_unlisted);
  if (peer.condition != Condition::stopped) return lose(node, true);
  node.seen.condition = peer.condition;
  node.seen.is_halted = node.seen.is_halted || peer.is_halted;
  if (peer.pid != 0) node.seen.pid = peer.pid;
  if (++node.unanswered == Node::silent_after && !node.is_paused) {
    remark(peer.id, Text::watch_silent);
  }
}

// `is_listed`: an earlier look has found its name.
void Watch::take_reply(Node& node, const NodeStatus& status, bool is_listed) {
  const bool is_new = !std::exchange(node.is_known, true);
  const bool has_come = is_new && !is_listed && !is_first_;
  const bool is_other = node.is_gone() || (!is_new && status.pid != node.seen.pid);
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
    return;  // the trace shows the rest
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
    const auto traced = has_left_.find(node.seen.id);
    const bool is_traced = traced != has_left_.end();
    const bool is_told = is_traced && traced->second;
    const Text end = is_stale || is_traced ? Text::watch_killed : Text::watch_gone;
    if (!is_told) remark(node.seen.id, end);
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

// The coordinator is the usual target for stopping or killing. It stays selected when another takes
// its place.
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

std::optional<NodeId> Watch::agreed() const {
  std::set<std::optional<NodeId>> followed;
  bool is_alive = false;
  for (const auto& [id, node] : nodes_) {
    if (node.seen.condition != Condition::running) continue;
    followed.insert(node.seen.coordinator);
    is_alive = is_alive || node.seen.coordinator == id;
  }
  return followed.size() == 1 && is_alive ? *followed.begin() : std::nullopt;
}

std::string Watch::agreement() const {
  std::vector<NodeStatus> live;
  std::vector<NodeStatus> stopped;  // as coordinators, and no message of another has reached them
  for (const auto& [id, node] : nodes_) {
    if (node.believes()) stopped.push_back(node.seen);
    if (node.seen.condition == Condition::running) live.push_back(node.seen);
  }
  live.insert(live.end(), stopped.begin(), stopped.end());
  std::string several = coordinators_words(live, style_.language);
  if (!several.empty()) return several;
  if (!stopped.empty()) {
    return style_.say(Text::watch_coordinator_stopped, {stopped.front().id});
  }
  if (live.empty()) return "";
  const std::optional<NodeId> coordinator = agreed();
  return coordinator ? style_.say(Text::watch_agree, {*coordinator})
                     : style_.say(Text::watch_disagree);
}

std::string Watch::title(std::size_t shown) const {
  std::vector<std::string> parts;
  if (view.paused) parts.push_back(style_.say(Text::watch_paused));
  parts.push_back(agreement());
  const std::vector<const Algorithm*> run = algorithms_run();
  if (!is_default(run)) {
    for (const Algorithm* algorithm : run) parts.emplace_back(algorithm->name);
  }
  if (view.pings) parts.push_back(style_.say(Text::watch_pings));
  if (nodes_.empty()) {
    parts.push_back(style_.say(Text::ps_nobody, {view.place}));
  } else {
    parts.push_back(style_.say(Text::watch_nodes, {nodes_.size()}));
    if (shown < nodes_.size()) {
      parts.push_back(style_.say(Text::watch_shown, {first_row_ + 1, first_row_ + shown}));
    }
    parts.push_back(style_.say(Text::watch_place, {view.place}));  // last: it may be long
  }
  std::erase(parts, "");
  return joined(parts, "  ");
}

std::string Watch::election() const {
  const std::vector<Election>& elections = history_.elections().all();
  MessageCounts sent = untraced_;
  if (!elections.empty()) {
    for (const auto& [type, count] : elections.back().sent) sent[type] += count;
  }
  if (election_total(sent) == 0) return style_.say(Text::watch_no_election);
  const auto count = [&](MessageType type) {
    return name_of(type, style_.language) + ' ' + std::to_string(sent.of(type));
  };
  return style_.say(Text::watch_election, {joined(messages_of(algorithms_run()), ", ", count)});
}

std::vector<const Algorithm*> Watch::algorithms_run() const {
  std::vector<std::string_view> names;
  for (const auto& [id, node] : nodes_) {
    if (!node.seen.state.empty()) names.push_back(node.seen.algorithm);
  }
  return algorithms_named(names);
}

std::vector<std::string> Watch::table() const {
  const Language language = style_.language;
  std::vector<MessageType> types = messages_of(algorithms_run());
  if (view.pings) types.push_back(messages::ping);
  std::vector<PsRow> rows;
  const std::size_t columns = state_columns(algorithms_run(), language);
  const bool has_room = view.columns >= wide_columns;
  for (const auto& [number, node] : nodes_) {
    rows.push_back(row_of(node.seen, types, language));
    std::string& state = rows.back()[Text::ps_state];
    if (node.is_gone()) state = state_words("down", language);
    if (node.is_stopped()) state = text(Text::ps_stopped, language);
    if (node.believes()) {
      state = text(has_room ? Text::watch_believes : Text::watch_believes_short, language);
      rows.back()[Text::ps_coordinator] = std::to_string(node.seen.id);
    }
    state = padded(state, columns);
  }
  const std::vector<Text> shown = {Text::ps_id,          Text::ps_pid,     Text::ps_state,
                                   Text::ps_coordinator, Text::watch_sent, Text::watch_received,
                                   Text::watch_dropped};
  return table_lines(rows, shown, types, view.columns - std::min(view.columns, mark_columns),
                     language);
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

std::vector<std::string> Watch::lower_part(std::size_t rows) const {
  // Leaves out the lines that do not fit, from this one on.
  const auto fit = [rows](std::vector<std::string> lines, std::size_t from) {
    const std::size_t shown = std::min(lines.size(), rows);
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(std::min(from, shown));
    lines.erase(first, first + static_cast<std::ptrdiff_t>(lines.size() - shown));
    return lines;
  };
  if (view.helps) {
    // The keys of --hold come last, and matter most if there are any.
    const std::size_t from = view.held ? 0 : rows;
    return fit(lines_in(style_.say(Text::watch_help_keys)), from);
  }
  if (view.draws && latest_.empty()) {
    return {style_.say(Text::watch_no_trace)};
  }
  if (view.draws) {
    Trace trace;
    trace.records.assign(latest_.begin(), latest_.end());
    std::ranges::stable_sort(trace.records, {}, &Record::t_ns);
    const Excerpt all{0, trace.records.size()};
    const Diagram diagram = make_diagram(trace, all, view.pings);
    return fit(diagram_lines(diagram, style_.language), 1);
  }
  const std::deque<std::string>& log = view.explains ? explained_lines_ : plain_lines_;
  return fit({log.begin(), log.end()}, 0);
}

std::vector<std::string> Watch::screen() {
  const std::size_t fixed = fixed_rows + (view.held ? held_fixed_rows : 0);
  const std::size_t free = view.rows > fixed ? view.rows - fixed : 0;
  // The part below the nodes has at least a third of the screen, and all the room that they leave.
  const std::size_t shown = std::min(nodes_.size(), free - free / 3);
  scroll_to_selection(shown);
  std::vector<std::string> lines;
  const auto add = [&](std::string_view line, Color color = Color::plain) {
    lines.push_back(style_.paint(color, fitted(line, view.columns)));
  };
  add(title(shown), Color::bold);
  const std::vector<std::string> rows = table();
  add("  " + rows.front(), Color::dim);
  auto node = std::next(nodes_.begin(), static_cast<std::ptrdiff_t>(first_row_));
  for (std::size_t i = 0; i < shown; ++i, ++node) {
    const bool is_selected = node->first == selected_;
    add((is_selected ? "> " : "  ") + rows[first_row_ + i + 1], color_of(node->second.seen));
    if (is_selected) lines.back() = style_.paint(Color::reversed, lines.back());
  }
  std::size_t log_rows = free - shown;
  if (view.held) {
    add(held_heading(*view.held, view.columns, style_.language), Color::bold);
    const std::size_t kept = std::min(log_rows / 2, log_rows_below_held);
    const std::vector<std::string> waiting =
        held_rows(*view.held, log_rows - kept, view.columns, style_,
                  nodes_.empty() ? 0 : std::to_string(nodes_.rbegin()->first).size());
    lines.insert(lines.end(), waiting.begin(), waiting.end());
    log_rows -= waiting.size();
  }
  add("── " + election() + " ──", Color::bold);
  for (const std::string& line : lower_part(log_rows)) add(line);
  const std::size_t key_rows = view.held ? 2 : 1;
  while (lines.size() + key_rows < view.rows) add("");
  lines.resize(view.rows > key_rows ? view.rows - key_rows : 0);
  if (view.held && view.rows > 1) add(style_.say(Text::hold_keys), Color::dim);
  const std::string keys = style_.say(Text::watch_keys);
  if (view.rows > 0) add(view.message.empty() ? keys : view.message, Color::dim);
  return lines;
}

}  // namespace bully
