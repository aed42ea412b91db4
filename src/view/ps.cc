#include "view/ps.h"

#include <algorithm>

namespace bully {

namespace {

constexpr std::size_t number_columns = 2;
using Row = std::vector<std::string>;

constexpr std::string_view unknown = "-";

std::string or_unknown(std::int64_t value) {
  return value == 0 ? std::string(unknown) : std::to_string(value);
}

// What the columns of a table are.
struct Columns {
  bool algorithm = false;
  std::vector<MessageType> types;  // that are counted
};

Row headings(const Columns& columns, Language language) {
  const auto say = [&](Text words) { return std::string(text(words, language)); };
  Row row = {say(Text::ps_id), say(Text::ps_pid), say(Text::ps_status)};
  if (columns.algorithm) row.push_back(say(Text::ps_algorithm));
  const std::string types = types_text(columns.types);
  for (const std::string& heading :
       {say(Text::ps_state), say(Text::ps_coordinator), say(Text::ps_monitor),
        text(Text::ps_sent, language, {types}), text(Text::ps_received, language, {types}),
        say(Text::ps_dropped)}) {
    row.push_back(heading);
  }
  return row;
}

Row row_of(const PeerStatus& peer, const Columns& columns, Language language) {
  const NodeStatus& status = peer.status;
  const Algorithm& algorithm = algorithm_named(status.algorithm);
  Row row = {std::to_string(status.id), or_unknown(status.pid)};
  if (peer.kind != PeerStatus::Kind::ok) {
    const bool stale = peer.kind == PeerStatus::Kind::stale;
    row.emplace_back(text(stale ? Text::ps_stale : Text::ps_no_answer, language));
    row.resize(headings(columns, language).size(), std::string(unknown));
    return row;
  }
  row.emplace_back(text(Text::ps_ok, language));
  if (columns.algorithm) row.emplace_back(algorithm.name);
  row.push_back(state_words(status.state, language));
  row.push_back(status.coordinator ? std::to_string(*status.coordinator) : std::string(unknown));
  row.push_back(or_unknown(status.monitor_pid));
  row.push_back(counts_text(status.sent, columns.types, algorithm));
  row.push_back(counts_text(status.received, columns.types, algorithm));
  row.push_back(std::to_string(status.dropped));
  return row;
}

}  // namespace

std::string types_text(const std::vector<MessageType>& types) {
  std::string shown;
  for (const MessageType type : types) {
    shown.append(shown.empty() ? "" : "/").append(wire_name(type));
  }
  return shown;
}

std::string counts_text(const MessageCounts& counts, const std::vector<MessageType>& types,
                        const Algorithm& algorithm) {
  std::string shown;
  for (const MessageType type : types) {
    const bool counted = !is_of_election(type) || algorithm.speaks(type);
    shown += shown.empty() ? "" : "/";
    shown += counted ? std::to_string(count_of(counts, type)) : unknown;
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
  std::vector<std::string_view> names;
  for (const PeerStatus& peer : peers) {
    if (peer.kind == PeerStatus::Kind::ok) names.push_back(peer.status.algorithm);
  }
  const std::vector<const Algorithm*> algorithms = algorithms_named(names);
  Columns columns{.algorithm = !is_default(algorithms), .types = messages_of(algorithms)};
  columns.types.push_back(MessageType::ping);
  std::vector<Row> rows = {headings(columns, language)};
  for (const PeerStatus& peer : peers) rows.push_back(row_of(peer, columns, language));
  std::string table;
  for (const std::string& line : aligned(rows, number_columns)) table += line + '\n';
  return table;
}

}  // namespace bully
