// ping_reply.h: the reply to a ping, which names the replier's coordinator. It is no part of an
// election: a caller needs it to report that the coordinator is deposed (protocol.h, duty 6).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "election/group.h"

namespace bully {

// The reply that a node of this program sends before it closes: `1;ID` or `1;ID;COORDINATOR`, or
// with groups `1;ID;[COORDINATOR];CREATOR;COUNT`.
struct PingReply {
  NodeId id = 0;
  std::optional<NodeId> coordinator = std::nullopt;  // nothing while it holds an election
  std::optional<Group> group = std::nullopt;

  // True if it follows `other`, or is in the group of `other` and waits for it.
  bool counts_on(NodeId other) const {
    return coordinator == other || (group && group->creator == other);
  }
  // True if the process `asked`, by this reply, is not the coordinator of `follower`: it follows
  // another process, or its group is not the follower's.
  bool disowns(NodeId asked, const PingReply& follower) const {
    return follower.counts_on(asked) && coordinator &&
           (coordinator != asked || (group && group != follower.group));
  }
  bool operator==(const PingReply&) const = default;
};
std::string encode(const PingReply& reply);
std::optional<PingReply> decode_ping_reply(std::string_view bytes);

}  // namespace bully
