// protocol.cc: lists of ids, neighbours on a ring, and deeds of a protocol.
#include "election/protocol.h"

#include <algorithm>
#include <numeric>

#include "election/field_visitor.h"
#include "election/ring_order.h"

namespace bully {

std::vector<NodeId> one_to(NodeId n) {
  std::vector<NodeId> ids(n);
  std::iota(ids.begin(), ids.end(), NodeId{1});
  return ids;
}

std::span<const NodeId> higher_than(NodeId self, std::span<const NodeId> ids) {
  return {std::ranges::upper_bound(ids, self), ids.end()};
}

std::span<const NodeId> lower_than(NodeId self, std::span<const NodeId> ids) {
  return {ids.begin(), std::ranges::lower_bound(ids, self)};
}

std::vector<NodeId> ring_through(std::span<const NodeId> order, std::span<const NodeId> ids) {
  std::vector<NodeId> ring(order.begin(), order.end());
  for (const NodeId id : ids) {
    if (std::ranges::find(order, id) == order.end()) ring.push_back(id);
  }
  return ring;
}

NodeId next_on_ring(std::span<const NodeId> ring, std::span<const NodeId> ids, NodeId id,
                    Direction way) {
  const std::size_t count = ring.size();
  // An id without a place comes between the last and the first.
  auto at = static_cast<std::size_t>(std::ranges::find(ring, id) - ring.begin());
  if (at == count && way == Direction::clockwise) at = count - 1;
  if (at == count) at = 0;
  for (std::size_t left = count; left > 0; --left) {
    at = (at + (way == Direction::clockwise ? 1 : count - 1)) % count;
    if (std::ranges::binary_search(ids, ring[at])) return ring[at];
  }
  return id;
}

NodeId Peers::next_of(NodeId id, Direction way) const {
  const std::span<const NodeId> all = ids();
  if (all.empty()) return id;
  if (way == Direction::clockwise) {
    const auto higher = higher_than(id, all);
    return higher.empty() ? all.front() : higher.front();
  }
  const auto lower = lower_than(id, all);
  return lower.empty() ? all.back() : lower.back();
}

void Context::fire(const Rule& rule) const {
  actions.emplace_back(Fired{&rule});
}
void Context::send(NodeId to, Message message) const {
  actions.emplace_back(Send{to, std::move(message)});
}
void Context::start(Timer timer, std::uint8_t attempts) const {
  actions.emplace_back(StartTimer{timer, attempts});
}
void Context::stop(Timer timer) const {
  actions.emplace_back(StopTimer{timer});
}
void Context::changed() const {
  actions.emplace_back(Changed{});
}

void FieldVisitor::operator()(Message& message) {
  std::size_t type = index_of(message.type);
  (*this)(type);
  // Clears the message that was in this place before.
  if (saved_ == nullptr) message = {.type = known_messages()[type]};
  for (std::size_t i = 0; i < max_fields && message.type->fields.at(i) != nullptr; ++i) {
    FieldValues::Value value = message.values[i];
    (*this)(value);
    message.values.put(i, value);
  }
  if (message.type->list != nullptr) {
    FieldValues::List list = message.list();
    (*this)(list);
    if (saved_ == nullptr) message.values.set_list(std::move(list));
  }
  (*this)(message.from);
}

void Protocol::save(std::vector<std::uint64_t>& words) const {
  FieldVisitor saved(words);
  const_cast<Protocol*>(this)->visit_fields(saved);  // saving changes no field
}

void Protocol::load(std::span<const std::uint64_t> words) {
  FieldVisitor loaded(words);
  visit_fields(loaded);
}

}  // namespace bully
