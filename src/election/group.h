// group.h: the name of a group of processes.
#pragma once

#include "election/message.h"

namespace bully {

// If one coordinator for all cannot be promised, processes form groups. A group's name is its
// creator and the creator's count of groups, so no two groups ever have the same name.
struct Group {
  NodeId creator = 0;
  std::uint64_t count = 0;

  bool operator==(const Group&) const = default;
};

}  // namespace bully
