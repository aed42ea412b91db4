// status.h: what a node says of itself when asked, as a value and as JSON.
//
// The reply to the wire's status request, and what `bully ps` shows. This unit asks nobody: for
// that see ../node/query.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "election/message.h"

namespace bully {

// What a node says of itself.
struct NodeStatus {
  NodeId id = 0;
  std::int64_t pid = 0;        // a possible one: positive, and no larger than a pid_t
  std::string algorithm = {};  // empty: it does not say, being older
  std::string state = {};
  std::optional<NodeId> coordinator = std::nullopt;
  std::int64_t monitor_pid = 0;  // 0: there is none at present
  std::int64_t uptime_ms = 0;
  MessageCounts sent{};
  MessageCounts received{};
  std::uint64_t dropped = 0;
};

// As one line of JSON, and back.
std::string encode(const NodeStatus& status);
std::optional<NodeStatus> decode_status(std::string_view json);

// What one learns of a name in the directory.
struct PeerStatus {
  enum class Kind : std::uint8_t {
    ok,         // it replied
    no_answer,  // somebody listens, but does not reply: it is stopped, or no node of ours
    stale,      // there is no process behind the name
  };
  Kind kind = Kind::stale;
  // Complete where `kind` is ok. Else only the id, and the PID where the kernel tells it.
  NodeStatus status;
  // The PID of the process that listens, by the kernel; 0 where that does not tell.
  std::int64_t listener = 0;
};

// All of it as a JSON array, an object for each, with what is not known as null.
std::string encode(const std::vector<PeerStatus>& peers);

}  // namespace bully
