// ring_order.h: the order of processes on a ring.
#pragma once

#include <span>
#include <vector>

#include "election/protocol.h"

namespace bully {

// A ring through `order`, clockwise, and then through all other ids of `ids` from the lowest.
std::vector<NodeId> ring_through(std::span<const NodeId> order, std::span<const NodeId> ids);

// The process after `id` on such a ring among `ids` (sorted); absent processes keep their places.
// `id` itself if there is no other. REQUIRES: !ring.empty().
NodeId next_on_ring(std::span<const NodeId> ring, std::span<const NodeId> ids, NodeId id);

}  // namespace bully
