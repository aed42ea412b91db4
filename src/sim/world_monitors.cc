// world_monitors.cc: a simulated node's watch over its coordinator: like ../node/monitor.h for a
// real one.

#include <algorithm>

#include "sim/world.h"

namespace bully {

// True if `to` runs, is not stopped, and the network carries both the ping and its reply.
bool World::reaches(NodeIndex from, NodeIndex to) const {
  return nodes_[to].runs() && !nodes_[to].paused && !is_cut(from, to) && !is_cut(to, from);
}

std::optional<Suspicion> World::examine(NodeIndex index) const {
  const Node& node = nodes_[index];
  const std::optional<NodeId> watched = node.protocol().watched();
  if (!watched) return std::nullopt;
  if (watched == node.id) {
    // A coordinator checks the processes above it: a live one should have its office.
    const bool is_outranked = std::ranges::any_of(ids_, [&](NodeId id) {
      return ranking().outranks(id, node.id) && reaches(index, index_of(id));
    });
    return is_outranked ? std::optional(Suspicion::deposed) : std::nullopt;
  }
  const NodeIndex target = index_of(*watched);
  if (is_cut(index, target) || is_cut(target, index)) return Suspicion::hung;
  if (!nodes_[target].runs()) return Suspicion::down;
  if (nodes_[target].paused) return Suspicion::hung;
  const bool disowns =
      reply_of(nodes_[target].protocol()).disowns(*watched, reply_of(node.protocol()));
  return disowns ? std::optional(Suspicion::deposed) : std::nullopt;
}

// A coordinator's finding when it checks the others: the first match of Algorithm::finds.
std::optional<NodeId> World::find(NodeIndex index) const {
  const auto found = std::ranges::find_if(ids_, [&](NodeId id) { return finds(index, id); });
  return found == ids_.end() ? std::nullopt : std::optional(*found);
}

bool World::finds(NodeIndex index, NodeId other) const {
  const NodeIndex target = index_of(other);
  return target != index && reaches(index, target) &&
         ranking().looks_for(reply_of(nodes_[index].protocol()),
                             reply_of(nodes_[target].protocol()));
}

bool World::will_suspect(NodeIndex index) const {
  if (examine(index) || find(index)) return true;
  const Node& node = nodes_[index];
  const std::optional<NodeId> watched = node.protocol().watched();
  if (!watched || watched == node.id) return false;
  const std::uint32_t slowness = std::max(node.slowness, nodes_[index_of(*watched)].slowness);
  return 2 * options_.delay.shortest * slowness > options_.ping_timeout;
}

// A missing process is detected at once; anything else when the reply or its deadline has come.
void World::ping(const Alarm& alarm) {
  const NodeIndex index = alarm.node;
  const Node& node = nodes_[index];
  const std::int64_t next_ns = now_ns_ + options_.ping_interval.count();
  set_alarm({.at_ns = next_ns, .node = index, .act = &World::ping});
  const std::optional<NodeId> watched = node.protocol().watched();
  if (node.paused || !node.is_free() || !watched) return;
  if (examine(index) == Suspicion::down) return on_finding(index, Suspicion::down);
  const NodeIndex target = index_of(*watched);
  const std::int64_t both_ways_ns = travel_ns(index, target) + travel_ns(target, index);
  const std::int64_t timeout_ns = options_.ping_timeout.count();
  set_alarm({.at_ns = now_ns_ + std::min(both_ways_ns, timeout_ns),
             .node = index,
             .act = &World::evaluate,
             .watch = node.watch,
             .deadline_ns = now_ns_ + timeout_ns,
             .is_late_reply = both_ways_ns > timeout_ns});
}

void World::evaluate(const Alarm& alarm) {
  const NodeIndex index = alarm.node;
  // A real monitor with a new target forgets its earlier findings.
  if (nodes_[index].paused || nodes_[index].watch != alarm.watch) return;
  if (!nodes_[index].is_free()) return;
  std::optional<Suspicion> finding = examine(index);
  if (finding == Suspicion::hung && now_ns_ < alarm.deadline_ns) {
    // No reply yet: wait until the deadline.
    Alarm last = alarm;
    last.at_ns = alarm.deadline_ns;
    return set_alarm(last);
  }
  const Protocol& protocol = nodes_[index].protocol();
  const bool watches = protocol.watched() && protocol.watched() != protocol.id();
  if (!finding && alarm.is_late_reply && watches) finding = Suspicion::hung;
  const bool is_news = finding ? *finding == Suspicion::deposed : find(index).has_value();
  if (!is_certain(index, is_news) && is_news) return;
  if (finding) return on_finding(index, *finding);
  if (nodes_[index].slow != nullptr) nodes_[index].slow->left_since = never;
  look_for_others(index);
}

// In slow motion, what a reply shows counts only if all replies have shown it for the time that
// news takes.
bool World::is_certain(NodeIndex index, bool is_shown) {
  if (nodes_[index].slow == nullptr) return true;
  std::int64_t& since = nodes_[index].slow->doubts_since;
  if (!is_shown) since = never;
  if (is_shown && since == never) since = now_ns_;
  return is_shown &&
         now_ns_ - since >= options_.pace.count() * pauses_in(SlowWait::news, ids_.size());
}

// In slow motion one process begins an election for all who find their coordinator gone. The others
// give it the time of an election, and look again with their next ping.
bool World::leaves_to_another(NodeIndex index) {
  const Node& node = nodes_[index];
  const std::optional<NodeId> followed = node.protocol().coordinator();
  if (node.slow == nullptr || !followed || followed != node.protocol().watched()) return false;
  std::vector<NodeId> living;
  for (const Node& other : nodes_) {
    if (other.runs() && other.id != *followed) living.push_back(other.id);
  }
  if (ranking().first_to_report(living) == node.id) return false;
  std::int64_t& since = node.slow->left_since;
  if (since == never) since = now_ns_;
  const auto ping = options_.ping_interval + options_.ping_timeout;
  return now_ns_ - since <= left_to_another_ns(ping.count(), options_.pace.count(), living.size());
}

// A coordinator checks the others, until a match changes its target.
void World::look_for_others(NodeIndex index) {
  if (!find(index)) return;
  const std::uint32_t watch = nodes_[index].watch;
  for (const NodeId other : std::vector(ids_)) {
    if (nodes_[index].watch == watch && finds(index, other)) give(index, PeerFound{other});
  }
}

// The kernel closes a dead process's connections: monitors that held one detect that.
void World::report_death(NodeIndex dead) {
  for (NodeIndex index = 0; index < nodes_.size(); ++index) {
    const Node& node = nodes_[index];
    if (!node.runs() || node.protocol().watched() != nodes_[dead].id) continue;
    const std::int64_t at_ns = now_ns_ + travel_ns(dead, index);
    set_alarm({.at_ns = at_ns, .node = index, .act = &World::detect_death});
  }
}

void World::detect_death(const Alarm& alarm) {
  if (examine(alarm.node) == Suspicion::down) on_finding(alarm.node, Suspicion::down);
}

// Of its monitor.
void World::on_finding(NodeIndex index, Suspicion reason) {
  if (reason == Suspicion::deposed || !leaves_to_another(index)) on_suspicion(index, reason);
}

void World::on_suspicion(NodeIndex index, Suspicion reason) {
  const Node& node = nodes_[index];
  const std::optional<NodeId> watched = node.protocol().watched();
  if (!watched || node.paused) return;
  // On a ring, other processes may be hung as well: the neighbour's watcher learns of them first.
  const bool is_neighbour = ranking().watches_neighbour && watched != node.protocol().coordinator();
  if (is_neighbour && reason == Suspicion::hung) {
    for (NodeIndex other = 0; other < nodes_.size(); ++other) {
      const bool hung = nodes_[other].runs() && !reaches(index, other);
      if (hung && nodes_[other].id != watched) give(index, Suspected{nodes_[other].id, reason});
    }
  }
  give(index, Suspected{*watched, reason});
}

}  // namespace bully
