#include "trace/status.h"

#include <sys/types.h>

#include <algorithm>
#include <limits>

#include "trace/json.h"

namespace bully {

namespace {

std::string counts_json(const MessageCounts& counts) {
  std::string json;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    json += json.empty() ? '{' : ',';
    json += json_string(wire_name(static_cast<MessageType>(i))) + ':' + std::to_string(counts[i]);
  }
  return json + '}';
}

MessageCounts counts_from(const Json& json) {
  MessageCounts counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = json[wire_name(static_cast<MessageType>(i))].as_unsigned().value_or(0);
  }
  return counts;
}

// Times are never negative, whatever a reply claims.
std::optional<std::int64_t> not_negative(const Json& json) {
  const std::optional<std::int64_t> value = json.as_signed();
  return value && *value >= 0 ? value : std::nullopt;
}

// Nor are PIDs. And one that does not fit a pid_t would become another number, in the worst case
// the -1 that means every process to kill(2).
std::optional<std::int64_t> as_pid(const Json& json) {
  const std::optional<std::int64_t> value = json.as_signed();
  return value && *value > 0 && *value <= std::numeric_limits<pid_t>::max() ? value : std::nullopt;
}

// Whether it can be a state's name at all.
bool is_name(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

std::string number(std::string_view key, std::optional<std::uint64_t> value) {
  return json_string(key) + ':' + (value ? std::to_string(*value) : "null") + ',';
}

// PIDs and times, where 0 says that there is none.
std::string number_or_null(std::string_view key, std::int64_t value) {
  return number(key, value == 0 ? std::nullopt : std::optional<std::uint64_t>(value));
}

// Everything after the PID, of a node that replied, and of one that did not.
std::string details(const NodeStatus& status) {
  return "\"algorithm\":" + (status.algorithm.empty() ? "null" : json_string(status.algorithm)) +
         ",\"state\":" + json_string(status.state) + ',' +
         number("coordinator", status.coordinator) +
         number_or_null("monitor_pid", status.monitor_pid) +
         number("uptime_ms", static_cast<std::uint64_t>(status.uptime_ms)) +
         "\"sent\":" + counts_json(status.sent) + ",\"received\":" + counts_json(status.received) +
         ",\"dropped\":" + std::to_string(status.dropped);
}
constexpr std::string_view unknown_details =
    "\"algorithm\":null,\"state\":null,\"coordinator\":null,\"monitor_pid\":null,\"uptime_ms\":"
    "null,"
    "\"sent\":null,\"received\":null,\"dropped\":null";

std::string_view kind_name(PeerStatus::Kind kind) {
  switch (kind) {
    case PeerStatus::Kind::ok:
      return "ok";
    case PeerStatus::Kind::no_answer:
      return "no answer";
    case PeerStatus::Kind::stale:
      return "stale";
  }
  return "";
}

}  // namespace

std::string encode(const NodeStatus& status) {
  return '{' + number("id", status.id) + number_or_null("pid", status.pid) + details(status) + '}';
}

std::string encode(const std::vector<PeerStatus>& peers) {
  std::string json = "[";
  for (const PeerStatus& peer : peers) {
    json += json.size() > 1 ? ",\n " : "\n ";
    json += '{' + number("id", peer.status.id) + number_or_null("pid", peer.status.pid);
    json += "\"status\":" + json_string(kind_name(peer.kind)) + ',';
    json += peer.kind == PeerStatus::Kind::ok ? details(peer.status) : unknown_details;
    json += '}';
  }
  return json + (peers.empty() ? "]" : "\n]");
}

std::optional<NodeStatus> decode_status(std::string_view text) {
  const std::optional<Json> json = parse_json(text);
  if (!json) return std::nullopt;
  const std::optional<NodeId> id = (*json)["id"].as_unsigned();
  const std::optional<std::int64_t> pid = as_pid((*json)["pid"]);
  if (!id || !pid || !is_name((*json)["state"].text)) return std::nullopt;
  NodeStatus status;
  status.id = *id;
  status.pid = *pid;
  if ((*json)["algorithm"].is_string()) status.algorithm = (*json)["algorithm"].text;
  status.state = (*json)["state"].text;
  status.coordinator = (*json)["coordinator"].as_unsigned();
  status.monitor_pid = as_pid((*json)["monitor_pid"]).value_or(0);
  status.uptime_ms = not_negative((*json)["uptime_ms"]).value_or(0);
  status.sent = counts_from((*json)["sent"]);
  status.received = counts_from((*json)["received"]);
  status.dropped = (*json)["dropped"].as_unsigned().value_or(0);
  return status;
}

}  // namespace bully
