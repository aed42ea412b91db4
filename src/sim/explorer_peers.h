// explorer_peers.h: whom the explorer's nodes know, and in which order they stand on a ring.
//
// All names are known from the beginning, and stay. Read next: explorer_model.h.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "election/protocol.h"

namespace bully {

class ExplorerPeers final : public Peers {
 public:
  // Nodes 1 to `nodes`, clockwise as in `arrangement`; by id where that is empty. Throws
  // std::invalid_argument unless it names each node once.
  ExplorerPeers(std::size_t nodes, const std::vector<NodeId>& arrangement) {
    for (NodeId id = 1; id <= nodes; ++id) known_.push_back(id);
    const std::vector<NodeId>& ring = arrangement.empty() ? known_ : arrangement;
    if (!std::is_permutation(ring.begin(), ring.end(), known_.begin(), known_.end())) {
      throw std::invalid_argument("explore: an arrangement names each node once");
    }
    clockwise_.resize(nodes);
    for (std::size_t i = 0; i < nodes; ++i) clockwise_[ring[i] - 1] = ring[(i + 1) % nodes];
  }
  std::span<const NodeId> ids() const override { return known_; }
  NodeId clockwise_of(NodeId id) const override { return clockwise_[id - 1]; }

 private:
  std::vector<NodeId> known_;
  std::vector<NodeId> clockwise_;  // by id - 1
};

}  // namespace bully
