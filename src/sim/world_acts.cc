// world_acts.cc: acts on a world from outside: processes that come and go, faults, and, if a script
// moves the world step by step, arriving messages and expiring timers.

#include <algorithm>
#include <map>
#include <set>

#include "sim/world.h"

namespace bully {

// --- Processes ---

NodeIndex World::add(NodeId id) {
  const auto [entry, is_new] = index_of_.try_emplace(id, static_cast<NodeIndex>(nodes_.size()));
  if (is_new) nodes_.emplace_back().id = id;
  const auto place = std::ranges::lower_bound(ids_, id);
  if (place == ids_.end() || *place != id) ids_.insert(place, id);
  if (!ring_.empty()) ring_ = ring_through(order_, ids_);
  return entry->second;
}

void World::boot(NodeIndex index) {
  Node& node = nodes_[index];
  node.participant.emplace(make_(node.id), options_.algorithm->signed_name(), node.messages);
  node.paused = false;
  node.side = 0;
  if (options_.pace.count() > 0) {
    node.slow = std::make_unique<Slow>(Slow{.outputs = Outputs(sink_ != nullptr, true)});
  }
  ++node.incarnation;
  if (options_.detection == Detector::off) return;
  node.monitor = std::make_unique<Monitor>(*this, index);
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
  record_sides();
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

NodeId World::next_of(NodeId id) const {
  return ring_.empty() ? Peers::next_of(id) : next_on_ring(ring_, ids_, id);
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
  node.monitor.reset();
  node.wanted = {};
  ++node.incarnation;
  take({.to = id});
  answer_pings();
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
  if (nodes_[index].monitor != nullptr) take_findings(index);
  answer_pings();
}

void World::cut(std::span<const NodeId> from, std::span<const NodeId> to) {
  cut_links(from, to);
  record_sides();
}

void World::partition(std::span<const NodeId> one, std::span<const NodeId> other) {
  cut_links(other, one);
  cut(one, other);
}

void World::heal() {
  cuts_.clear();
  answer_pings();
  for (Node& node : nodes_) {
    if (std::exchange(node.side, 0) > 0 && node.runs()) {
      record({.node = node.id, .event = TraceEvent::heal});
    }
  }
}

void World::cut_links(std::span<const NodeId> from, std::span<const NodeId> to) {
  for (const NodeId a : from) {
    for (const NodeId b : to) cuts_.emplace(index_of(a), index_of(b));
  }
}

void World::record_sides() {
  if (cuts_.empty()) return;
  std::map<NodeIndex, std::set<std::pair<NodeIndex, bool>>> links;  // and whether outgoing
  for (const auto& [from, to] : cuts_) {
    links[from].emplace(to, true);
    links[to].emplace(from, false);
  }
  std::map<std::set<std::pair<NodeIndex, bool>>, std::uint64_t> sides;
  for (const NodeId id : ids_) {
    const NodeIndex index = index_of(id);
    const auto cut = links.find(index);
    if (cut == links.end()) continue;
    const std::uint64_t side = sides.try_emplace(cut->second, sides.size() + 1).first->second;
    Node& node = nodes_[index];
    if (std::exchange(node.side, side) == side || !node.runs()) continue;
    record({.node = id, .event = TraceEvent::partition, .side = side});
  }
}

void World::slow_down(NodeId id, std::uint32_t factor) {
  nodes_[index_of(id)].slowness = std::max(factor, 1U);
}

void World::suspect(NodeId id, Suspicion reason) {
  const NodeIndex index = index_of(id);
  const Node& node = nodes_[index];
  if (!node.runs() || node.paused) return;
  const std::optional<NodeId> watched = node.protocol().watched();
  if (!watched) return;
  // No process that lives is down: at most it hangs. A coordinator, which watches itself, finds
  // only that another should have its place.
  if (reason == Suspicion::down && running(*watched)) reason = Suspicion::hung;
  if (watched == id) reason = Suspicion::deposed;
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

// Until a match changes its target.
bool World::check(NodeId id, std::optional<NodeId> whom) {
  const NodeIndex index = index_of(id);
  const Node& node = nodes_[index];
  if (!node.runs() || node.paused) return false;
  const WatchTarget watched = node.wanted;
  bool has_found = false;
  for (const NodeId other : whom ? std::vector{*whom} : ids_) {
    if (node.wanted != watched || !finds(index, other)) continue;
    give(index, PeerFound{other});
    has_found = true;
  }
  return has_found;
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
      const bool finds = node.runs() && finds_any(index_of(node.id));
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

}  // namespace bully
