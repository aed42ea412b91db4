// A world that a script moves step by step: which messages arrive, which timers expire, and when.

#include <algorithm>

#include "sim/world.h"

namespace bully {

namespace {

constexpr NodeIndex nobody = UINT32_MAX;

}  // namespace

std::function<bool(const Flight&)> World::matcher(const MessageFilter& filter) const {
  const auto index = [&](std::optional<NodeId> id) { return id ? index_of(*id) : nobody; };
  return [filter, from = index(filter.from), to = index(filter.to),
          count = std::uint64_t{0}](const Flight& flight) mutable {
    if (filter.only_refused && !flight.refused) return false;
    // A question about messages of a type is not about news of their loss.
    if (filter.type && (flight.refused || flight.message_type() != *filter.type)) return false;
    const bool matches =
        (from == nobody || flight.from == from) && (to == nobody || flight.to == to);
    return matches && (!filter.only || ++count == *filter.only);
  };
}

std::size_t World::deliver(const MessageFilter& filter) {
  const auto arrivals = flights_.take(matcher(filter));
  for (const auto& [at_ns, flight] : arrivals) {
    now_ns_ = std::max(now_ns_, at_ns);
    arrive(flight);
  }
  return arrivals.size();
}

bool World::would_overtake(const MessageFilter& filter) const {
  const auto matches = matcher(filter);
  std::set<std::pair<NodeIndex, NodeIndex>> waiting;  // links whose oldest message is left behind
  for (const auto& [at_ns, flight] : flights_.all()) {
    const bool taken = matches(flight);
    if (flight.refused) continue;
    const std::pair link(flight.from, flight.to);
    if (!taken) {
      waiting.insert(link);
    } else if (waiting.contains(link)) {
      return true;
    }
  }
  return false;
}

bool World::is_due(NodeId id, Timer timer) const {
  const NodeIndex index = index_of(id);
  if (timer == Timer::coordinator) {
    constexpr auto answer = static_cast<std::size_t>(Timer::answer);
    return flights_.empty() && std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) {
             return node.deadlines[answer] == never;
           });
  }
  const auto flights = flights_.all();
  return std::none_of(flights.begin(), flights.end(), [index](const Flights::Arrival& arrival) {
    return arrival.flight.to == index || arrival.flight.from == index;
  });
}

bool World::expire(NodeId id, Timer timer) {
  const NodeIndex index = index_of(id);
  const std::int64_t deadline = nodes_[index].deadlines[static_cast<std::size_t>(timer)];
  if (deadline == never) return false;
  now_ns_ = std::max(now_ns_, deadline);
  on_expired(index, timer);
  return true;
}

std::size_t World::drop(const MessageFilter& filter) {
  const auto arrivals = flights_.take(matcher(filter));
  for (const auto& [at_ns, flight] : arrivals) lose(flight, Loss::chance);
  return arrivals.size();
}

}  // namespace bully
