// status_reply.cc: a status as JSON and back, and a query with an event.
#include "node/status_reply.h"

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "base/json.h"
#include "base/text.h"
#include "election/algorithm.h"

namespace bully {

namespace {

// Of all messages that a node counts, in the order of its reply.
std::vector<MessageType> counted_messages() {
  const std::span<const MessageType> known = known_messages();
  std::vector<MessageType> counted(known.begin(), known.end());
  counted.insert(counted.begin() + 1, messages::status);
  return counted;
}

std::string json_of(const MessageCounts& counts) {
  JsonMembers members;
  for (const MessageType type : counted_messages()) {
    members.push_back({type->code, std::to_string(counts.of(type))});
  }
  return json_object(members);
}

MessageCounts counts_from(const Json& json) {
  MessageCounts counts;
  for (const MessageType type : counted_messages()) {
    counts[type] = json[type->code].as_unsigned().value_or(0);
  }
  return counts;
}

// 0 unless it can be a PID. A number that does not fit a pid_t would become another one, in the
// worst case -1, which means every process to kill(2).
std::int64_t as_pid(const Json& json) {
  const std::uint64_t value = json.as_unsigned().value_or(0);
  return value <= std::numeric_limits<pid_t>::max() ? static_cast<std::int64_t>(value) : 0;
}

constexpr std::array<std::string_view, 2> timer_keys = {"answer_timer", "coordinator_timer"};

constexpr std::uint64_t suspicion_count = 1 + static_cast<std::uint64_t>(Suspicion::deposed);

Controlled controlled_from(const Json& json) {
  Controlled controlled{.watched = parse_id(json["watched"])};
  for (std::size_t i = 0; i < timer_count; ++i) {
    const Json& timer = json[timer_keys.at(i)];
    if (timer.elements.size() != 2) continue;
    controlled.timers.at(i) = {timer.elements[0].as_unsigned().value_or(0),
                               timer.elements[1].as_unsigned().value_or(0)};
  }
  return controlled;
}

}  // namespace

// Only the id and the PID are known if the process has not replied.
std::string encode(const NodeStatus& status) {
  const bool is_known = status.condition == Condition::running;
  const auto* const silence = status.is_halted                         ? "stopped"
                              : status.condition == Condition::stopped ? "no answer"
                                                                       : "stale";
  const auto known = [is_known](const std::string& json) { return is_known ? json : "null"; };
  const auto pid_or_null = [](std::int64_t pid) { return pid == 0 ? "null" : std::to_string(pid); };
  JsonMembers members = {
      {"id", std::to_string(status.id)},
      {"pid", pid_or_null(status.pid)},
      {"status", json_string(is_known ? "ok" : silence)},
      {"algorithm", status.algorithm.empty() ? "null" : known(json_string(status.algorithm))},
      {"state", known(json_string(status.state))},
      {"coordinator", json_number(status.coordinator)},
      {"monitor_pid", pid_or_null(status.monitor_pid)},
      {"uptime_ms", known(std::to_string(status.uptime_ms))},
      {"sent", known(json_of(status.sent))},
      {"received", known(json_of(status.received))},
      {"dropped", known(std::to_string(status.dropped))}};
  if (status.controlled) {
    members.push_back({"watched", json_number(status.controlled->watched)});
    for (std::size_t i = 0; i < timer_count; ++i) {
      const auto& [start, attempts] = status.controlled->timers.at(i);
      members.push_back({timer_keys.at(i), json_array(std::array{start, attempts}, json_number)});
    }
  }
  return json_object(members);
}

// It names an event of Event, with the reason of a suspicion, and a peer or a timer.
Message query_with(const Event& event) {
  Message question{.type = messages::status};
  const auto set_event = [&](std::uint64_t about, Suspicion reason = {}) {
    question.set(fields::about, about);
    question.set(fields::event,
                 event.index() * suspicion_count + static_cast<std::uint64_t>(reason));
  };
  if (const auto* it = std::get_if<Suspected>(&event)) set_event(it->peer, it->reason);
  if (const auto* it = std::get_if<Expired>(&event))
    set_event(static_cast<std::uint64_t>(it->timer));
  if (const auto* it = std::get_if<PeerFound>(&event)) set_event(it->peer);
  if (const auto* it = std::get_if<PeerGone>(&event)) set_event(it->peer);
  return question;
}

std::optional<Event> event_in(const Message& question) {
  const auto about = question.get(fields::about);
  const std::uint64_t code = question.get(fields::event).value_or(0);
  const auto is = [&](const Event& event) {
    return about && code / suspicion_count == event.index();
  };
  if (is(Suspected())) return Suspected{*about, static_cast<Suspicion>(code % suspicion_count)};
  if (is(Expired()) && *about < timer_count) return Expired{static_cast<Timer>(*about)};
  if (is(PeerFound())) return PeerFound{*about};
  if (is(PeerGone())) return PeerGone{*about};
  return std::nullopt;
}

std::string encode(const std::vector<NodeStatus>& peers) {
  std::string json = json_array(peers, [](const NodeStatus& peer) { return "\n " + encode(peer); });
  if (!peers.empty()) json.insert(json.size() - 1, "\n");
  return json;
}

std::optional<NodeStatus> decode_status(std::string_view text) {
  const Json json = parse_json(text).value_or(Json());
  const std::optional<NodeId> id = parse_id(json["id"]);
  const std::int64_t pid = as_pid(json["pid"]);
  const std::string& algorithm = json["algorithm"].text;
  const std::string& state = json["state"].text;
  if (!json["algorithm"].is_string() || algorithm.empty()) return std::nullopt;
  if (!id || pid == 0 || (!state.empty() && !is_name(state))) return std::nullopt;
  NodeStatus status{{.id = *id,
                     .condition = Condition::running,
                     .state = state,
                     .coordinator = parse_id(json["coordinator"])},
                    pid};
  status.algorithm = algorithm;
  status.monitor_pid = as_pid(json["monitor_pid"]);
  status.uptime_ms = std::max<std::int64_t>(0, json["uptime_ms"].as_signed().value_or(0));
  status.sent = counts_from(json["sent"]);
  status.received = counts_from(json["received"]);
  status.dropped = json["dropped"].as_unsigned().value_or(0);
  if (json[timer_keys[0]].kind == Json::Kind::array) status.controlled = controlled_from(json);
  return status;
}

}  // namespace bully
