// peers_in_step.cc: the changes of the peers from one step to the next.
#include "election/peers_in_step.h"

#include <algorithm>
#include <iterator>

namespace bully {

namespace {

constexpr std::array<std::vector<NodeId> Given::*, 2> neighbours = {&Given::clockwise,
                                                                    &Given::anticlockwise};

}  // namespace

NodeId KnownPeers::next_of(NodeId id, Direction way) const {
  const auto found = neighbours_.find({way, id});
  return found == neighbours_.end() ? Peers::next_of(id, way) : found->second;
}

void KnownPeers::take(const Given& given) {
  for (const NodeId id : given.left) std::erase(ids_, id);
  ids_.insert(ids_.end(), given.joined.begin(), given.joined.end());
  std::ranges::sort(ids_);
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());  // a forged trace names one twice
  for (const Direction way : both_directions) {
    const auto& pairs = given.*neighbours.at(static_cast<std::size_t>(way));
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      neighbours_[{way, pairs[i]}] = pairs[i + 1];
    }
  }
}

std::span<const NodeId> PeersInStep::ids() const {
  const std::span<const NodeId> now = peers_.ids();
  if (std::exchange(has_looked_, true) || std::ranges::equal(now, known_.ids())) return now;
  std::ranges::set_difference(now, known_.ids(), std::back_inserter(news_.joined));
  std::ranges::set_difference(known_.ids(), now, std::back_inserter(news_.left));
  known_.take(news_);
  return now;
}

NodeId PeersInStep::next_of(NodeId id, Direction way) const {
  ids();
  const NodeId next = peers_.next_of(id, way);
  if (next == known_.next_of(id, way)) return next;
  std::vector<NodeId> Given::*const pairs_of_way = neighbours.at(static_cast<std::size_t>(way));
  Given change;
  change.*pairs_of_way = {id, next};
  known_.take(change);
  auto& pairs = news_.*pairs_of_way;
  pairs.insert(pairs.end(), {id, next});
  return next;
}

}  // namespace bully
