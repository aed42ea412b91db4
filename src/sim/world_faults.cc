// world_faults.cc: acts on a world from outside: processes that come and go, faults, and, if a
// script moves the world step by step, arriving messages and expiring timers. Also a simulated
// node's watch over its coordinator: like ../node/monitor.h for a real one.

#include <algorithm>
#include <stdexcept>

#include "sim/world.h"

namespace bully {

// --- Processes ---

NodeIndex World::add(NodeId id) {
  if (id > highest_id) throw std::out_of_range("a node's id is too high");
  if (id >= index_of_.size()) index_of_.resize(id + 1, no_node);
  NodeIndex& index = index_of_[id];
  if (index == no_node) {
    index = static_cast<NodeIndex>(nodes_.size());
    nodes_.emplace_back().id = id;
  }
  const auto place = std::ranges::lower_bound(ids_, id);
  if (place == ids_.end() || *place != id) ids_.insert(place, id);
  if (!ring_.empty()) ring_ = ring_through(order_, ids_);
  return index;
}

void World::boot(NodeIndex index) {
  Node& node = nodes_[index];
  node.participant.emplace(make_(node.id), options_.algorithm->signed_name(), node.messages);
  node.paused = false;
  if (options_.pace.count() > 0) {
    node.slow = std::make_unique<Slow>(Slow{.outputs = Outputs(sink_ != nullptr, true)});
  }
  ++node.incarnation;
  if (options_.detection == Detector::off) return;
  const std::int64_t phase_ns = random_.between(0, options_.ping_interval.count() - 1);
  set_alarm({.at_ns = now_ns_ + phase_ns, .node = index, .act = &World::ping});
}

// While messages are held, one more than any number still in use, as in the explorer, whose scripts
// are played here. To look at all messages would take too long in a run of thousands: there it is
// one more than any number that was ever sent.
std::uint64_t World::next_incarnation() const {
  if (!held_) return latest_number_ + 1;
  std::uint64_t latest = 0;
  for (const Node& node : nodes_) {
    if (node.runs()) latest = std::max(latest, node.participant->protocol().latest_election());
  }
  for (const InFlight& each : in_flight()) {
    if (!each.refused) latest = std::max(latest, each.message.latest_number());
  }
  return latest + 1;
}

void World::start(NodeId id) {
  const NodeIndex index = add(id);
  if (nodes_[index].runs()) return;
  boot(index);
  give(index, Started{.incarnation = next_incarnation()});
}

void World::preset(std::span<const NodeId> ids) {
  if (ids.empty()) return;
  const NodeId coordinator = ranking().preferred_of(ids);
  nodes_.reserve(nodes_.size() + ids.size());
  for (const NodeId id : ids) boot(add(id));
  for (const NodeId id : ids) give(index_of(id), Preset{coordinator});
}

void World::arrange(std::span<const NodeId> ids) {
  order_.assign(ids.begin(), ids.end());
  ring_ = ring_through(order_, ids_);
}

NodeId World::next_of(NodeId id, Direction way) const {
  return ring_.empty() ? Peers::next_of(id, way) : next_on_ring(ring_, ids_, id, way);
}

void World::end(NodeId id, TraceEvent last) {
  const NodeIndex index = index_of(id);
  Node& node = nodes_[index];
  if (!node.runs()) return;
  record({.node = id, .event = last});
  set_coordinator(node, false);
  node.messages = node.participant->last_number();
  node.participant.reset();
  node.paused = false;
  node.deadlines = {never, never};
  node.inbox.clear();
  node.slow.reset();
  ++node.incarnation;
  take({.to = id});
  if (options_.detection == Detector::eof) report_death(index);
}

void World::pause(NodeId id) {
  Node& node = nodes_[index_of(id)];
  if (!node.runs()) return;
  record({.node = id, .event = TraceEvent::pause});
  node.paused = true;
  node.deadlines = {never, never};
}

void World::resume(NodeId id) {
  const NodeIndex index = index_of(id);
  if (!nodes_[index].paused) return;
  record({.node = id, .event = TraceEvent::resume});
  nodes_[index].paused = false;
  if (nodes_[index].slow != nullptr) go_on(index);
  for (const Envelope& envelope : std::exchange(nodes_[index].inbox, {})) receive(envelope);
  give(index, Started{.resumed = true});
}

void World::cut(std::span<const NodeId> from, std::span<const NodeId> to) {
  for (const NodeId a : from) {
    for (const NodeId b : to) cuts_.emplace(index_of(a), index_of(b));
  }
}

void World::slow_down(NodeId id, std::uint32_t factor) {
  nodes_[index_of(id)].slowness = std::max(factor, 1U);
}

void World::suspect(NodeId id, Suspicion reason) {
  const NodeIndex index = index_of(id);
  if (!nodes_[index].runs()) return;
  // No process that lives is down: at most it hangs. A coordinator, which watches itself, finds
  // only that another should have its place.
  const std::optional<NodeId> watched = protocol(id).watched();
  const bool is_live = watched && running(*watched);
  if (is_live && reason == Suspicion::down) reason = Suspicion::hung;
  on_suspicion(index, watched == id ? Suspicion::deposed : reason);
}

bool World::check(NodeId id, std::optional<NodeId> whom) {
  const NodeIndex index = index_of(id);
  if (!nodes_[index].runs() || nodes_[index].paused) return false;
  if (!find(index) || (whom && !finds(index, *whom))) return false;
  whom ? give(index, PeerFound{*whom}) : look_for_others(index);
  return true;
}

// --- The network ---

std::function<bool(const InFlight&)> World::matcher(const MessageFilter& filter) const {
  for (const auto& id : {filter.from, filter.to}) {
    if (id) index_of(*id);  // a wrong one is the caller's error
  }
  return [filter, count = std::uint64_t{0}](const InFlight& entry) mutable {
    const Message& message = entry.message;
    if (filter.only_refused && !entry.refused) return false;
    // A filter for messages of a type does not match news of their loss.
    if (filter.type && (entry.refused || message.type != *filter.type)) return false;
    if (filter.values && message.values != *filter.values) return false;
    const bool matches = message.from == filter.from.value_or(message.from) &&
                         entry.to == filter.to.value_or(entry.to);
    return matches && (!filter.only || ++count == *filter.only);
  };
}

std::vector<InFlight> World::in_flight(const MessageFilter& filter) const {
  const auto wanted = matcher(filter);
  std::vector<InFlight> found;
  for (const auto& [at_ns, queue] : envelopes_) {
    for (const Envelope& envelope : queue) {
      const InFlight entry = opened(envelope);
      if (wanted(entry)) found.push_back(entry);
    }
  }
  return found;
}

std::vector<std::pair<std::int64_t, Envelope>> World::take(const MessageFilter& filter) {
  const auto wanted = matcher(filter);
  std::vector<std::pair<std::int64_t, Envelope>> taken;
  for (auto& entry : envelopes_) {
    std::erase_if(entry.second, [&](const Envelope& envelope) {
      if (!wanted(opened(envelope))) return false;
      taken.emplace_back(entry.first, envelope);
      return true;
    });
  }
  std::erase_if(envelopes_, [](const auto& entry) { return entry.second.empty(); });
  return taken;
}

std::size_t World::drop(const MessageFilter& filter) {
  const auto arrivals = take(filter);
  for (auto [at_ns, envelope] : arrivals) {
    if (envelope.refused != 0) std::swap(envelope.from, envelope.to);  // news: see receive()
    lose(envelope, Loss::chance);
  }
  return arrivals.size();
}

// --- Step by step ---

std::size_t World::deliver(const MessageFilter& filter) {
  const auto arrivals = take(filter);
  for (const auto& [at_ns, envelope] : arrivals) {
    now_ns_ = std::max(now_ns_, at_ns);
    arrive(envelope);
  }
  return arrivals.size();
}

bool World::would_overtake(const MessageFilter& filter) const {
  if (!options_.is_fifo()) return false;
  const auto matches = matcher(filter);
  std::set<std::pair<NodeId, NodeId>> waiting;  // links whose oldest message stays behind
  for (const InFlight& entry : in_flight()) {
    const bool taken = matches(entry);
    if (entry.refused) continue;
    const std::pair link(entry.message.from, entry.to);
    if (taken && waiting.contains(link)) return true;
    if (!taken) waiting.insert(link);
  }
  return false;
}

bool World::is_due(NodeId id, Timer timer) const {
  if (timer == Timer::coordinator) {
    const auto is_quiet = [this](const Node& node) {
      const bool finds = node.runs() && find(index_of(node.id));
      return node.deadline(Timer::answer) == never && !finds;
    };
    return envelopes_.empty() && std::ranges::all_of(nodes_, is_quiet);
  }
  return std::ranges::none_of(in_flight(), [id](const InFlight& entry) {
    return entry.to == id || entry.message.from == id;
  });
}

bool World::expire(NodeId id, Timer timer) {
  const NodeIndex index = index_of(id);
  const std::int64_t deadline = nodes_[index].deadline(timer);
  if (deadline == never) return false;
  now_ns_ = std::max(now_ns_, deadline);
  on_expired(index, timer);
  return true;
}

// --- Monitors ---

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
