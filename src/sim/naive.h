// naive.h: the bully election as it is often told wrongly, for comparison only.
//
// This process holds one election per ELECTION that it receives, whether or not it is holding one
// already. It elects the right coordinator, at a cost that doubles with every process: 382 messages
// where eight processes should need 55. Nothing but lessons uses it. Read next: lessons.h.
#pragma once

#include "election/protocol.h"

namespace bully {

class Naive : public Protocol {
 public:
  explicit Naive(NodeId self) : self_(self) {}

  void handle(const Event& event, const Peers& peers, Actions& actions) override;
  NodeId id() const override { return self_; }
  std::string_view state_name() const override;
  std::optional<NodeId> coordinator() const override { return coordinator_; }
  void save(std::vector<std::uint64_t>& words) const override;
  void load(std::span<const std::uint64_t> words) override;

 private:
  void on_message(const Message& message, const Peers& peers, Actions& actions);
  void hold_election(const Peers& peers, Actions& actions);
  void become_coordinator(const Peers& peers, Actions& actions);

  NodeId self_;
  std::optional<NodeId> coordinator_;
  std::uint64_t unanswered_ = 0;  // higher processes asked that are not known to be gone
  bool answered_ = false;         // and one of them has taken over
};

}  // namespace bully
