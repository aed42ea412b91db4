// peers_in_step.h: the peers as a step sees them, and as its process has seen them before, so that
// a trace can tell which changes the step sees.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "election/protocol.h"
#include "election/record.h"

namespace bully {

class KnownPeers : public Peers {
 public:
  std::span<const NodeId> ids() const override { return ids_; }
  NodeId next_of(NodeId id) const override;

  // From now on as a step has seen them.
  void take(const Given& given);

 private:
  std::vector<NodeId> ids_;
  // On a ring that is not in the order of ids: the next id after each that it has asked for.
  std::map<NodeId, NodeId> neighbours_;
};

// The peers of one step. The process knows from then on whom it sees there.
class PeersInStep : public Peers {
 public:
  // Both must outlive this object.
  PeersInStep(const Peers& peers, KnownPeers& known) : peers_(peers), known_(known) {}

  std::span<const NodeId> ids() const override;
  NodeId next_of(NodeId id) const override;

  // News to it, so far.
  const Given& news() const { return news_; }

 private:
  const Peers& peers_;
  KnownPeers& known_;
  mutable bool has_looked_ = false;
  mutable Given news_;
};

}  // namespace bully
