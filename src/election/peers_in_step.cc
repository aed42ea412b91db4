// peers_in_step.cc: the changes of the peers from one step to the next.
#include "election/peers_in_step.h"

#include <algorithm>
#include <iterator>

namespace bully {

NodeId KnownPeers::next_of(NodeId id) const {
  const auto found = neighbours_.find(id);
  return found == neighbours_.end() ? Peers::next_of(id) : found->second;
}

void KnownPeers::take(const Given& given) {
  for (const NodeId id : given.left) std::erase(ids_, id);
  ids_.insert(ids_.end(), given.joined.begin(), given.joined.end());
  std::ranges::sort(ids_);
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());  // a forged trace names one twice
  const std::vector<NodeId>& pairs = given.clockwise;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) neighbours_[pairs[i]] = pairs[i + 1];
}

std::span<const NodeId> PeersInStep::ids() const {
  const std::span<const NodeId> now = peers_.ids();
  if (std::exchange(has_looked_, true) || std::ranges::equal(now, known_.ids())) return now;
  std::ranges::set_difference(now, known_.ids(), std::back_inserter(news_.joined));
  std::ranges::set_difference(known_.ids(), now, std::back_inserter(news_.left));
  known_.take(news_);
  return now;
}

NodeId PeersInStep::next_of(NodeId id) const {
  ids();
  const NodeId next = peers_.next_of(id);
  if (next == known_.next_of(id)) return next;
  Given change;
  change.clockwise = {id, next};
  known_.take(change);
  news_.clockwise.insert(news_.clockwise.end(), {id, next});
  return next;
}

}  // namespace bully
