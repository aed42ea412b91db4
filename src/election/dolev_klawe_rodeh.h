// dolev_klawe_rodeh.h: one process's part in the election on a unidirectional ring with O(n log n)
// messages.
//
// [DKR82] Each process receives only from its predecessor and sends only to its successor; links
// are FIFO. Every process is responsible for a number, its variable d, at first its own id. Of any
// two neighbouring active processes at least one gives way in each round, and becomes a relay. The
// last active process knows the leader's id, which need not be its own. ring_member.h adds the
// needs of a running service, in which processes die and join.
//
// Source: [DKR82] Dolev, Klawe and Rodeh, An O(n log n) unidirectional distributed algorithm for
// extrema finding in a circle, 1982.
#pragma once

#include "election/ring_member.h"

namespace bully {

class DolevKlaweRodeh final : public RingMember {
 public:
  explicit DolevKlaweRodeh(NodeId self) : RingMember(self) {}

  Variables variables() const override {
    return {Variable{"d", d_}, Variable{"e", e_}, Variable{"f", f_}};
  }
  void visit_fields(FieldVisitor& visit) override;

 private:
  void begin(Context context) override;
  void on_number(const Message& message, Context context) override;

  std::optional<NodeId> d_;
  // The value of its nearest active predecessor, and of the second nearest. They stay visible until
  // the next round brings others.
  std::optional<NodeId> e_;
  std::optional<NodeId> f_;
  bool waits_for_f_ = false;
};

Algorithm dolev_klawe_rodeh_algorithm();

}  // namespace bully
