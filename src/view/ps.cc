#include "view/ps.h"

#include <algorithm>

namespace bully {

namespace {

constexpr std::size_t column_count = 9;
constexpr std::size_t number_columns = 2;
using Row = std::vector<std::string>;

constexpr std::string_view unknown = "-";

std::string or_unknown(std::int64_t value) {
  return value == 0 ? std::string(unknown) : std::to_string(value);
}

Row row_of(const PeerStatus& peer, Language language) {
  const NodeStatus& status = peer.status;
  Row row(column_count, std::string(unknown));
  row[0] = std::to_string(status.id);
  row[1] = or_unknown(status.pid);
  if (peer.kind == PeerStatus::Kind::no_answer) row[2] = text(Text::ps_no_answer, language);
  if (peer.kind == PeerStatus::Kind::stale) row[2] = text(Text::ps_stale, language);
  if (peer.kind != PeerStatus::Kind::ok) return row;
  row[2] = text(Text::ps_ok, language);
  row[3] = text(state_text(status.state), language);
  if (status.coordinator) row[4] = std::to_string(*status.coordinator);
  row[5] = or_unknown(status.monitor_pid);
  row[6] = counts_text(status.sent, true);
  row[7] = counts_text(status.received, true);
  row[8] = std::to_string(status.dropped);
  return row;
}

}  // namespace

Text state_text(std::string_view name) {
  if (name == "follower") return Text::state_follower;
  if (name == "candidate") return Text::state_candidate;
  if (name == "waiting") return Text::state_waiting;
  if (name == "coordinator") return Text::state_coordinator;
  return Text::state_down;
}

std::string counts_text(const MessageCounts& counts, bool with_pings) {
  std::string shown;
  for (const MessageType type :
       {MessageType::election, MessageType::answer, MessageType::coordinator, MessageType::ping}) {
    if (type == MessageType::ping && !with_pings) continue;
    shown += shown.empty() ? "" : "/";
    shown += std::to_string(counts[static_cast<std::size_t>(type)]);
  }
  return shown;
}

std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows,
                                 std::size_t number_count) {
  std::vector<std::size_t> columns(rows.empty() ? 0 : rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns[i] = std::max(columns[i], width(row.at(i)));
    }
  }
  std::vector<std::string> lines;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) line += "  ";
      line += i < number_count ? right_aligned(row[i], columns[i]) : padded(row[i], columns[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string ps_table(const std::vector<PeerStatus>& peers, Language language) {
  std::vector<Row> rows(1);
  for (const Text heading :
       {Text::ps_id, Text::ps_pid, Text::ps_status, Text::ps_state, Text::ps_coordinator,
        Text::ps_monitor, Text::ps_sent, Text::ps_received, Text::ps_dropped}) {
    rows.front().emplace_back(text(heading, language));
  }
  for (const PeerStatus& peer : peers) rows.push_back(row_of(peer, language));
  std::string table;
  for (const std::string& line : aligned(rows, number_columns)) table += line + '\n';
  return table;
}

}  // namespace bully
