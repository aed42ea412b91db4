#include "view/ps_table.h"

namespace bully {

namespace {

constexpr std::array columns = {
    Text::ps_id,          Text::ps_pid,     Text::ps_status, Text::ps_algorithm, Text::ps_state,
    Text::ps_coordinator, Text::ps_monitor, Text::ps_sent,   Text::ps_received,  Text::ps_dropped};
constexpr std::ptrdiff_t algorithm_column = 3;

}  // namespace

std::string types_text(const std::vector<MessageType>& types) {
  return joined(types, "/", [](MessageType type) { return type->code; });
}

PsRow row_of(const NodeStatus& node, const std::vector<MessageType>& types, Language language) {
  const bool is_ok = node.condition == Condition::running;
  const bool is_gone = node.condition == Condition::crashed;
  const bool has_told = is_ok || !node.state.empty();
  const Text status = is_ok ? Text::ps_ok : is_gone ? Text::ps_stale : Text::ps_no_answer;
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
          std::string(text(status, language)),
          std::string(is_ok ? algorithm.name : "-"),
          is_ok && !node.state.empty() ? state_words(node.state, language) : "-",
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
    rows.emplace_back(row.begin(), row.end());
  }
  if (is_default(algorithms)) {
    for (auto& row : rows) row.erase(row.begin() + algorithm_column);
  }
  return joined(aligned(rows, "rrl"), "\n") + '\n';
}

}  // namespace bully
