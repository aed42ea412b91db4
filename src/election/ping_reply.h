// ping_reply.h: how a process says whom it follows when it is pinged. No part of an election: what
// a caller needs to tell its process that the coordinator is deposed (protocol.h, duty 6).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "election/group.h"

namespace bully {

// What a pinged node of ours replies before it closes: `1;ID` or `1;ID;COORDINATOR`, and where
// there are groups `1;ID;[COORDINATOR];CREATOR;COUNT`.
struct PingReply {
  NodeId id = 0;
  std::optional<NodeId> coordinator = std::nullopt;  // nothing while it holds an election
  std::optional<Group> group = std::nullopt;         // in which it is

  // Whether it follows the other, or is in its group and waits for it.
  bool counts_on(NodeId other) const {
    return coordinator == other || (group && group->creator == other);
  }
  // Whether the process that was asked is not the coordinator of this follower, by its own words:
  // it follows another, or its group is not the follower's.
  bool disowns(NodeId asked, const PingReply& follower) const {
    return follower.counts_on(asked) && coordinator &&
           (coordinator != asked || (group && group != follower.group));
  }
  bool operator==(const PingReply&) const = default;
};
std::string encode(const PingReply& reply);
std::optional<PingReply> decode_ping_reply(std::string_view bytes);

}  // namespace bully
