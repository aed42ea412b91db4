// ring_order.cc: a ring that need not go by id.
#include "election/ring_order.h"

#include <algorithm>

namespace bully {

std::vector<NodeId> ring_through(std::span<const NodeId> order, std::span<const NodeId> ids) {
  std::vector<NodeId> ring(order.begin(), order.end());
  for (const NodeId id : ids) {
    if (std::ranges::find(order, id) == order.end()) ring.push_back(id);
  }
  return ring;
}

NodeId next_on_ring(std::span<const NodeId> ring, std::span<const NodeId> ids, NodeId id) {
  const std::size_t count = ring.size();
  // An id without a place comes between the last and the first.
  auto at = static_cast<std::size_t>(std::ranges::find(ring, id) - ring.begin());
  if (at == count) at = count - 1;
  for (std::size_t left = count; left > 0; --left) {
    at = (at + 1) % count;
    if (std::ranges::binary_search(ids, ring[at])) return ring[at];
  }
  return id;
}

}  // namespace bully
