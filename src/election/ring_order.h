// ring_order.h: the order of processes on a ring, in either direction.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "election/protocol.h"

namespace bully {

// A ring through `order`, clockwise, and then through all other ids of `ids` from the lowest.
std::vector<NodeId> ring_through(std::span<const NodeId> order, std::span<const NodeId> ids);

enum class Direction : std::uint8_t { clockwise, anticlockwise };
inline constexpr std::array both_directions = {Direction::clockwise, Direction::anticlockwise};
constexpr Direction opposite(Direction way) {
  return way == Direction::clockwise ? Direction::anticlockwise : Direction::clockwise;
}

// The process after `id` on such a ring, in this direction, among `ids` (sorted); absent processes
// keep their places. `id` itself if there is no other. REQUIRES: !ring.empty().
NodeId next_on_ring(std::span<const NodeId> ring, std::span<const NodeId> ids, NodeId id,
                    Direction way);

}  // namespace bully
