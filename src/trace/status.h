// status.h: what a node says of itself when asked, as a value and as JSON.
//
// The reply to the wire's status request, and what `bully ps` shows. This unit asks nobody.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "election/record.h"

namespace bully {

// Of a node led by hand alone: whom it watches, and timers that do not run out by themselves.
struct ByHand {
  struct RunningTimer {
    std::uint64_t start = 0;  // which start of any timer it was, counted from 1; 0: it does not run
    std::uint64_t attempts = 0;  // as in StartTimer
    bool operator==(const RunningTimer&) const = default;
  };
  std::optional<NodeId> watched = std::nullopt;
  std::array<RunningTimer, timer_count> timers = {};
};

// What a node says of itself, or what one learns of a name in the directory: `stopped` is then any
// process that listens but does not reply, and `crashed` a name with no process behind it. Without
// a reply only the id is known, and the PID if the kernel tells it.
struct NodeStatus : Snapshot {
  std::int64_t pid = 0;          // a possible one: positive, and no larger than a pid_t
  std::int64_t listener = 0;     // the PID of the process that listens, by the kernel, if it tells
  std::string algorithm = {};    // empty: it does not say, being older
  std::int64_t monitor_pid = 0;  // 0: there is none at present
  std::int64_t uptime_ms = 0;
  MessageCounts sent = {};
  MessageCounts received = {};
  std::uint64_t dropped = 0;
  std::optional<ByHand> by_hand = {};
  bool is_halted = false;  // it does not reply, and the kernel says that it is stopped
};

// A status question to a node led by hand, which meets `event` first: an Expired, Suspected,
// PeerFound or PeerGone; any other is no order. And the event that a question orders.
Message order_to_meet(const Event& event);
std::optional<Event> ordered_by(const Message& question);

std::string encode(const NodeStatus& status);
std::optional<NodeStatus> decode_status(std::string_view json);

// All of it as a JSON array, an object for each, with what is not known as null.
std::string encode(const std::vector<NodeStatus>& peers);

}  // namespace bully
