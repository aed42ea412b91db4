#include "election/chang_roberts.h"

#include <algorithm>

namespace bully {

// [CR79] It sends its own id to its clockwise neighbour.
void ChangRoberts::begin(Step step) {
  send(MessageType::value, self(), step);
}

void ChangRoberts::on_number(const Message& message, Step step) {
  const NodeId number = *message.subject;
  if (number > self()) {
    // [CR79] A higher id is passed on: this process will not be the leader.
    become_relay();
    send(MessageType::value, number, step);
  } else if (number == self()) {
    // [CR79] Its own has come back: no process stopped it, so all others are lower.
    announce(self(), step);
  }
  // [CR79] A lower one goes no further.
}

MessageCounts chang_roberts_messages(std::span<const NodeId> ring) {
  MessageCounts counts{};
  const std::size_t n = ring.size();
  if (n < 2) return counts;
  for (std::size_t i = 0; i < n; ++i) {
    // This id is sent on up to the first process that is higher, or once round.
    std::size_t hops = 1;
    while (hops < n && ring[(i + hops) % n] < ring[i]) ++hops;
    count_of(counts, MessageType::value) += hops;
  }
  count_of(counts, MessageType::leader) = n;
  return counts;
}

MessageCounts chang_roberts_bound(std::size_t n) {
  MessageCounts counts{};
  if (n < 2) return counts;
  count_of(counts, MessageType::value) = n * (n + 1) / 2;
  count_of(counts, MessageType::leader) = n;
  return counts;
}

void arrange_chang_roberts_worst(std::span<NodeId> processes) {
  std::reverse(processes.begin(), processes.end());
}

}  // namespace bully
