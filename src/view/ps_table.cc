#include "view/ps_table.h"

namespace bully {

namespace {

constexpr std::array columns = {Text::ps_id,      Text::ps_pid,         Text::ps_algorithm,
                                Text::ps_state,   Text::ps_coordinator, Text::ps_monitor,
                                Text::watch_sent, Text::watch_received};
constexpr std::ptrdiff_t algorithm_column = 2;

// What the table has no room for.
std::string remarks(const std::vector<NodeStatus>& peers,
                    const std::vector<const Algorithm*>& algorithms, Language language) {
  std::string all;
  const auto add = [&](const std::string& words) {
    all += joined(wrapped(words, narration_columns), "\n") + '\n';
  };
  if (algorithms.size() == 1 && !is_default(algorithms)) {
    add(text(Text::ps_all_run, language, {algorithms.front()->name}));
  }
  std::vector<NodeId> coordinators;
  for (const NodeStatus& peer : peers) {
    const bool runs = peer.condition == Condition::running;
    if (runs && peer.is_coordinator()) coordinators.push_back(peer.id);
    if (peer.dropped > 0) add(text(Text::ps_has_dropped, language, {peer.id, peer.dropped}));
  }
  if (coordinators.size() > 1) add(coordinators_words(coordinators, language));
  return all;
}

}  // namespace

std::string types_text(const std::vector<MessageType>& types) {
  return joined(types, "/", [](MessageType type) { return type->code; });
}

std::string coordinators_words(const std::vector<NodeId>& ids, Language language) {
  const std::string all = joined(ids, ", ", [](NodeId id) { return std::to_string(id); });
  if (ids.size() == 2) return text(Text::two_coordinators, language, {all});
  return text(Text::more_coordinators, language, {ids.size(), all});
}

PsRow row_of(const NodeStatus& node, const std::vector<MessageType>& types, Language language) {
  const bool is_ok = node.condition == Condition::running;
  const bool is_gone = node.condition == Condition::crashed;
  const bool has_told = is_ok || !node.state.empty();
  const std::string shown =
      !is_ok ? std::string(text(is_gone ? Text::ps_stale : Text::ps_no_answer, language))
      : node.state.empty() ? "-"
                           : state_words(node.state, language);
  const Algorithm& algorithm = algorithm_named(node.algorithm);
  const auto pid_text = [](std::int64_t pid) { return pid == 0 ? "-" : std::to_string(pid); };
  const auto counts_text = [&](const MessageCounts& counts) {
    return joined(types, "/", [&](MessageType type) {
      const bool counted = !type.is_of_election() || algorithm.speaks(type);
      return counted ? std::to_string(counts.of(type)) : "-";
    });
  };
  return {std::to_string(node.id),
          is_gone ? "-" : pid_text(node.pid),
          std::string(is_ok ? algorithm.name : "-"),
          shown,
          is_ok && node.coordinator ? std::to_string(*node.coordinator) : "-",
          pid_text(node.monitor_pid),
          has_told ? counts_text(node.sent) : "-",
          has_told ? counts_text(node.received) : "-",
          has_told && !node.observed ? std::to_string(node.dropped) : "-"};
}

std::string ps_table(const std::vector<NodeStatus>& peers, Language language) {
  std::vector<std::string_view> names;
  for (const NodeStatus& peer : peers) {
    if (peer.condition == Condition::running) names.push_back(peer.algorithm);
  }
  const std::vector<const Algorithm*> algorithms = algorithms_named(names);
  std::vector<MessageType> types = messages_of(algorithms);
  types.push_back(messages::ping);
  Table rows(1);
  for (const Text heading : columns) {
    rows.front().push_back(text(heading, language, {types_text(types)}));
  }
  for (const NodeStatus& peer : peers) {
    const auto row = row_of(peer, types, language);
    rows.emplace_back(row.begin(), row.begin() + columns.size());
  }
  if (algorithms.size() == 1) {
    for (auto& row : rows) row.erase(row.begin() + algorithm_column);
  }
  return joined(aligned(rows, "rrl"), "\n") + '\n' + remarks(peers, algorithms, language);
}

}  // namespace bully
