// explorer_replay.h: a counterexample, played again with real protocols.
//
// It does not use the explorer's model: that the steps can be played at all is a check on it. It
// makes no trace: the script that explorer_scenario.h makes of it can be played for that.
// Read next: explorer.h.
#pragma once

#include <vector>

#include "sim/explorer.h"

namespace bully {

// Told what a replay does, in more detail than a trace would say.
class ReplayWatcher {
 public:
  virtual ~ReplayWatcher() = default;
  // Before it is done. `order`: deliver only: which of the messages of its type and sender that are
  // in flight to the node it is, the oldest being 1, and how many of these there are.
  struct Order {
    std::size_t number = 1;
    std::size_t of = 1;
  };
  virtual void on_step(const ExploreStep& /*step*/, Order /*order*/) {}
  // `node` is about to be told PeerGone, as the first of `times` that are due to it about `peer`.
  virtual void on_gone(NodeId /*node*/, NodeId /*peer*/, std::size_t /*times*/) {}
  // It crashes, so that this is not sent. Just as many of the type are in flight between the two.
  virtual void on_withheld(NodeId /*from*/, const Send& /*send*/, std::size_t /*in_flight*/) {}
  virtual void on_crashed_midway(NodeId /*node*/) {}
};

// Where the nodes stand at the end of a replay.
struct ReplayEnd {
  struct Node {
    bool live = false;
    bool started = false;  // ever
    std::optional<NodeId> coordinator = std::nullopt;
    bool will_be_told = false;  // a COORDINATOR of a higher node is in flight to it
  };
  std::vector<Node> nodes;  // node 1 first
};

// Plays `steps` from the beginning that `options` name, and tells `watcher`. Throws
// std::invalid_argument for a step that is not possible.
ReplayEnd replay(const ExploreOptions& options, const ProtocolMaker& make,
                 const std::vector<ExploreStep>& steps, ReplayWatcher& watcher);

}  // namespace bully
