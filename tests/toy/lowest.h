// lowest.h: an election in which the lowest id wins: a worked example of an algorithm of your own.
//
// All that it needs is in this directory: the election and its description here and in lowest.cc,
// its words in words.cc, and in main.cc a program that has it beside the others. No file of src/
// knows it.
//
// A process that misses its coordinator, the chief, claims the office: it tells everyone. Lower
// processes object, and claim the office themselves if they miss the same chief; higher ones stand
// by. A claimant to which nobody objects becomes chief, and tells all that are higher.
#pragma once

#include "election/algorithm.h"
#include "words/words.h"

namespace bully::toy {

class Lowest : public Protocol {
 public:
  enum class State : std::uint8_t {
    down,
    member,     // knows the chief and is not it
    claimant,   // has claimed the office and has heard no objection
    bystander,  // leaves the office to a lower process
    chief,
  };
  static constexpr std::array<StateKind, 5> states = {{{"down", StateRole::down},
                                                       {"member", StateRole::following},
                                                       {"claimant", StateRole::asking},
                                                       {"bystander", StateRole::waiting},
                                                       {"chief", StateRole::coordinating}}};

  explicit Lowest(NodeId self) : self_(self) {}

  void handle(const Event& event, const Peers& peers, Actions& actions) override;
  NodeId id() const override { return self_; }
  std::string_view state_name() const override { return states[std::size_t(state_)].name; }
  std::optional<NodeId> coordinator() const override { return chief_; }
  std::optional<NodeId> watched() const override { return rival_ ? rival_ : chief_; }
  // The rival, as r.
  Variables variables() const override { return {Variable{"r", rival_}}; }
  void visit_fields(FieldVisitor& visit) override;

 protected:
  virtual void on_claim(const Message& claim, Context context);
  void stand_by(NodeId rival, Context context);

 private:
  void on(const Started& event, Context context);
  void on(const Preset& event, Context context);
  void on(const Received& event, Context context);
  void on(const PeerGone& event, Context context);
  void on(const Expired& event, Context context);
  void on(const Suspected& event, Context context);
  void on(const PeerFound& event, Context context);

  void on_objection(NodeId lower, Context context);
  void on_announcement(NodeId chief, Context context);

  void claim(FieldValues why, Context context);
  void become_chief(Context context);
  void enter(State state, Context context);
  bool is_in_election() const { return state_ == State::claimant || state_ == State::bystander; }

  NodeId self_;
  State state_ = State::down;
  std::optional<NodeId> chief_;
  std::optional<NodeId> rival_;  // of a bystander: the lowest that it leaves the office to
  std::vector<NodeId> asked_;    // of a claimant: the lower processes that may still object
};

// The same election told wrongly: its processes stand by for every claimant. So one can see that
// what it breaks is found.
class Meek final : public Lowest {
 public:
  using Lowest::Lowest;

 private:
  void on_claim(const Message& claim, Context context) override { stand_by(claim.from, context); }
};

Algorithm lowest_algorithm();
Algorithm meek_algorithm();
// In each language.
std::span<const OwnWord> lowest_words();

}  // namespace bully::toy
