// observed.cc: the state of a process at each of its records, its own or seen from outside.
#include <algorithm>

#include "trace/elections.h"

namespace bully {

namespace {

// A message may wait in its receiver's socket. A live process takes it long before this.
constexpr std::int64_t longest_wait_ns = 2'000'000'000;

// A recorder looks for the dead at this interval: a process may have been dead for as long before
// its `crash`.
constexpr std::int64_t noticed_after_ns = 5'000'000;

// The known state of a process that was only observed.
struct Observed {
  Stand stand = {};
  // The epoch of the election that made its coordinator win.
  std::optional<std::uint64_t> settled_epoch = {};
  // The latest announcement to it, unless it has shown since that it accepted one.
  std::optional<std::size_t> told = {};
};

Sign follow(const Observed& node, NodeId self, NodeId coordinator) {
  if (node.stand.coordinator == coordinator) return {};
  return {coordinator == self ? Sign::Kind::wins : Sign::Kind::follows, coordinator};
}

Sign hold_election(const Observed& node) {
  return node.stand.holds() ? Sign{} : Sign{Sign::Kind::holds};
}

// True if it may not have handled another's victory yet, and so still acts for itself.
bool may_not_know(const Observed& node, const Record& record, const Records& records,
                  const Timeline& timeline) {
  if (!node.told) return false;
  const Record told = records[*node.told];
  if (record.t_ns - told.t_ns > longest_wait_ns) return false;
  const Incarnation* winner = incarnation_at(timeline, told.from, *node.told);
  const std::size_t gone = winner != nullptr ? winner->gone : no_record;
  return gone == no_record || records[gone].t_ns - record.t_ns > noticed_after_ns;
}

Sign on_send(Observed& node, const Record& record) {
  switch (record.type->role) {
    case Role::asks:
    case Role::joins: return hold_election(node);
    case Role::claims:
    case Role::passes_on:
      // If its neighbour is gone, the next process gets all messages of the last election again.
      if (!node.stand.holds() && node.settled_epoch == record.epoch()) return {};
      return hold_election(node);
    case Role::announces:
    case Role::spreads: {
      const std::optional<NodeId> winner = winner_in(record);
      if (!winner) return {};
      if (record.type->role == Role::spreads) node.settled_epoch = record.epoch();
      return follow(node, record.node, *winner);
    }
    default: return {};
  }
}

// The ping target is its coordinator. But a coordinator checks whether a process above it is alive,
// and on a ring a process in an election checks its neighbour.
Sign on_ping(const Observed& node, const Record& record, const Algorithm& algorithm) {
  const NodeId pinged = *record.coordinator;
  const bool looks_above =
      node.stand.coordinator == record.node && algorithm.prefers(pinged, record.node);
  if (looks_above || (algorithm.watches_neighbour && node.stand.holds())) return {};
  return follow(node, record.node, pinged);
}

Sign observe(Observed& node, const Record& record, std::size_t i, const Records& records,
             const Timeline& timeline) {
  const Algorithm& algorithm = *timeline.algorithms.front();
  if (record.event == TraceEvent::start) node = {};
  const bool announces = record.type->role == Role::announces;
  const bool names = record.event == TraceEvent::coordinator;
  if (names && !timeline.shows_choice(record, i)) return {};
  const bool pings = names && record.coordinator != record.node;
  const bool is_of_office = names ? !pings : announces && record.event == TraceEvent::send;
  if (is_of_office && may_not_know(node, record, records, timeline)) return {};
  if (announces && record.event == TraceEvent::receive &&
      algorithm.prefers(record.from, record.node)) {
    node.told = i;
    return follow(node, record.node, record.from);
  }
  Sign sign;
  if (record.event == TraceEvent::send) sign = on_send(node, record);
  if (names) sign = on_ping(node, record, algorithm);
  if (pings || sign) node.told.reset();
  return sign;
}

// From a node that writes a trace.
Sign told_by(const Record& record) {
  if (record.event == TraceEvent::coordinator) return {Sign::Kind::follows, *record.coordinator};
  if (record.event != TraceEvent::state) return {};
  if (is_coordinating(record.state)) return {Sign::Kind::wins, record.node};
  return {is_settled(record.state) ? Sign::Kind::none : Sign::Kind::holds};
}

// Ping targets show a process's coordinator only if it pings one process alone, above itself: a
// coordinator may ping all others to tell them that it lives, and a process may check all of them.
void find_unsteady(const Records& records, Timeline& timeline) {
  // By incarnation: its last seen ping target, unless an event has given it a reason to change
  // since.
  std::vector<std::optional<NodeId>> pinged(timeline.incarnations.size());
  const Algorithm& algorithm = *timeline.algorithms.front();
  for (const auto& [i, record] : records) {
    if (!timeline.is_observed(i)) continue;
    const std::size_t k = timeline.incarnation_of[i];
    std::optional<NodeId>& before = pinged[k];
    if (is_about_election(record)) before.reset();
    const bool pings = record.event == TraceEvent::coordinator && !record.said &&
                       record.coordinator != record.node;
    if (!pings) continue;
    const bool is_other = before && before != record.coordinator;
    const Incarnation* other = is_other ? incarnation_at(timeline, *before, i) : nullptr;
    const bool is_below = algorithm.prefers(record.node, *record.coordinator);
    if (is_below || (other != nullptr && other->gone > i)) timeline.incarnations[k].unsteady = true;
    before = record.coordinator;
  }
}

}  // namespace

Sign Timeline::sign_of(const Record& record, std::size_t i) const {
  const Sign::Kind kind = signs[i];
  if (kind == Sign::Kind::wins) return {kind, record.node};
  if (kind != Sign::Kind::follows) return {kind};
  return {kind, record.coordinator.value_or(winner_in(record).value_or(0))};
}

void find_signs(const Records& records, Timeline& timeline) {
  find_unsteady(records, timeline);
  timeline.signs.reserve(records.size());
  std::vector<Observed> nodes(timeline.incarnations.size());
  for (const auto& [i, record] : records) {
    const bool observed = timeline.is_observed(i);
    Observed& node = nodes[timeline.incarnation_of[i]];
    const Sign sign = observed ? observe(node, record, i, records, timeline) : told_by(record);
    node.stand.take(sign, i);
    timeline.signs.push_back(sign.kind);
  }
}

}  // namespace bully
