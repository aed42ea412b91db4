#include <algorithm>
#include <unordered_map>
#include <utility>

#include "trace/elections.h"

namespace bully {

namespace {

// A message may wait in its receiver's socket. A live process takes it long before this.
constexpr std::int64_t longest_wait_ns = 2'000'000'000;

// A recorder looks for the dead so often: one may have been dead for as long before it is said.
constexpr std::int64_t noticed_after_ns = 5'000'000;

// A process that was only observed, as far as it has shown where it stands.
struct Observed {
  bool holds = false;                      // an election
  std::optional<NodeId> coordinator = {};  // whom it follows
  // Of the election that made that one coordinator.
  std::optional<std::uint64_t> settled_epoch = {};
  // The message that told it who has won, since it has shown that it took one.
  std::optional<std::size_t> told = {};
};

Sign::Kind follow(Observed& node, NodeId self, NodeId coordinator) {
  const bool is_new = node.holds || node.coordinator != coordinator;
  node.holds = false;
  node.coordinator = coordinator;
  if (!is_new) return Sign::Kind::none;
  return coordinator == self ? Sign::Kind::wins : Sign::Kind::follows;
}

Sign::Kind hold_election(Observed& node) {
  node.coordinator.reset();
  return std::exchange(node.holds, true) ? Sign::Kind::none : Sign::Kind::holds;
}

// Whether it may not have taken yet that another has won, and so still acts for itself.
bool may_not_know(const Observed& node, const Record& record, const Records& records,
                  const Timeline& timeline) {
  if (!node.told) return false;
  const Record told = records[*node.told];
  if (record.t_ns - told.t_ns > longest_wait_ns) return false;
  const Incarnation* winner = incarnation_at(timeline, told.from, *node.told);
  const std::size_t gone = winner != nullptr ? winner->gone : no_record;
  return gone == no_record || records[gone].t_ns - record.t_ns > noticed_after_ns;
}

Sign::Kind on_send(Observed& node, const Record& record) {
  switch (record.type->role) {
    case Role::asks:
    case Role::joins:
      return hold_election(node);
    case Role::announces:
      return follow(node, record.node, record.node);
    case Role::claims:
    case Role::passes_on:
      // If its neighbour is gone, the next one hears all that was said in the last election.
      if (!node.holds && node.settled_epoch == record.epoch()) return Sign::Kind::none;
      return hold_election(node);
    case Role::spreads: {
      const std::optional<std::uint64_t> leader = record.values.shown(record.type);
      if (!leader) return Sign::Kind::none;
      node.settled_epoch = record.epoch();
      return follow(node, record.node, *leader);
    }
    default:
      return Sign::Kind::none;
  }
}

// Whom it pings is whom it follows; but a coordinator looks whether one above it is alive, and on a
// ring a process that holds an election looks after its neighbour.
Sign::Kind on_ping(Observed& node, const Record& record, const Algorithm& algorithm) {
  const NodeId pinged = *record.coordinator;
  const bool looks_above =
      node.coordinator == record.node && algorithm.prefers(pinged, record.node);
  if (looks_above || (algorithm.passes_over() && node.holds)) return Sign::Kind::none;
  return follow(node, record.node, pinged);
}

Sign::Kind observe(Observed& node, std::size_t i, const Records& records,
                   const Timeline& timeline) {
  const Record record = records[i];
  const Algorithm& algorithm = *timeline.algorithms.front();
  if (record.event == TraceEvent::start) node = {};
  const Role role = record.type->role;
  const bool announces = record.event == TraceEvent::send && role == Role::announces;
  const bool pings = record.event == TraceEvent::coordinator && record.coordinator != record.node;
  const bool is_office = record.event == TraceEvent::coordinator && !pings;
  if ((announces || is_office) && may_not_know(node, record, records, timeline)) {
    return Sign::Kind::none;
  }
  const bool is_told = record.event == TraceEvent::receive && role == Role::announces &&
                       algorithm.prefers(record.from, record.node);
  if (is_told) {
    node.told = i;
    return follow(node, record.node, record.from);
  }
  Sign::Kind sign = Sign::Kind::none;
  if (record.event == TraceEvent::send) sign = on_send(node, record);
  const bool is_choice = timeline.shows_choice(record, i);
  if (record.event == TraceEvent::coordinator && !is_choice) return Sign::Kind::none;
  if (record.event == TraceEvent::coordinator) sign = on_ping(node, record, algorithm);
  if (pings || sign != Sign::Kind::none) node.told.reset();
  return sign;
}

// Whom a process pings shows whom it follows only if it pings one alone, above itself: a
// coordinator may ping all others to tell them that it lives, and a process may look after all of
// them.
void find_unsteady(const Records& records, Timeline& timeline) {
  // Of each incarnation, whom it was last seen to ping, since when nothing made it change its mind.
  std::unordered_map<std::size_t, NodeId> pinged;
  const Algorithm& algorithm = *timeline.algorithms.front();
  for (const auto& [i, record] : records) {
    if (!timeline.is_observed(i)) continue;
    const std::size_t k = timeline.incarnation_of[i];
    if (is_about_election(record)) pinged.erase(k);
    const bool pings = record.event == TraceEvent::coordinator && !record.said &&
                       record.coordinator != record.node;
    if (!pings) continue;
    const auto before = pinged.find(k);
    const bool is_other = before != pinged.end() && before->second != record.coordinator;
    const Incarnation* other = is_other ? incarnation_at(timeline, before->second, i) : nullptr;
    const bool is_below = algorithm.prefers(record.node, *record.coordinator);
    if (is_below || (other != nullptr && other->gone > i)) timeline.incarnations[k].unsteady = true;
    pinged[k] = *record.coordinator;
  }
}

}  // namespace

Sign Timeline::sign_of(const Record& record, std::size_t i) const {
  if (is_observed(i)) {
    const Sign::Kind kind = observed_signs[i];
    if (kind == Sign::Kind::wins) return {kind, record.node};
    if (kind != Sign::Kind::follows) return {kind};
    if (record.event == TraceEvent::coordinator) return {kind, *record.coordinator};
    if (record.event == TraceEvent::receive) return {kind, record.from};
    return {kind, record.values.shown(record.type).value_or(0)};
  }
  if (record.event == TraceEvent::coordinator) {
    return {Sign::Kind::follows, *record.coordinator};
  }
  if (record.event != TraceEvent::state) return {};
  if (is_coordinating(record.state)) return {Sign::Kind::wins, record.node};
  return {is_settled(record.state) ? Sign::Kind::none : Sign::Kind::holds};
}

void find_observed_signs(const Records& records, Timeline& timeline) {
  if (std::ranges::none_of(timeline.incarnations, &Incarnation::observed)) return;
  find_unsteady(records, timeline);
  timeline.observed_signs.assign(records.size(), Sign::Kind::none);
  std::vector<Observed> nodes(timeline.incarnations.size());
  for (const auto& [i, record] : records) {
    if (!timeline.is_observed(i)) continue;
    Observed& node = nodes[timeline.incarnation_of[i]];
    timeline.observed_signs[i] = observe(node, i, records, timeline);
  }
}

}  // namespace bully
