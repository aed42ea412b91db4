#include "view/ps.h"

#include <algorithm>
#include <array>

namespace bully {

namespace {

constexpr std::size_t column_count = 9;
using Row = std::array<std::string, column_count>;

constexpr std::string_view unknown = "-";

std::string counts(const MessageCounts& counts) {
  std::string shown;
  for (const MessageType type :
       {MessageType::election, MessageType::answer, MessageType::coordinator, MessageType::ping}) {
    shown += shown.empty() ? "" : "/";
    shown += std::to_string(counts[static_cast<std::size_t>(type)]);
  }
  return shown;
}

std::string or_unknown(std::int64_t value) {
  return value == 0 ? std::string(unknown) : std::to_string(value);
}

Row row_of(const PeerStatus& peer, Language language) {
  const NodeStatus& status = peer.status;
  Row row;
  row.fill(std::string(unknown));
  row[0] = std::to_string(status.id);
  row[1] = or_unknown(status.pid);
  if (peer.kind == PeerStatus::Kind::no_answer) row[2] = text(Text::ps_no_answer, language);
  if (peer.kind == PeerStatus::Kind::stale) row[2] = text(Text::ps_stale, language);
  if (peer.kind != PeerStatus::Kind::ok) return row;
  row[2] = text(Text::ps_ok, language);
  row[3] = text(state_text(status.state), language);
  if (status.coordinator) row[4] = std::to_string(*status.coordinator);
  row[5] = or_unknown(status.monitor_pid);
  row[6] = counts(status.sent);
  row[7] = counts(status.received);
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

std::string ps_table(const std::vector<PeerStatus>& peers, Language language) {
  std::vector<Row> rows(1);
  constexpr std::array headings = {Text::ps_id,    Text::ps_pid,         Text::ps_status,
                                   Text::ps_state, Text::ps_coordinator, Text::ps_monitor,
                                   Text::ps_sent,  Text::ps_received,    Text::ps_dropped};
  for (std::size_t i = 0; i < column_count; ++i) rows[0][i] = text(headings[i], language);
  for (const PeerStatus& peer : peers) rows.push_back(row_of(peer, language));

  std::array<std::size_t, column_count> columns{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < column_count; ++i) columns[i] = std::max(columns[i], width(row[i]));
  }
  std::string table;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < column_count; ++i) {
      const bool is_number = i < 2;
      if (i > 0) table += "  ";
      table += is_number ? right_aligned(row[i], columns[i]) : padded(row[i], columns[i]);
    }
    table.erase(table.find_last_not_of(' ') + 1);
    table += '\n';
  }
  return table;
}

}  // namespace bully
