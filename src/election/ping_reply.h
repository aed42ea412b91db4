// ping_reply.h: the reply to a ping, which names the replier's coordinator. It is no part of an
// election: a caller needs it to report that the coordinator is deposed (protocol.h, duty 6).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "election/message.h"

namespace bully {

// The reply that a node of this program sends before it closes: `1;ID` or `1;ID;COORDINATOR`.
struct PingReply {
  NodeId id = 0;
  std::optional<NodeId> coordinator = std::nullopt;  // nothing while it is in an election

  // True if the process `asked`, by this reply, is not the coordinator of `follower`, which follows
  // it: it follows another process.
  bool disowns(NodeId asked, const PingReply& follower) const {
    return follower.coordinator == asked && coordinator && coordinator != asked;
  }
  bool operator==(const PingReply&) const = default;
};
std::string encode(const PingReply& reply);
std::optional<PingReply> decode_ping_reply(std::string_view bytes);

}  // namespace bully
