// How a simulated node watches its coordinator: what ../node/monitor.h does for a real one.

#include <algorithm>
#include <cassert>

#include "sim/world.h"

namespace bully {

// It is there, not stopped, and the network carries both the question and the answer.
bool World::reaches(NodeIndex from, NodeIndex to) const {
  return nodes_[to].runs() && !nodes_[to].paused && !is_cut(from, to) && !is_cut(to, from);
}

// What a ping would show at this moment.
std::optional<Suspicion> World::examine(NodeIndex index) const {
  const Node& node = nodes_[index];
  const std::optional<NodeId> watched = node.protocol().watched();
  if (!watched) return std::nullopt;
  if (watched == node.id) {
    // A coordinator looks above itself: whoever is alive there should have its office.
    const auto above = higher_than(node.id, ids_);
    const bool outranked = std::any_of(above.begin(), above.end(),
                                       [&](NodeId id) { return reaches(index, index_of(id)); });
    return outranked ? std::optional(Suspicion::deposed) : std::nullopt;
  }
  const NodeIndex target = index_of(*watched);
  if (is_cut(index, target) || is_cut(target, index)) return Suspicion::hung;
  if (!nodes_[target].runs()) return Suspicion::down;
  if (nodes_[target].paused) return Suspicion::hung;
  if (watched != node.protocol().coordinator()) return std::nullopt;
  const std::optional<NodeId> followed = nodes_[target].protocol().coordinator();
  return followed && followed != watched ? std::optional(Suspicion::deposed) : std::nullopt;
}

// Whether its next ping, at the latest, shows something.
bool World::will_suspect(NodeIndex index) const {
  if (examine(index)) return true;
  const Node& node = nodes_[index];
  const std::optional<NodeId> watched = node.protocol().watched();
  if (!watched || watched == node.id) return false;
  const std::uint32_t slowness = std::max(node.slowness, nodes_[index_of(*watched)].slowness);
  return 2 * options_.delay.shortest * slowness > options_.ping_timeout;
}

// One ping is sent. That nobody is there is known at once; all else, when the reply has come or
// the time for it is over.
void World::ping(NodeIndex index) {
  const Node& node = nodes_[index];
  set_alarm({.at_ns = now_ns_ + options_.ping_interval.count(),
             .node = index,
             .incarnation = node.incarnation});
  const std::optional<NodeId> watched = node.protocol().watched();
  if (node.paused || !watched) return;
  if (examine(index) == Suspicion::down) {
    on_suspicion(index, Suspicion::down);
    return;
  }
  const NodeIndex target = watched == node.id ? index : index_of(*watched);
  const std::int64_t both_ways_ns = travel_ns(index, target) + travel_ns(target, index);
  const std::int64_t timeout_ns = options_.ping_timeout.count();
  if (both_ways_ns > timeout_ns) ++late_replies_;
  set_alarm({.at_ns = now_ns_ + std::min(both_ways_ns, timeout_ns),
             .node = index,
             .incarnation = node.incarnation,
             .pinged_ns = now_ns_,
             .watch = node.watch,
             .kind = Alarm::Kind::verdict,
             .too_slow = both_ways_ns > timeout_ns});
}

void World::judge(const Alarm& alarm) {
  // A real monitor that is told to watch another forgets what it has found out.
  if (nodes_[alarm.node].paused || nodes_[alarm.node].watch != alarm.watch) return;
  std::optional<Suspicion> finding = examine(alarm.node);
  const std::int64_t deadline_ns = alarm.pinged_ns + options_.ping_timeout.count();
  if (finding == Suspicion::hung && now_ns_ < deadline_ns) {
    // No reply yet: there is time until the deadline.
    Alarm again = alarm;
    again.at_ns = deadline_ns;
    set_alarm(again);
    return;
  }
  const Protocol& protocol = nodes_[alarm.node].protocol();
  const bool watches = protocol.watched() && protocol.watched() != protocol.id();
  if (!finding && alarm.too_slow && watches) finding = Suspicion::hung;
  if (finding) on_suspicion(alarm.node, *finding);
}

// The kernel closes a dead process's connections: those who held one know.
void World::tell_of_death(NodeIndex dead) {
  for (NodeIndex index = 0; index < nodes_.size(); ++index) {
    const Node& node = nodes_[index];
    if (!node.runs() || node.protocol().watched() != nodes_[dead].id) continue;
    set_alarm({.at_ns = now_ns_ + travel_ns(dead, index),
               .node = index,
               .incarnation = node.incarnation,
               .kind = Alarm::Kind::eof});
  }
}

void World::on_suspicion(NodeIndex index, Suspicion reason) {
  const Node& node = nodes_[index];
  const std::optional<NodeId> watched = node.protocol().watched();
  if (!watched || node.paused) return;
  // On a ring, others may be hung besides a neighbour: it is told of them first.
  const bool is_neighbour = options_.fifo && watched != node.protocol().coordinator();
  if (is_neighbour && reason == Suspicion::hung) {
    for (NodeIndex other = 0; other < nodes_.size(); ++other) {
      const bool hung = nodes_[other].runs() && !reaches(index, other);
      if (hung && nodes_[other].id != watched) give(index, Suspected{nodes_[other].id, reason});
    }
  }
  give(index, Suspected{*watched, reason});
}

}  // namespace bully
