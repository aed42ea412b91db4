#include "view/watch.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "view/ps.h"

namespace bully {

namespace {

constexpr std::size_t max_lines = 500;
// A node that has gone stays on the screen for so long.
constexpr std::int64_t gone_stays_ns = 30'000'000'000;
// One late reply is no sign; two are.
constexpr unsigned silent_after = 2;

// The title, the table's heading, the election's heading and the keys.
constexpr std::size_t fixed_rows = 4;

constexpr std::string_view reversed = "\033[7m";

std::string_view color_of(const PeerStatus& peer) {
  if (peer.kind == PeerStatus::Kind::no_answer) return escape_of(Color::red);
  if (peer.kind == PeerStatus::Kind::stale) return escape_of(Color::dim);
  return escape_of(look_of_state(peer.status.state).row_color);
}

// As wide as any state, so that the columns stay where they are when it changes.
std::string state_cell(const std::string& words, Language language) {
  std::size_t widest = width(text(Text::ps_no_answer, language));
  for (const std::string_view any : known_states()) {
    widest = std::max(widest, width(state_words(any, language)));
  }
  return padded(words, widest);
}

}  // namespace

std::string fitted(std::string_view line, std::size_t columns) {
  std::string shown;
  std::size_t used = 0;
  bool colored = false;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i + 1;
    if (line[i] == '\033') {
      end = std::min(line.find('m', i), line.size() - 1) + 1;
      colored = true;
    } else {
      while (end < line.size() && width(line.substr(end, 1)) == 0) ++end;
      if (used == columns) break;
      ++used;
    }
    shown.append(line.substr(i, end - i));
    i = end;
  }
  if (colored) shown += color_reset;
  return shown + std::string(columns - used, ' ');
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

void Watch::remark(std::int64_t now_ns, NodeId node, Text words, const std::string& value) {
  log_.remark(now_ns, node, text(words, style_.language, {value}));
}

void Watch::tell_damage(std::int64_t now_ns, const std::string& damage) {
  log_.remark(now_ns, std::nullopt, text(Text::watch_skips, style_.language, {damage}));
}

// --- What is seen --------------------------------------------------------------------------------

void Watch::update(const std::vector<PeerStatus>& peers, std::vector<Record> records,
                   std::int64_t now_ns) {
  std::stable_sort(records.begin(), records.end(),
                   [](const Record& a, const Record& b) { return a.t_ns < b.t_ns; });
  for (const Record& record : records) take(record);
  // First whom it lost, then what the others did about it.
  for (const PeerStatus& peer : peers) {
    if (peer.kind == PeerStatus::Kind::stale) notice(peer, now_ns);
  }
  const auto has_name = [&peers](NodeId id) {
    return std::any_of(peers.begin(), peers.end(),
                       [id](const PeerStatus& peer) { return peer.status.id == id; });
  };
  for (auto at = nodes_.begin(); at != nodes_.end();) {
    const bool is_named = has_name(at->first);
    if (!is_named) lose(at->first, at->second, false, now_ns);
    const bool is_past = !is_named && now_ns - at->second.gone_ns > gone_stays_ns;
    at = is_past ? nodes_.erase(at) : std::next(at);
  }
  for (const PeerStatus& peer : peers) {
    if (peer.kind != PeerStatus::Kind::stale) notice(peer, now_ns);
  }
  election_.keep([this](NodeId id) {
    const auto node = nodes_.find(id);
    return node != nodes_.end() && !node->second.gone && node->second.unanswered < silent_after;
  });
  if (nodes_.empty()) selected_.reset();
  if (!nodes_.empty() && (!selected_ || nodes_.count(*selected_) == 0)) {
    const auto next = nodes_.lower_bound(selected_.value_or(0));
    selected_ = next == nodes_.end() ? nodes_.rbegin()->first : next->first;
  }
  log_.flush();
  is_first_ = false;
}

void Watch::take(const Record& record) {
  has_left_[record.node] = ends_life(record);
  const auto known = nodes_.find(record.node);
  if (known != nodes_.end() && known->second.unanswered >= silent_after) {
    remark(record.t_ns, record.node, Text::watch_answers);
    known->second.unanswered = 0;
  }
  if (record.event == TraceEvent::start) election_.join();
  if (record.event == TraceEvent::send) election_.send(record.type, 1, record.t_ns);
  if (record.event == TraceEvent::state) election_.enter(record.node, record.state, record.t_ns);
  if (pings_ || !is_about_ping(record)) log_.record(record);
}

void Watch::notice(const PeerStatus& peer, std::int64_t now_ns) {
  const NodeId id = peer.status.id;
  const auto [entry, is_new] = nodes_.try_emplace(id);
  Node& node = entry->second;
  if (is_new) {
    node.seen = peer;
    node.gone = peer.kind == PeerStatus::Kind::stale;
  }
  switch (peer.kind) {
    case PeerStatus::Kind::ok:
      hear(node, peer.status, is_new, now_ns);
      break;
    case PeerStatus::Kind::no_answer:
      // Somebody else has the name now: that one has not told its PID.
      if (peer.status.pid != 0 && peer.status.pid != node.reported_pid) node.reported_pid = 0;
      node.seen.kind = peer.kind;
      node.gone = false;
      if (++node.unanswered == silent_after) remark(now_ns, id, Text::watch_silent);
      break;
    case PeerStatus::Kind::stale:
      lose(id, node, true, now_ns);
      break;
  }
}

void Watch::hear(Node& node, const NodeStatus& status, bool is_new, std::int64_t now_ns) {
  const bool is_other = !is_new && (node.gone || status.pid != node.reported_pid);
  const NodeStatus before = is_new || is_other ? NodeStatus{} : node.seen.status;
  const bool was_silent = node.unanswered >= silent_after;
  node.seen = {PeerStatus::Kind::ok, status};
  node.reported_pid = status.pid;
  node.unanswered = 0;
  node.gone = false;
  if (was_silent && !is_other) remark(now_ns, status.id, Text::watch_answers);
  const auto traced = has_left_.find(status.id);
  if (traced != has_left_.end() && traced->second && is_other) {
    has_left_.erase(traced);  // it has come back without a trace
  } else if (traced != has_left_.end()) {
    return;  // the rest is told by the trace
  }
  if (!is_first_ && (is_new || is_other)) election_.join();
  const std::string pid = std::to_string(status.pid);
  if (is_other) {
    remark(now_ns, status.id, Text::watch_back, pid);
  } else if (is_new && is_first_) {
    remark(now_ns, status.id, Text::watch_here, pid);
  } else if (is_new) {
    log_.record({.t_ns = now_ns, .node = status.id, .pid = status.pid});
  }
  tell_changes(before, status, now_ns);
}

// In the words that the node itself would log.
void Watch::tell_changes(const NodeStatus& before, const NodeStatus& now, std::int64_t now_ns) {
  election_.enter(now.id, now.state, now_ns);
  if (now.state != before.state) {
    log_.record({.t_ns = now_ns, .node = now.id, .event = TraceEvent::state, .state = now.state});
  }
  if (now.coordinator && now.coordinator != before.coordinator) {
    log_.record({.t_ns = now_ns,
                 .node = now.id,
                 .event = TraceEvent::coordinator,
                 .coordinator = now.coordinator});
  }
  if (is_first_) return;  // what it sent before anybody watched belongs to no election seen
  for (std::size_t i = 0; i < message_type_count; ++i) {
    if (now.sent[i] <= before.sent[i]) continue;
    election_.send(static_cast<MessageType>(i), now.sent[i] - before.sent[i], now_ns);
  }
}

// A node that leaves removes its name; one that was killed cannot, and a peer does it later.
void Watch::lose(NodeId id, Node& node, bool is_stale, std::int64_t now_ns) {
  if (!node.gone) {
    const auto traced = has_left_.find(id);
    if (is_stale || (traced != has_left_.end() && !traced->second)) {
      remark(now_ns, id, Text::watch_killed);
    } else if (traced == has_left_.end()) {
      remark(now_ns, id, Text::watch_gone);
    }
    node.gone_ns = now_ns;
  }
  node.gone = true;
  node.unanswered = 0;
  node.reported_pid = 0;
  node.seen.kind = PeerStatus::Kind::stale;
}

std::vector<NodeId> Watch::silent() const {
  std::vector<NodeId> ids;
  for (const auto& [id, node] : nodes_) {
    if (node.unanswered >= silent_after) ids.push_back(id);
  }
  return ids;
}

void Watch::move_selection(std::ptrdiff_t rows) {
  if (!selected_) return;
  auto at = nodes_.find(*selected_);
  for (; rows > 0 && std::next(at) != nodes_.end(); --rows) ++at;
  for (; rows < 0 && at != nodes_.begin(); ++rows) --at;
  selected_ = at->first;
}

// --- The screen ----------------------------------------------------------------------------------

std::string Watch::agreement() const {
  std::optional<NodeId> followed;
  bool agree = true;
  bool is_alive = false;
  for (const auto& [id, node] : nodes_) {
    if (node.seen.kind != PeerStatus::Kind::ok) continue;
    const std::optional<NodeId> coordinator = node.seen.status.coordinator;
    agree = agree && coordinator && (!followed || *followed == *coordinator);
    followed = coordinator;
    is_alive = is_alive || (coordinator && *coordinator == id);
  }
  if (!followed && agree) return "";
  if (!agree || !is_alive) return std::string(text(Text::watch_disagree, style_.language));
  return text(Text::watch_agree, style_.language, {std::to_string(*followed)});
}

std::string Watch::title(const WatchView& view, std::size_t first, std::size_t shown) const {
  const Language language = style_.language;
  const auto add = [](std::string& line, const std::string& words) {
    if (!words.empty()) line.append(line.empty() ? "" : "  ").append(words);
  };
  std::string line;
  if (view.paused) add(line, std::string(text(Text::watch_paused, language)));
  add(line, agreement());
  const std::vector<const Algorithm*> run = algorithms_run();
  if (!is_default(run)) {
    for (const Algorithm* algorithm : run) add(line, std::string(algorithm->name));
  }
  if (view.pings) add(line, std::string(text(Text::watch_pings, language)));
  if (nodes_.empty()) {
    add(line, text(Text::ps_nobody, language, {view.place}));
    return line;
  }
  add(line, text(Text::watch_nodes, language, {std::to_string(nodes_.size())}));
  if (shown < nodes_.size()) {
    add(line, text(Text::watch_shown, language,
                   {std::to_string(first + 1), std::to_string(first + shown)}));
  }
  add(line, text(Text::watch_place, language, {view.place}));  // last: it may be long
  return line;
}

std::string Watch::election() const {
  if (!election_.is_any()) return std::string(text(Text::watch_no_election, style_.language));
  std::string counts;
  for (const MessageType type : messages_of(algorithms_run())) {
    counts += counts.empty() ? "" : ", ";
    counts += name_of(type, style_.language) + ' ' + std::to_string(election_.sent(type));
  }
  return text(Text::watch_election, style_.language, {counts});
}

std::vector<const Algorithm*> Watch::algorithms_run() const {
  std::vector<std::string_view> names;
  for (const auto& [id, node] : nodes_) {
    if (!node.seen.status.state.empty()) names.push_back(node.seen.status.algorithm);
  }
  return algorithms_named(names);
}

// The heading, and a line for each node.
std::vector<std::string> Watch::table(bool pings) const {
  const Language language = style_.language;
  std::vector<std::vector<std::string>> rows(1);
  std::vector<MessageType> types = messages_of(algorithms_run());
  if (pings) types.push_back(MessageType::ping);
  for (const Text heading : {Text::ps_id, Text::ps_pid, Text::ps_state, Text::ps_coordinator}) {
    rows.front().emplace_back(text(heading, language));
  }
  rows.front().push_back(text(Text::watch_sent, language, {types_text(types)}));
  rows.front().emplace_back(text(Text::watch_received, language));
  rows.front().emplace_back(text(Text::watch_dropped, language));
  for (const auto& [id, node] : nodes_) {
    const NodeStatus& status = node.seen.status;
    const bool is_ok = node.seen.kind == PeerStatus::Kind::ok;
    const bool has_told = !status.state.empty();
    const Algorithm& algorithm = algorithm_named(status.algorithm);
    std::string state = is_ok ? state_words(status.state, language)
                              : std::string(text(Text::ps_no_answer, language));
    if (node.seen.kind == PeerStatus::Kind::stale) state = state_words("down", language);
    rows.push_back({std::to_string(id),
                    node.gone || status.pid == 0 ? "-" : std::to_string(status.pid),
                    state_cell(state, language),
                    is_ok && status.coordinator ? std::to_string(*status.coordinator) : "-",
                    has_told ? counts_text(status.sent, types, algorithm) : "-",
                    has_told ? counts_text(status.received, types, algorithm) : "-",
                    has_told ? std::to_string(status.dropped) : "-"});
  }
  return aligned(rows, 2);
}

void Watch::scroll_to_selection(std::size_t shown) {
  const auto found = selected_ ? nodes_.find(*selected_) : nodes_.begin();
  const auto row = static_cast<std::size_t>(std::distance(nodes_.begin(), found));
  if (row < first_row_) first_row_ = row;
  if (shown > 0 && row >= first_row_ + shown) first_row_ = row + 1 - shown;
  first_row_ = std::min(first_row_, nodes_.size() - std::min(nodes_.size(), shown));
}

std::vector<std::string> Watch::screen(const WatchView& view) {
  const std::size_t free = view.rows > fixed_rows ? view.rows - fixed_rows : 0;
  // The log has a third of the screen at least, and all that the nodes leave.
  const std::size_t shown = std::min(nodes_.size(), free - free / 3);
  scroll_to_selection(shown);
  std::vector<std::string> lines;
  const auto add = [&](const std::string& line, std::string_view color) {
    const bool colored = style_.color && !color.empty();
    lines.push_back(colored
                        ? std::string(color) + fitted(line, view.columns) + std::string(color_reset)
                        : fitted(line, view.columns));
  };
  add(title(view, first_row_, shown), "\033[1m");
  const std::vector<std::string> rows = table(view.pings);
  add("  " + rows.front(), "\033[2m");
  auto node = std::next(nodes_.begin(), static_cast<std::ptrdiff_t>(first_row_));
  for (std::size_t i = 0; i < shown; ++i, ++node) {
    const bool is_selected = node->first == selected_;
    const std::string color(color_of(node->second.seen));
    add((is_selected ? "> " : "  ") + rows[first_row_ + i + 1],
        is_selected ? color + std::string(reversed) : color);
  }
  add("── " + election() + " ──", "\033[1m");
  const std::size_t log_rows = free - shown;
  const std::size_t told = std::min(log_rows, lines_.size());
  for (std::size_t i = lines_.size() - told; i < lines_.size(); ++i) add(lines_[i], "");
  while (lines.size() + 1 < view.rows) add("", "");
  lines.resize(view.rows > 0 ? view.rows - 1 : 0);
  if (view.rows > 0) {
    add(view.said.empty() ? std::string(text(Text::watch_keys, style_.language)) : view.said,
        "\033[2m");
  }
  return lines;
}

}  // namespace bully
