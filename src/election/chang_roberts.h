// chang_roberts.h: the plain election on a unidirectional ring, the one that others are measured
// against, one process's part in it.
//
// Every process sends its own id round the ring, and each stops what is lower than itself. Only the
// highest id comes back to where it began, and tells its process that it is the leader. How many
// messages that takes depends on who sits where: 2n - 1 where ids rise clockwise, n(n + 1) / 2
// where they fall, and a last lap of n besides. As in ring.h, what a running service needs besides
// is in ring_member.h.
//
// Source: [CR79] E. Chang and R. Roberts, 1979. The counts are proved by trying all arrangements.
#pragma once

#include "election/ring_member.h"

namespace bully {

class ChangRoberts final : public RingMember {
 public:
  explicit ChangRoberts(NodeId self) : RingMember(self) {}

 private:
  void begin(Context context) override;
  void on_number(const Message& message, Context context) override;
};

Algorithm chang_roberts_algorithm();

}  // namespace bully
