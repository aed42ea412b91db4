// ps_table.cc: the statuses of nodes, a row each.
#include "view/ps_table.h"

#include <algorithm>
#include <functional>

#include "base/layout.h"
#include "base/list.h"
#include "base/text.h"
#include "words/names.h"

namespace bully {

namespace {

// Facts that the table has no room for.
std::string remarks(const std::vector<NodeStatus>& peers,
                    const std::vector<const Algorithm*>& algorithms, Language language) {
  std::string all;
  const auto add = [&](const std::string& words) {
    if (!words.empty()) all += beside("", words);
  };
  if (algorithms.size() == 1 && !is_default(algorithms)) {
    add(text(Text::ps_all_run, language, {algorithms.front()->name}));
  }
  for (const NodeStatus& peer : peers) {
    if (peer.dropped > 0) add(text(Text::ps_has_dropped, language, {peer.id, peer.dropped}));
  }
  add(coordinators_words(peers, language));
  return all;
}

}  // namespace

std::string names_of_dead(const std::vector<NodeStatus>& peers) {
  return joined(list_of(peers, std::not_fn(&NodeStatus::is_alive), &NodeStatus::id), ", ");
}

std::string coordinators_words(std::vector<NodeStatus> nodes, Language language) {
  std::erase_if(nodes,
                [](const NodeStatus& node) { return !node.is_alive() || !node.is_coordinator(); });
  if (nodes.size() < 2) return "";
  const std::string ids = joined(nodes, ", ", [language](const NodeStatus& node) {
    const bool is_stopped = node.condition == Condition::stopped;
    return std::to_string(node.id) +
           (is_stopped ? text(Text::watch_stopped_one, language, {}) : "");
  });
  if (nodes.size() == 2) return text(Text::two_coordinators, language, {ids});
  return text(Text::more_coordinators, language, {nodes.size(), ids});
}

std::vector<std::string> table_lines(const std::vector<PsRow>& rows,
                                     const std::vector<Text>& columns,
                                     const std::vector<MessageType>& types, std::size_t most,
                                     Language language) {
  Table table(1);
  for (const PsRow& row : rows) {
    std::vector<std::string>& cells = table.emplace_back();
    for (const Text column : columns) cells.push_back(row.at(column));
  }
  std::vector<std::string> lines;
  // "E/PE/C": the types as on the wire, if there is room.
  const std::string codes = joined(types, "/", [](MessageType type) { return type->code; });
  for (const std::string& named : {codes, std::string()}) {
    table.front().clear();
    for (const Text column : columns) table.front().push_back(text(column, language, {named}));
    lines = aligned(table, "rrl");
    if (std::ranges::all_of(lines, [=](const auto& line) { return width(line) <= most; })) break;
  }
  return lines;
}

PsRow row_of(const NodeStatus& node, const std::vector<MessageType>& types, Language language) {
  const bool is_ok = node.condition == Condition::running;
  const bool is_gone = node.condition == Condition::crashed;
  const bool has_told = is_ok || !node.state.empty();
  const std::string shown = is_gone              ? std::string(text(Text::ps_stale, language))
                            : node.is_halted     ? std::string(text(Text::ps_stopped, language))
                            : !is_ok             ? std::string(text(Text::ps_no_answer, language))
                            : node.state.empty() ? "-"
                                                 : state_words(node.state, language);
  const Algorithm& algorithm = algorithm_named(node.algorithm);
  // The node's own name of it; rules that may change carry their version.
  const std::string algorithm_words =
      node.algorithm.empty() ? std::string(default_algorithm().name) : harmless(node.algorithm);
  const auto pid_text = [](std::int64_t pid) { return pid == 0 ? "-" : std::to_string(pid); };
  const auto counts_text = [&](const MessageCounts& counts) {
    return joined(types, "/", [&](MessageType type) {
      const bool counted = !type.is_of_election() || algorithm.speaks(type);
      return counted ? std::to_string(counts.of(type)) : "-";
    });
  };
  return {
      {Text::ps_id, std::to_string(node.id)},
      {Text::ps_pid, is_gone ? "-" : pid_text(node.pid)},
      {Text::ps_algorithm, is_ok ? algorithm_words : "-"},
      {Text::ps_state, shown},
      {Text::ps_coordinator, is_ok && node.coordinator ? std::to_string(*node.coordinator) : "-"},
      {Text::ps_monitor, pid_text(node.monitor_pid)},
      {Text::watch_sent, has_told ? counts_text(node.sent) : "-"},
      {Text::watch_received, has_told ? counts_text(node.received) : "-"},
      {Text::watch_dropped, has_told && !node.observed ? std::to_string(node.dropped) : "-"}};
}

std::string ps_table(const std::vector<NodeStatus>& peers, Language language) {
  std::vector<std::string_view> names;
  for (const NodeStatus& peer : peers) {
    if (peer.condition == Condition::running) names.push_back(peer.algorithm);
  }
  const std::vector<const Algorithm*> algorithms = algorithms_named(names);
  std::vector<MessageType> types = messages_of(algorithms);
  types.push_back(messages::ping);
  std::vector<Text> columns = {Text::ps_id,      Text::ps_pid,         Text::ps_algorithm,
                               Text::ps_state,   Text::ps_coordinator, Text::ps_monitor,
                               Text::watch_sent, Text::watch_received};
  const auto names_rules = [](const NodeStatus& peer) {
    return peer.algorithm.find(version_mark) != std::string::npos;
  };
  const bool is_told = algorithms.size() > 1 || std::ranges::any_of(peers, names_rules);
  if (!is_told) std::erase(columns, Text::ps_algorithm);
  std::vector<PsRow> rows;
  for (const NodeStatus& peer : peers) rows.push_back(row_of(peer, types, language));
  const std::vector<std::string> lines =
      table_lines(rows, columns, types, terminal_columns, language);
  std::string table = joined(lines, "\n") + '\n';
  const auto meaning = [language](MessageType type) {
    return std::string(type->code) + ' ' + name_of(type, language);
  };
  table += rewrapped(text(Text::ps_counts, language, {joined(types, ", ", meaning)}) + '\n');
  return table + remarks(peers, algorithms, language);
}

}  // namespace bully
