// hirschberg_sinclair.h: the election on a ring whose links go both ways, with probes that double
// their reach, one process's part in it.
//
// Every process begins as a candidate. In phase l = 0, 1, … a candidate sends a PROBE with its own
// id both ways, each for up to 2^l processes. A higher process swallows it; the last one that it is
// meant for sends a REPLY back. Two REPLYs: the candidate is the highest among 2^l on each side,
// and doubles its reach. Its PROBEs have gone all round, both ways: it is the leader. So of the
// candidates of one phase at most every (2^l + 1)-th is left in the next. As in ring.h, what a
// running service needs besides is in ring_member.h.
//
// A phase ends by its REPLYs alone: a process that has passed on a higher id from further away, and
// will not be the leader, may still begin another. So what an election costs depends on who sits
// where, and not on time.
//
// Source: [HS80] D. S. Hirschberg and J. B. Sinclair, Decentralized extrema-finding in circular
// configurations of processors, Communications of the ACM 23(11), 1980. A PROBE carries for how
// many processes it still is, where the text counts l and those that it has met; a REPLY needs no
// phase, since a candidate has no more than one on its way on each side.
#pragma once

#include "election/ring_member.h"
#include "election/ring_order.h"

namespace bully {

namespace fields {
// PROBE: for how many more processes it is, the receiver included.
inline constexpr Field left{"left", Field::Meaning::number, 2};
}  // namespace fields

namespace messages {
// PROBE: is its candidate, the value, the highest among so many processes that way [HS80]?
inline constexpr MessageKind probe{
    "HP",
    "probe",
    Role::claims,
    {&fields::value, &fields::epoch, &fields::left, &fields::anticlockwise}};
// REPLY: it is; back to the candidate [HS80].
inline constexpr MessageKind reply{
    "HR", "reply", Role::passes_on, {&fields::value, &fields::epoch, &fields::anticlockwise}};
}  // namespace messages

class HirschbergSinclair final : public RingMember {
 public:
  explicit HirschbergSinclair(NodeId self) : RingMember(self, true) {}

  // l, the phase of a candidate, by this name.
  Variables variables() const override;
  void visit_fields(FieldVisitor& visit) override;

 private:
  void begin(Context context) override;
  void on_number(const Message& message, Context context) override;
  std::size_t max_on_link(std::size_t n) const override;

  void on_probe(const Message& probe, Context context);
  void on_own_probe(Direction way, Context context);
  void on_reply(const Message& reply, Context context);
  void begin_phase(std::uint64_t phase, Context context);

  // Nothing before its first election.
  std::optional<std::uint64_t> phase_;
  std::uint8_t replies_ = 0;
  // The way of the first PROBE of this phase that has come back to it.
  std::optional<Direction> back_;
};

Algorithm hirschberg_sinclair_algorithm();

}  // namespace bully
