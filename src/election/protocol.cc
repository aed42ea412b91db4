// protocol.cc: lists of ids, neighbours by id, and the actions of a context.
#include "election/protocol.h"

#include <algorithm>
#include <numeric>

#include "election/field_visitor.h"

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

NodeId Peers::next_of(NodeId id) const {
  const std::span<const NodeId> all = ids();
  if (all.empty()) return id;
  const auto higher = higher_than(id, all);
  return higher.empty() ? all.front() : higher.front();
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

void Protocol::save(std::vector<std::uint64_t>& words) const {
  FieldVisitor saved(words);
  const_cast<Protocol*>(this)->visit_fields(saved);  // saving changes no field
}

void Protocol::load(std::span<const std::uint64_t> words) {
  FieldVisitor loaded(words);
  visit_fields(loaded);
}

}  // namespace bully
