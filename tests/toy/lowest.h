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
  // A chief and those who follow it are its one group.
  std::optional<Group> group() const override {
    return chief_ ? std::optional(Group{*chief_, 1}) : std::nullopt;
  }
  // The rival, as r.
  Variables variables() const override { return {Variable{"r", rival_}}; }
  void visit_fields(FieldVisitor& visit) override;

 protected:
  virtual void on_claim(const Message& claim, Turn turn);
  void stand_by(NodeId rival, Turn turn);

 private:
  void on(const Started& event, Turn turn);
  void on(const Preset& event, Turn turn);
  void on(const Received& event, Turn turn);
  void on(const PeerGone& event, Turn turn);
  void on(const Expired& event, Turn turn);
  void on(const Suspected& event, Turn turn);
  void on(const Found& event, Turn turn);

  void on_objection(NodeId lower, Turn turn);
  void on_announcement(NodeId chief, Turn turn);

  void claim(FieldValues why, Turn turn);
  void become_chief(Turn turn);
  void enter(State state, Turn turn);
  bool holds_election() const { return state_ == State::claimant || state_ == State::bystander; }

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
  void on_claim(const Message& claim, Turn turn) override { stand_by(claim.from, turn); }
};

Algorithm lowest_algorithm();
Algorithm meek_algorithm();
// In each language.
std::span<const OwnWord> lowest_words();

}  // namespace bully::toy
