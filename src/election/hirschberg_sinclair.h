// hirschberg_sinclair.h: one process's part in the election on a bidirectional ring, with probes
// that double their reach.
//
// Every process begins as a candidate. In phase l = 0, 1, … a candidate sends a PROBE with its own
// id both ways, each for up to 2^l processes. A higher process discards it; the last process within
// its reach sends a REPLY back. A candidate with two REPLYs is the highest among 2^l on each side,
// and doubles its reach. A candidate whose PROBE has gone all round is the leader. So at most every
// (2^l + 1)-th candidate of a phase is left in the next. As on all rings, ring_member.h adds the
// needs of a running service.
//
// A phase ends by its REPLYs alone: a process that has passed on a higher id from further away, and
// will not be the leader, may still begin another. So the cost of an election depends on the order
// of the ids, not on timing.
//
// Source: [HS80] D. S. Hirschberg and J. B. Sinclair, Decentralized extrema-finding in circular
// configurations of processors, Communications of the ACM 23(11), 1980. A PROBE carries the rest of
// its reach, where the paper's message carries l and a hop count. A REPLY needs no phase, since a
// candidate has at most one in flight on each side.
#pragma once

#include "election/ring_member.h"
#include "election/ring_order.h"

namespace bully {

namespace fields {
// PROBE: the number of processes left in its reach, the receiver included.
inline constexpr Field left{"left", Field::Meaning::number, 2};
}  // namespace fields

namespace messages {
// PROBE: is its value, the candidate's id, the highest within its reach [HS80]?
inline constexpr MessageKind probe{
    "HP",
    "probe",
    Role::claims,
    {&fields::value, &fields::epoch, &fields::left, &fields::anticlockwise}};
// REPLY: yes, it is the highest; sent back to the candidate [HS80].
inline constexpr MessageKind reply{
    "HR", "reply", Role::passes_on, {&fields::value, &fields::epoch, &fields::anticlockwise}};
}  // namespace messages

class HirschbergSinclair final : public RingMember {
 public:
  explicit HirschbergSinclair(NodeId self) : RingMember(self, true) {}

  // Shows l, the phase of a candidate.
  Variables variables() const override { return {Variable{"l", phase_}}; }
  void visit_fields(FieldVisitor& visit) override;

 private:
  void begin(Context context) override;
  void on_number(const Message& message, Context context) override;
  std::size_t max_on_link(std::size_t n) const override;

  void on_probe(const Message& probe, Context context);
  void on_own_probe(Context context);
  void on_reply(const Message& reply, Context context);
  void begin_phase(std::uint64_t phase, Context context);

  // Nothing before its first election.
  std::optional<std::uint64_t> phase_;
  std::uint8_t replies_ = 0;
};

Algorithm hirschberg_sinclair_algorithm();

}  // namespace bully
