// dolev_klawe_rodeh.cc: the rules of 1982, its counts, and the worst order of a ring.
#include "election/dolev_klawe_rodeh.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "election/field_visitor.h"

namespace bully {

static constexpr RuleTable round_rules{{
    {"ring-begin", "[DKR82]"},
    {"ring-passes", "[DKR82]"},
    {"ring-takes-over", "[DKR82]"},
    {"ring-gives-way", "[DKR82]"},
    {"ring-relays", "[DKR82]"},
    {"ring-leader", "[DKR82]"},
}};

namespace dolev_klawe_rodeh {

// The messages of one election, counted round by round, without a process or a message. Every
// process takes part, no matter which one detected the crash, and a lost coordinator is skipped.
static MessageCounts count(const CountedElection& election) {
  const std::span<const NodeId> ring = election.processes;
  MessageCounts counts{};
  if (ring.size() < 2) return counts;
  // The active values, clockwise. In each round every link carries one VALUE and one SECOND.
  std::vector<NodeId> active(ring.begin(), ring.end());
  while (active.size() > 1) {
    counts[messages::value] += ring.size();
    counts[messages::second] += ring.size();
    const std::size_t n = active.size();
    std::vector<NodeId> stay;
    for (std::size_t i = 0; i < n; ++i) {
      const NodeId d = active[i];
      const NodeId e = active[(i + n - 1) % n];
      const NodeId f = active[(i + n - 2) % n];
      if (e > d && e > f) stay.push_back(e);
    }
    active = std::move(stay);
  }
  // The last d comes back to its process; then the announcing lap.
  counts[messages::value] += ring.size();
  counts[messages::leader] += ring.size();
  return counts;
}

// The largest number of messages in an election of `n` processes: n(⌊log₂n⌋ + 1) VALUE, n⌊log₂n⌋
// SECOND and n LEADER [DKR82].
static MessageCounts bound(std::size_t n) {
  if (n < 2) return {};
  const auto rounds = static_cast<std::uint64_t>(std::bit_width(n)) - 1;
  return {
      {messages::value, n * (rounds + 1)}, {messages::second, n * rounds}, {messages::leader, n}};
}

// An order, clockwise, that reaches the bound for any number of processes. Of 2, 4, 8, … it is a
// bit-reversed ring.
//
// At most every other process can stay active, since a value stays only if it is larger than both
// its neighbours. So the higher half, in its own worst order, takes every other place.
static void arrange_worst(std::span<NodeId> processes) {
  std::vector<NodeId> order;
  // From the last round, with one process left, to the first, with all processes.
  for (auto rounds = static_cast<unsigned>(std::bit_width(processes.size())); rounds-- > 0;) {
    const std::size_t active = processes.size() >> rounds;
    const std::vector<NodeId> stay = std::exchange(order, {});
    // The highest `active` processes take part in this round; the first of them give way.
    auto gives_way = processes.end() - static_cast<std::ptrdiff_t>(active);
    for (const NodeId id : stay) {
      order.push_back(*gives_way++);
      order.push_back(id);
    }
    if (order.size() < active) order.push_back(*gives_way);
  }
  std::copy(order.begin(), order.end(), processes.begin());
}

}  // namespace dolev_klawe_rodeh

Algorithm dolev_klawe_rodeh_algorithm() {
  return on_a_ring(
      {.name = "dolev-klawe-rodeh",
       .make = make_protocol<DolevKlaweRodeh>,
       .messages = {messages::value, messages::second, messages::leader, messages::join},
       .rules = round_rules.all(),
       .count = dolev_klawe_rodeh::count,
       .bound = dolev_klawe_rodeh::bound,
       .arrange_worst = dolev_klawe_rodeh::arrange_worst});
}

// [DKR82] Every process starts active, responsible for its own id. An active process sends d to its
// clockwise neighbour, and waits for e.
void DolevKlaweRodeh::begin(Context context) {
  context.fire(round_rules("ring-begin"));
  d_ = id();
  e_.reset();
  f_.reset();
  waits_for_f_ = false;
  send(messages::value, *d_, context);
}

void DolevKlaweRodeh::on_number(const Message& message, Context context) {
  const NodeId number = *message.get(fields::value);

  // [DKR82] A relay passes messages on, unread and unchanged.
  if (state() == State::relay) {
    context.fire(round_rules("ring-relays"));
    send(message.type, number, context);
    return;
  }
  // An active process distinguishes e from f by their order alone, not by type: links are FIFO.
  if (!waits_for_f_) {
    e_ = number;
    f_.reset();
    if (e_ == d_) {
      // [DKR82] e = d: it is the only active process left, and d is the id of the leader.
      context.fire(round_rules("ring-leader"));
      announce(*d_, context);
    } else {
      // [DKR82] e ≠ d: it passes e on, and waits for f.
      context.fire(round_rules("ring-passes"));
      waits_for_f_ = true;
      send(messages::second, *e_, context);
    }
    return;
  }
  f_ = number;
  waits_for_f_ = false;
  if (*e_ > *d_ && *e_ > *f_) {
    // [DKR82] e is the largest of d, e and f: it takes it over, and stays active. It sends d, …
    context.fire(round_rules("ring-takes-over"));
    d_ = e_;
    send(messages::value, *d_, context);
  } else {
    // [DKR82] Otherwise it becomes a relay.
    context.fire(round_rules("ring-gives-way"));
    become_relay();
  }
}

void DolevKlaweRodeh::visit_fields(FieldVisitor& visit) {
  RingMember::visit_fields(visit);
  visit(d_);
  visit(e_);
  visit(f_);
  visit(waits_for_f_);
}

}  // namespace bully
