// ids.h: ids in a row.
#pragma once

#include <numeric>
#include <vector>

#include "election/message.h"

namespace bully {

inline std::vector<NodeId> one_to(NodeId n) {
  std::vector<NodeId> ids(n);
  std::iota(ids.begin(), ids.end(), NodeId{1});
  return ids;
}

}  // namespace bully
