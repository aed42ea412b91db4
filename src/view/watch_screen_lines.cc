// watch_screen_lines.cc: the header, the table, the last election, the log and the keys of a
// screen.
#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "base/layout.h"
#include "base/list.h"
#include "pictures/diagram.h"
#include "pictures/diagram_steps.h"
#include "pictures/style.h"
#include "view/ps_table.h"
#include "view/watch_screen.h"
#include "words/names.h"

namespace bully {

namespace {

// Title, table heading and election heading; if messages are held, one more.
constexpr std::size_t fixed_rows = 3;
constexpr std::size_t held_fixed_rows = 1;
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

}  // namespace

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
  // All follow one process, and it runs.
  const std::optional<NodeId> followed = live.front().coordinator;
  const bool agree =
      std::ranges::count(live, followed, &NodeStatus::coordinator) == std::ssize(live) &&
      std::ranges::count(live, followed, &NodeStatus::id) > 0;
  return agree ? style_.say(Text::watch_agree, {*followed}) : style_.say(Text::watch_disagree);
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
    if (shown > 0 && shown < nodes_.size()) {
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
    const std::string held = view.held ? style_.say(Text::hold_help_keys) + '\n' : "";
    return fit(lines_in(folded(held + style_.say(Text::watch_help_keys), view.columns)), rows);
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

// Keys, and a message in their place: as many lines as a narrow screen needs, broken between keys.
std::vector<std::string> Watch::footer() const {
  const auto keys = [this](Text names) { return packed(style_.say(names), "  ", view.columns); };
  std::vector<std::string> lines;
  if (view.held) lines = keys(Text::hold_keys);
  std::ranges::move(
      view.message.empty() ? keys(Text::watch_keys) : wrapped(view.message, view.columns),
      std::back_inserter(lines));
  return lines;
}

std::vector<std::string> Watch::screen() {
  const std::vector<std::string> keys = footer();
  const std::size_t fixed = fixed_rows + (view.held ? held_fixed_rows : 0) + keys.size();
  const std::size_t free = view.rows > fixed ? view.rows - fixed : 0;
  // The part below the nodes has at least a third of the screen, and all the room that they leave;
  // the list of all keys has all.
  const std::size_t shown = view.helps ? 0 : std::min(nodes_.size(), free - free / 3);
  scroll_to_selection(shown);
  std::vector<std::string> lines;
  const auto add = [&](std::string_view line, Color color = Color::plain) {
    lines.push_back(style_.paint(color, fitted(line, view.columns)));
  };
  add(title(view.helps ? nodes_.size() : shown), Color::bold);
  const std::vector<std::string> rows = table();
  add("  " + rows.front(), Color::dim);
  auto node = std::next(nodes_.begin(), static_cast<std::ptrdiff_t>(first_row_));
  for (std::size_t i = 0; i < shown; ++i, ++node) {
    const bool is_selected = node->first == selected_;
    add((is_selected ? "> " : "  ") + rows[first_row_ + i + 1], color_of(node->second.seen));
    if (is_selected) lines.back() = style_.paint(Color::reversed, lines.back());
  }
  std::size_t log_rows = free - shown;
  if (view.held && !view.helps) {
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
  while (lines.size() + keys.size() < view.rows) add("");
  const std::size_t shown_keys = std::min(keys.size(), view.rows);
  lines.resize(view.rows - shown_keys);
  for (const std::string& line : std::span(keys).last(shown_keys)) add(line, Color::dim);
  return lines;
}

}  // namespace bully
