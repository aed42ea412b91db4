// tanenbaum_ring.h: one process's part in the election on a ring with a growing list.
//
// A process that detects the coordinator's end sends a list round the ring, with only its own id in
// it. Each process adds its id and passes the list on. When the list returns, it names all live
// processes. The highest is coordinator, and a last lap announces that. Processes that detect it at
// the same time each send a list; all lists name the same coordinator. As on all rings,
// ring_member.h adds the needs of a running service.
//
// Only in this election do messages grow with the ring: a list of 1,000 processes whose ids have
// seven digits takes 8,000 of the 65,535 bytes that a message may have.
//
// Source: [Tan95] A. S. Tanenbaum, Distributed Operating Systems, 1995, section 3.3.2.
#pragma once

#include "election/ring_member.h"

namespace bully {

namespace fields {
// ELECTION: the processes that have passed it on. COORDINATOR: the members of the new ring.
inline constexpr Field members{"members", Field::Meaning::ids, 2};
}  // namespace fields

namespace messages {
// ELECTION: the processes that it has met, its initiator first [Tan95].
inline constexpr MessageKind list_election{
    "T", "election", Role::claims, {&fields::epoch}, &fields::members};
// COORDINATOR: the highest of these processes, and all of them [Tan95].
inline constexpr MessageKind list_coordinator{
    "TC", "coordinator", Role::spreads, {&fields::leader, &fields::epoch}, &fields::members};
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
  // Two laps for each initiator.
  std::size_t max_on_link(std::size_t n) const override { return 2 * n; }
};

Algorithm tanenbaum_ring_algorithm();

}  // namespace bully
