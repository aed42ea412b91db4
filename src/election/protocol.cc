#include "election/protocol.h"

#include <algorithm>

namespace bully {

std::span<const NodeId> higher_than(NodeId self, std::span<const NodeId> ids) {
  const auto first = std::upper_bound(ids.begin(), ids.end(), self);
  return {first, ids.end()};
}

std::span<const NodeId> lower_than(NodeId self, std::span<const NodeId> ids) {
  const auto last = std::lower_bound(ids.begin(), ids.end(), self);
  return {ids.begin(), last};
}

NodeId Peers::clockwise_of(NodeId id) const {
  const std::span<const NodeId> all = ids();
  const auto higher = higher_than(id, all);
  if (!higher.empty()) return higher.front();
  return all.empty() ? id : all.front();
}

std::string_view timer_name(Timer timer) {
  return timer == Timer::answer ? "answer" : "coordinator";
}

std::string_view suspicion_name(Suspicion reason) {
  switch (reason) {
    case Suspicion::down:
      return "down";
    case Suspicion::hung:
      return "hung";
    case Suspicion::deposed:
      return "deposed";
  }
  return "";
}

}  // namespace bully
