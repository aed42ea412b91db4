// ring.h: the election on a unidirectional ring with O(n log n) messages, one process's part in it.
//
// [DKR82] Each process hears only from its anticlockwise neighbour and sends only to its clockwise
// one; links are FIFO. Every process is responsible for a number, its variable d, at first its own
// id. Of any neighbouring active processes at least one gives way in each round, and becomes a
// relay; the last active one knows the id of the leader, which need not be its own.
//
// ring.cc has the textbook's sentences and nothing else. What a running service needs besides, when
// processes die and join, is in ring_member.h.
//
// Source: [DKR82] Dolev, Klawe and Rodeh, An O(n log n) unidirectional distributed algorithm for
// extrema finding in a circle, 1982.
#pragma once

#include "election/ring_member.h"

namespace bully {

class Ring final : public RingMember {
 public:
  explicit Ring(NodeId self) : RingMember(self) {}

  // d, e and f, by these names.
  Variables variables() const override;

 private:
  void begin(Step step) override;
  void on_number(const Message& message, Step step) override;
  void save_variables(std::vector<std::uint64_t>& words) const override;
  void load_variables(std::span<const std::uint64_t> words) override;

  // The number for which this process is responsible.
  std::optional<NodeId> d_;
  // The value of its nearest active anticlockwise neighbour, and of the second nearest. They stay
  // to be looked at until the next round brings others.
  std::optional<NodeId> e_;
  std::optional<NodeId> f_;
  bool waits_for_f_ = false;
};

// The messages of one election in which the processes of `ring`, from any one of them clockwise,
// all take part: counted round by round, without a process or a message.
MessageCounts ring_messages(std::span<const NodeId> ring);

// The most that an election of `n` processes may take: n(⌊log₂n⌋ + 1) VALUE, n⌊log₂n⌋ SECOND and n
// LEADER [DKR82].
MessageCounts ring_bound(std::size_t n);

// Puts `processes`, sorted from the lowest, into an order, clockwise, that reaches the bound,
// whatever their number. Of 2, 4, 8, … it is a bit-reversed ring.
void arrange_ring_worst(std::span<NodeId> processes);

}  // namespace bully
