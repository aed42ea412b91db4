// mutant.h: what stands between the world and the unchanged core of an election, and is like that
// core but for one mistake. For tests that must be able to fail.
#pragma once

#include <memory>
#include <string_view>
#include <variant>

#include "election/algorithm.h"
#include "election/field_visitor.h"
#include "election/protocol.h"

namespace bully {

// Each has its mistakes' `names` as well, in their order.
template <class Core, class Mistake>
class MutantOf : public Protocol {
 public:
  using Mistakes = Mistake;
  MutantOf(Mistake mistake, NodeId self) : core_(self), mistake_(mistake) {}

  NodeId id() const override { return core_.id(); }
  std::string_view state_name() const override { return core_.state_name(); }
  std::optional<NodeId> coordinator() const override { return core_.coordinator(); }
  std::optional<NodeId> watched() const override { return core_.watched(); }
  std::uint64_t latest_election() const override { return core_.latest_election(); }
  Variables variables() const override { return core_.variables(); }
  void visit_fields(FieldVisitor& visit) override { core_.visit_fields(visit); }

 protected:
  bool is(Mistake mistake) const { return mistake_ == mistake; }
  // On a ring: that the neighbour is gone, or does not react.
  bool is_about_neighbour(const Event& event) const {
    return std::holds_alternative<PeerGone>(event) ||
           (std::holds_alternative<Suspected>(event) && !core_.coordinator());
  }

  Core core_;

 private:
  Mistake mistake_;
};

template <class Mutant>
std::string_view mistake_name(typename Mutant::Mistakes mistake) {
  return Mutant::names.at(static_cast<std::size_t>(mistake));
}

template <class Mutant>
ProtocolMaker maker_of(typename Mutant::Mistakes mistake) {
  return [mistake](NodeId id) { return std::make_unique<Mutant>(mistake, id); };
}

}  // namespace bully
