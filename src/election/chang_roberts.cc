// chang_roberts.cc: the rules of 1979, its counts, and the worst order of a ring.
#include "election/chang_roberts.h"

#include <algorithm>

namespace bully {

static constexpr RuleTable plain_rules{{
    {"plain-begin", "[CR79]"},
    {"plain-passes", "[CR79]"},
    {"plain-stops", "[CR79]"},
    {"plain-leader", "[CR79]"},
}};

namespace chang_roberts {

static MessageCounts count(const CountedElection& election) {
  const std::span<const NodeId> ring = election.processes;
  MessageCounts counts{};
  const std::size_t n = ring.size();
  if (n < 2) return counts;
  for (std::size_t i = 0; i < n; ++i) {
    // This id travels up to the first higher process, or once round.
    std::size_t hops = 1;
    while (hops < n && ring[(i + hops) % n] < ring[i]) ++hops;
    counts[messages::value] += hops;
  }
  counts[messages::leader] = n;
  return counts;
}

static MessageCounts bound(std::size_t n) {
  if (n < 2) return {};
  return {{messages::value, n * (n + 1) / 2}, {messages::leader, n}};
}

// Ids that fall clockwise reach the bound.
static void arrange_worst(std::span<NodeId> processes) {
  std::reverse(processes.begin(), processes.end());
}

}  // namespace chang_roberts

Algorithm chang_roberts_algorithm() {
  return on_a_ring({.name = "chang-roberts",
                    .make = make_protocol<ChangRoberts>,
                    .messages = {messages::value, messages::leader, messages::join},
                    .rules = plain_rules.all(),
                    .count = chang_roberts::count,
                    .bound = chang_roberts::bound,
                    .arrange_worst = chang_roberts::arrange_worst});
}

// [CR79] It sends its own id to its clockwise neighbour.
void ChangRoberts::begin(Context context) {
  context.fire(plain_rules("plain-begin"));
  send(messages::value, id(), context);
}

void ChangRoberts::on_number(const Message& message, Context context) {
  const NodeId number = *message.get(fields::value);
  if (number > id()) {
    // [CR79] A higher id is passed on: this process will not be the leader.
    context.fire(plain_rules("plain-passes"));
    become_relay();
    send(messages::value, number, context);
  } else if (number == id()) {
    // [CR79] Its own has come back: no process stopped it, so all others are lower.
    context.fire(plain_rules("plain-leader"));
    announce(id(), context);
  } else {
    // [CR79] A lower one goes no further.
    context.fire(plain_rules("plain-stops"));
  }
}

}  // namespace bully
