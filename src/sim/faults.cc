// What can go wrong with a process or a link: the other half of world.h's cast.

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <string>

#include "sim/world.h"

namespace bully {

namespace {

constexpr NodeIndex nobody = UINT32_MAX;

}  // namespace

NodeIndex World::add(NodeId id) {
  if (id > highest_id) {
    throw std::out_of_range("node " + std::to_string(id) + ": the highest id possible here is " +
                            std::to_string(highest_id));
  }
  if (id >= index_of_.size()) index_of_.resize(id + 1, nobody);
  know(id);
  NodeIndex& index = index_of_[id];
  if (index != nobody) return index;
  index = static_cast<NodeIndex>(nodes_.size());
  nodes_.emplace_back().id = id;
  return index;
}

// Its name is there from now on.
void World::know(NodeId id) {
  const auto place = std::lower_bound(ids_.begin(), ids_.end(), id);
  if (place == ids_.end() || *place != id) ids_.insert(place, id);
}

// A process comes into being: nothing is left of the one that had its id before.
void World::boot(NodeIndex index) {
  Node& node = nodes_[index];
  node.participant.emplace(make_(node.id), options_.algorithm, node.messages);
  node.paused = false;
  ++node.incarnation;
  if (options_.detection == Detection::off) return;
  const std::int64_t phase_ns = random_.between(0, options_.ping_interval.count() - 1);
  set_alarm({.at_ns = now_ns_ + phase_ns, .node = index, .incarnation = node.incarnation});
}

void World::start(NodeId id) {
  const NodeIndex index = add(id);
  if (nodes_[index].runs()) return;
  boot(index);
  give(index, Started{});
}

void World::found(std::span<const NodeId> ids) {
  if (ids.empty()) return;
  const NodeId highest = *std::max_element(ids.begin(), ids.end());
  for (const NodeId id : ids) boot(add(id));
  for (const NodeId id : ids) give(index_of(id), Founded{highest});
}

void World::arrange(std::span<const NodeId> ids) {
  arrangement_.assign(ids.begin(), ids.end());
}

// Whoever has left is not on the ring.
NodeId World::clockwise_of(NodeId id) const {
  if (arrangement_.empty()) return Peers::clockwise_of(id);
  NodeId next = arranged_after(id);
  const auto has_left = [this](NodeId other) {
    return !std::binary_search(ids_.begin(), ids_.end(), other);
  };
  for (std::size_t left = arrangement_.size(); left > 0 && has_left(next); --left) {
    next = arranged_after(next);
  }
  return next;
}

NodeId World::arranged_after(NodeId id) const {
  const auto is_arranged = [this](NodeId other) {
    return std::find(arrangement_.begin(), arrangement_.end(), other) != arrangement_.end();
  };
  const auto place = std::find(arrangement_.begin(), arrangement_.end(), id);
  if (place != arrangement_.end() && place + 1 != arrangement_.end()) return *(place + 1);
  const auto others = place == arrangement_.end() ? higher_than(id, ids_) : std::span(ids_);
  const auto next = std::find_if_not(others.begin(), others.end(), is_arranged);
  return next == others.end() ? arrangement_.front() : *next;
}

void World::crash(NodeId id) {
  const NodeIndex index = index_of(id);
  if (!nodes_[index].runs()) return;
  record({.node = id, .event = TraceEvent::crash});
  end(index);
}

// Nothing is left of the process but its name.
void World::end(NodeIndex index) {
  Node& node = nodes_[index];
  set_coordinator(node, false);
  node.messages = node.participant->last_number();
  node.participant.reset();
  node.paused = false;
  node.deadlines = {never, never};
  node.inbox.clear();
  ++node.incarnation;
  nothing_new_ = false;
  flights_.take([index](const Flight& flight) { return flight.to == index; });
  if (options_.detection == Detection::eof) tell_of_death(index);
}

void World::leave(NodeId id) {
  const NodeIndex index = index_of(id);
  if (nodes_[index].runs()) {
    nodes_[index].participant->leave(*this);
    end(index);
  }
  std::erase(ids_, id);
}

void World::pause(NodeId id) {
  Node& node = nodes_[index_of(id)];
  if (!node.runs()) return;
  node.paused = true;
  node.deadlines = {never, never};
  set_coordinator(node, false);  // it does not act as one
  nothing_new_ = false;
}

void World::resume(NodeId id) {
  const NodeIndex index = index_of(id);
  if (!nodes_[index].paused) return;
  nodes_[index].paused = false;
  std::vector<Flight> waited;
  waited.swap(nodes_[index].inbox);
  for (const Flight& flight : waited) receive(flight);
  give(index, Started{.resumed = true});
}

void World::slow_down(NodeId id, std::uint32_t factor) {
  nodes_[index_of(id)].slowness = std::max(factor, 1U);
  nothing_new_ = false;
}

void World::suspect(NodeId id, Suspicion reason) {
  const NodeIndex index = index_of(id);
  if (nodes_[index].runs()) on_suspicion(index, reason);
}

void World::cut(NodeId from, NodeId to) {
  cuts_.emplace(index_of(from), index_of(to));
  nothing_new_ = false;
}

void World::heal() {
  cuts_.clear();
  nothing_new_ = false;
}

}  // namespace bully
