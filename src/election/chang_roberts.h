// chang_roberts.h: the plain election on a unidirectional ring, the one that others are measured
// against, one process's part in it.
//
// Every process sends its own id round the ring, and each stops what is lower than itself. Only the
// highest id comes back to where it began, and tells its process that it is the leader. How many
// messages that takes depends on who sits where: 2n - 1 where ids rise clockwise, n(n + 1) / 2
// where they fall, and a last lap of n besides.
//
// As in ring.h, what a running service needs besides is in ring_member.h.
//
// Source: [CR79] E. Chang and R. Roberts, 1979. The counts are proved by trying all arrangements.
#pragma once

#include "election/ring_member.h"

namespace bully {

class ChangRoberts final : public RingMember {
 public:
  explicit ChangRoberts(NodeId self) : RingMember(self) {}

 private:
  void begin(Step step) override;
  void on_number(const Message& message, Step step) override;
  void save_variables(std::vector<std::uint64_t>&) const override {}
  void load_variables(std::span<const std::uint64_t>) override {}
};

// The messages of one election in which the processes of `ring`, from any one of them clockwise,
// all take part: counted without a process or a message.
MessageCounts chang_roberts_messages(std::span<const NodeId> ring);

// The most that an election of `n` processes may take.
MessageCounts chang_roberts_bound(std::size_t n);

// Puts `processes`, sorted from the lowest, into the order that reaches the bound: falling.
void arrange_chang_roberts_worst(std::span<NodeId> processes);

}  // namespace bully
