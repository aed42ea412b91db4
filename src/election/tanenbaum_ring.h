// tanenbaum_ring.h: the election on a ring with a list that grows, one process's part in it.
//
// A process that notices that the coordinator is gone sends a list round the ring in which it
// stands alone. Each process adds itself and passes the list on. When it comes back, it names all
// that are alive: the highest is coordinator, and a last lap tells everyone. Processes that notice
// at the same time each send a list of their own; all lists name the same coordinator. As in
// ring.h, what a running service needs besides is in ring_member.h.
//
// Its messages grow with the ring, those of no other election here do: a list of 1,000 processes
// whose ids have seven digits takes 8,000 of the 65,535 bytes that a message may have.
//
// Source: [Tan95] A. S. Tanenbaum, Distributed Operating Systems, 1995, section 3.3.2.
#pragma once

#include "election/ring_member.h"

namespace bully {

namespace fields {
// Those that have passed the ELECTION on; of COORDINATOR, the members of the new ring.
inline constexpr Field members{"members", Field::Meaning::ids, 2};
}  // namespace fields

namespace messages {
// ELECTION: the processes that it has met, the one that began first [Tan95].
inline constexpr MessageKind list_election{
    "T", "list-election", Role::claims, {&fields::epoch}, &fields::members};
// COORDINATOR: the highest of them, and all of them [Tan95].
inline constexpr MessageKind list_coordinator{
    "TC", "list-coordinator", Role::spreads, {&fields::leader, &fields::epoch}, &fields::members};
}  // namespace messages

class TanenbaumRing final : public RingMember {
 public:
  explicit TanenbaumRing(NodeId self) : RingMember(self) {}

 private:
  void begin(Context context) override;
  void take_part(Context context) override;
  void on_number(const Message& election, Context context) override;
  void on_leader(const Message& coordinator, Context context) override;
  bool is_for_settled(const Message&) const override { return true; }
  // Two laps for each that notices.
  std::size_t max_on_link(std::size_t n) const override { return 2 * n; }
};

Algorithm tanenbaum_ring_algorithm();

}  // namespace bully
