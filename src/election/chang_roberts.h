// chang_roberts.h: one process's part in the plain election on a unidirectional ring, the measure
// for all others.
//
// Every process sends its own id round the ring, and each process discards ids below its own. Only
// the highest id returns to its process, which is then the leader. The number of messages depends
// on the order of the ids: 2n - 1 if they rise clockwise, n(n + 1) / 2 if they fall, and in both
// cases n more for the last lap. As on all rings, ring_member.h adds the needs of a running
// service.
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
