// group.h: the name of a group of processes.
#pragma once

#include "election/message.h"

namespace bully {

// Where nobody can promise one coordinator for all, processes form groups. A group is named by its
// creator and that one's count of groups, so that no two ever have the same name.
struct Group {
  NodeId creator = 0;
  std::uint64_t count = 0;

  bool operator==(const Group&) const = default;
};

}  // namespace bully
