// world_monitors.cc: a simulated node's watch over its coordinator: like ../node/monitor.h for a
// real one.

#include <algorithm>

#include "base/list.h"
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

// True if a coordinator that checks the others finds a match of Algorithm::finds.
bool World::finds_any(NodeIndex index) const {
  return std::ranges::any_of(ids_, [&](NodeId id) { return finds(index, id); });
}

bool World::finds(NodeIndex index, NodeId other) const {
  const NodeIndex target = index_of(other);
  return target != index && reaches(index, target) &&
         ranking().looks_for(reply_of(nodes_[index].protocol()),
                             reply_of(nodes_[target].protocol()));
}

bool World::will_suspect(NodeIndex index) const {
  if (examine(index) || finds_any(index)) return true;
  const Node& node = nodes_[index];
  const std::optional<NodeId> watched = node.protocol().watched();
  if (!watched || watched == node.id) return false;
  const std::uint32_t slowness = std::max(node.slowness, nodes_[index_of(*watched)].slowness);
  return 2 * options_.delay.shortest * slowness > options_.ping_timeout;
}

// --- Monitors ---

World::Monitor::Monitor(World& world, NodeIndex node)
    : detector({.id = world.nodes_[node].id,
                .algorithm = world.options_.algorithm,
                .ping_interval = world.options_.ping_interval,
                .ping_timeout = world.options_.ping_timeout,
                .pace = world.options_.pace},
               *this),
      phase_ns(world.now_ns_ + world.random_.between(0, world.options_.ping_interval.count() - 1)),
      world_(world),
      node_(node) {}

// Its reply, or the end of the connection, comes back after the way there and back.
PingOutcome World::Monitor::send(const Ping& ping) {
  const NodeIndex other = world_.index_of(ping.to);
  const bool is_cut = world_.is_cut(node_, other) || world_.is_cut(other, node_);
  if (!is_cut && !world_.nodes_[other].runs()) return PingOutcome::gone;
  const std::int64_t both_ways_ns = world_.travel_ns(node_, other) + world_.travel_ns(other, node_);
  world_.set_alarm({.at_ns = world_.now_ns_ + both_ways_ns,
                    .node = node_,
                    .act = &World::hear_reply,
                    .ping = ping.number,
                    .other = other,
                    .is_late_reply = both_ways_ns > world_.options_.ping_timeout.count()});
  return PingOutcome::sent;
}

std::vector<NodeId> World::Monitor::living() {
  return list_of(world_.nodes_, &Node::runs, &Node::id);
}

void World::carry_out(NodeIndex index, const WatchTarget& target) {
  nodes_[index].wanted = target;
  tell_monitor(index);
}

// Its pings leave at the same moments of each interval, whichever process they go to.
void World::tell_monitor(NodeIndex index) {
  Node& node = nodes_[index];
  if (node.monitor == nullptr) return;
  const std::int64_t interval_ns = options_.ping_interval.count();
  const std::int64_t rounds =
      std::max<std::int64_t>(0, (now_ns_ - node.monitor->phase_ns + interval_ns) / interval_ns);
  node.monitor->detector.watch(node.wanted, Time(node.monitor->phase_ns + rounds * interval_ns));
  set_monitor_alarm(index);
}

void World::set_monitor_alarm(NodeIndex index) {
  Monitor& monitor = *nodes_[index].monitor;
  const Time next = monitor.detector.next_deadline();
  if (next >= monitor.armed_at) return;
  monitor.armed_at = next;
  set_alarm({.at_ns = next.count(), .node = index, .act = &World::run_monitor});
}

void World::run_monitor(const Alarm& alarm) {
  Monitor& monitor = *nodes_[alarm.node].monitor;
  if (monitor.armed_at.count() != alarm.at_ns) return;  // another alarm has come before it
  monitor.armed_at = bully::never;
  monitor.detector.tick(now());
  take_findings(alarm.node);
}

void World::hear_reply(const Alarm& alarm) {
  Monitor& monitor = *nodes_[alarm.node].monitor;
  const Node& other = nodes_[alarm.other];
  if (!other.runs()) {
    monitor.detector.on_broken(alarm.ping, now());
  } else if (reaches(alarm.node, alarm.other)) {
    monitor.detector.on_reply(alarm.ping, reply_of(other.protocol()), now());
  } else {
    unanswered_.insert_or_assign({alarm.node, alarm.ping}, alarm);
  }
  take_findings(alarm.node);
}

void World::answer_pings() {
  for (auto& [key, alarm] : std::exchange(unanswered_, {})) {
    if (alarm.incarnation != nodes_[alarm.node].incarnation) continue;
    alarm.at_ns = now_ns_;
    set_alarm(alarm);
  }
}

// Its process reads them when it is free.
void World::take_findings(NodeIndex index) {
  const Node& node = nodes_[index];
  std::deque<DetectorReport>& findings = node.monitor->findings;
  while (!node.paused && node.is_free() && !findings.empty()) {
    const DetectorReport finding = findings.front();
    findings.pop_front();
    if (const auto* suspected = std::get_if<Suspected>(&finding)) {
      give(index, *suspected);
    } else if (node.protocol().coordinator() == node.id) {
      give(index, std::get<PeerFound>(finding));
    }
    tell_monitor(index);
  }
  set_monitor_alarm(index);
}

// The kernel closes a dead process's connections: monitors that held one learn of it.
void World::report_death(NodeIndex dead) {
  for (NodeIndex index = 0; index < nodes_.size(); ++index) {
    const Node& node = nodes_[index];
    if (!node.runs() || node.protocol().watched() != nodes_[dead].id) continue;
    const std::int64_t at_ns = now_ns_ + travel_ns(dead, index);
    set_alarm({.at_ns = at_ns, .node = index, .act = &World::detect_death, .other = dead});
  }
}

void World::detect_death(const Alarm& alarm) {
  FailureDetector& detector = nodes_[alarm.node].monitor->detector;
  if (detector.target() != nodes_[alarm.other].id) return;
  detector.on_ended(now());
  detector.tick(now());
  take_findings(alarm.node);
}

}  // namespace bully
