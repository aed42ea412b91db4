// hirschberg_sinclair.cc: the probes of 1980, their replies, and their counts.
#include "election/hirschberg_sinclair.h"

#include <algorithm>
#include <bit>

#include "election/field_visitor.h"

namespace bully {

static constexpr RuleTable probe_rules{{
    {"probe-begin", "[HS80]"},
    {"probe-passes", "[HS80]"},
    {"probe-replies", "[HS80]"},
    {"probe-swallows", "[HS80]"},
    {"probe-leader", "[HS80]"},
    {"probe-ends", "[HS80]"},
    {"probe-passes-reply", "[HS80]"},
    {"probe-first-reply", "[HS80]"},
    {"probe-doubles", "[HS80]"},
}};

// 2^l, as long as a number can hold it.
static std::uint64_t reach_of(std::uint64_t phase) {
  return std::uint64_t{1} << std::min<std::uint64_t>(phase, 63);
}

// ⌈log₂n⌉. REQUIRES: n > 0.
static std::uint64_t log_up(std::uint64_t n) {
  return static_cast<std::uint64_t>(std::bit_width(n - 1));
}

static Message with_value(MessageType type, NodeId value) {
  return Message{.type = type}.set(fields::value, value);
}

namespace hirschberg_sinclair {

// The messages for the id of one process, given the distances to the next higher ids clockwise and
// anticlockwise. For the highest both distances are the whole ring.
static void add(MessageCounts& counts, std::size_t clockwise, std::size_t anticlockwise) {
  bool is_candidate = true;
  for (std::uint64_t phase = 0; is_candidate; ++phase) {
    const std::uint64_t reach = reach_of(phase);
    for (const std::uint64_t higher : {clockwise, anticlockwise}) {
      counts[messages::probe] += std::min(reach, higher);
      if (reach < higher) counts[messages::reply] += reach;
    }
    is_candidate = reach < std::min(clockwise, anticlockwise);
  }
}

static MessageCounts count(const CountedElection& election) {
  const std::span<const NodeId> ring = election.processes;
  MessageCounts counts{};
  const std::size_t n = ring.size();
  if (n < 2) return counts;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t clockwise = 1;
    std::size_t anticlockwise = 1;
    while (clockwise < n && ring[(i + clockwise) % n] < ring[i]) ++clockwise;
    while (anticlockwise < n && ring[(i + n - anticlockwise) % n] < ring[i]) ++anticlockwise;
    add(counts, clockwise, anticlockwise);
  }
  counts[messages::leader] = n;
  return counts;
}

// 8n(1 + ⌈log₂n⌉) PROBE and REPLY together, and n LEADER [HS80].
static MessageCounts bound(std::size_t n) {
  if (n < 2) return {};
  const std::uint64_t each = 4 * n * (1 + log_up(n));
  return {{messages::probe, each}, {messages::reply, each}, {messages::leader, n}};
}

// The cost of an id depends on the distances to its next higher ids, and so on where it divides the
// gap between them. Lower ids arrange each of the two new gaps in its own worst way. The highest
// has any place, and its gap is the rest of the ring.
static void arrange_worst(std::span<NodeId> processes) {
  const std::size_t n = processes.size();
  if (n < 2) return;
  // For a gap of each width: the best place to divide it, and the largest cost of its ids then.
  std::vector<std::size_t> divided(n + 1, 1);
  std::vector<std::uint64_t> most(n + 1, 0);
  for (std::size_t width = 2; width <= n; ++width) {
    for (std::size_t at = 1; at <= width / 2; ++at) {
      MessageCounts counts{};
      add(counts, width - at, at);
      const std::uint64_t all = election_total(counts) + most[at] + most[width - at];
      if (all > most[width]) {
        most[width] = all;
        divided[width] = at;
      }
    }
  }
  // From the highest. A gap lies between two places; the last is the first one again.
  std::vector<NodeId> order(n);
  std::vector<std::pair<std::size_t, std::size_t>> gaps = {{0, n}};
  order[0] = processes[n - 1];
  std::size_t lower = n - 1;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const auto [from, to] = gaps[i];
    if (to - from < 2) continue;
    const std::size_t at = from + divided[to - from];
    order[at] = processes[--lower];
    gaps.emplace_back(from, at);
    gaps.emplace_back(at, to);
  }
  std::ranges::copy(order, processes.begin());
}

}  // namespace hirschberg_sinclair

Algorithm hirschberg_sinclair_algorithm() {
  return on_a_ring(
      {.name = "hirschberg-sinclair",
       .make = make_protocol<HirschbergSinclair>,
       .messages = {messages::probe, messages::reply, messages::leader, messages::join},
       .rules = probe_rules.all(),
       .count = hirschberg_sinclair::count,
       .bound = hirschberg_sinclair::bound,
       .arrange_worst = hirschberg_sinclair::arrange_worst},
      true);
}

// [HS80] Every process begins as a candidate, in phase 0. In a service it does so when the first
// message of an election arrives, before it handles that message: a higher process that took no
// part would discard every PROBE, and no process would win.
void HirschbergSinclair::begin(Context context) {
  context.fire(probe_rules("probe-begin"));
  begin_phase(0, context);
}

// [HS80] A candidate sends a PROBE with its own id, for 2^l processes, both ways.
void HirschbergSinclair::begin_phase(std::uint64_t phase, Context context) {
  phase_ = phase;
  replies_ = 0;
  for (const Direction way : both_directions) {
    send(way, with_value(messages::probe, id()).set(fields::left, reach_of(phase)), context);
  }
}

void HirschbergSinclair::on_number(const Message& message, Context context) {
  if (message.type == messages::probe) on_probe(message, context);
  if (message.type == messages::reply) on_reply(message, context);
}

void HirschbergSinclair::on_probe(const Message& probe, Context context) {
  const NodeId number = *probe.get(fields::value);
  const std::uint64_t left = probe.get(fields::left).value_or(0);
  const Direction way = way_of(probe);
  if (number < id()) {
    // [HS80] A lower id is discarded.
    context.fire(probe_rules("probe-swallows"));
  } else if (number == id()) {
    on_own_probe(context);
  } else if (left > 1) {
    // [HS80] A higher id is passed on, within its reach: this process will not be the leader.
    context.fire(probe_rules("probe-passes"));
    become_relay();
    send(way, with_value(messages::probe, number).set(fields::left, left - 1), context);
  } else {
    // [HS80] Its reach ends here: all processes from its candidate to this one are lower.
    context.fire(probe_rules("probe-replies"));
    become_relay();
    send(opposite(way), with_value(messages::reply, number), context);
  }
}

void HirschbergSinclair::on_own_probe(Context context) {
  // The PROBE that went the other way comes back as well, to a process that knows already.
  if (coordinator()) return context.fire(probe_rules("probe-ends"));
  // [HS80] Its own id has come back: it has gone all round, so all others are lower.
  context.fire(probe_rules("probe-leader"));
  announce(id(), context);
}

void HirschbergSinclair::on_reply(const Message& reply, Context context) {
  const NodeId number = *reply.get(fields::value);
  if (number != id()) {
    // [HS80] Another candidate's REPLY is passed on.
    context.fire(probe_rules("probe-passes-reply"));
    send(way_of(reply), with_value(messages::reply, number), context);
  } else if (++replies_ < 2) {
    context.fire(probe_rules("probe-first-reply"));
  } else {
    // [HS80] The second REPLY of this phase: it is the highest within its reach, and doubles that.
    context.fire(probe_rules("probe-doubles"));
    begin_phase(phase_.value_or(0) + 1, context);
  }
}

// In one direction a link carries, in each phase, the PROBEs of at most two candidates and the
// REPLYs to two, for at least 2^(l-1) processes lie between any two of them; in phase 0 a single
// candidate's; and LEADER.
std::size_t HirschbergSinclair::max_on_link(std::size_t n) const {
  return 4 * static_cast<std::size_t>(log_up(n)) + 3;
}

void HirschbergSinclair::visit_fields(FieldVisitor& visit) {
  RingMember::visit_fields(visit);
  visit(phase_);
  visit(replies_);
}

}  // namespace bully
