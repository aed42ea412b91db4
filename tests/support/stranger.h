// stranger.h: somebody who connects to nodes and is no node.
//
// Read next: cluster.h.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "node/system.h"
#include "support/cluster.h"

namespace bully {

// What connections that never say anything are given; an election must not wait for that.
inline constexpr std::int64_t trickle_ns = 1'000'000'000;

// Tries until the node's backlog has room.
Descriptor connect_in_time(const Cluster& cluster, NodeId id);
// Connects, sends `bytes` and closes. A node need not take all of them.
void say(const Cluster& cluster, NodeId id, std::string_view bytes);

// How many messages the node has dropped so far.
std::uint64_t dropped(const Cluster& cluster, NodeId id);
// From the first suspicion after line `first` of the trace to the last following.
std::int64_t election_ns(const std::vector<TraceLine>& trace, std::size_t first);

// Processes that say things to these nodes as fast as they can, each `bytes_of(i)` for i = 0, 1, …,
// to one node after the other, until the end of this object's life.
class Flood {
 public:
  // What they do where a node's backlog is full: wait in line, or press for the next place.
  enum class Manner : std::uint8_t { waiting, pressing };

  Flood(const Cluster& cluster, std::vector<NodeId> to, std::size_t processes, Manner manner,
        const std::function<std::string(std::size_t)>& bytes_of);
  ~Flood();
  Flood(const Flood&) = delete;
  Flood& operator=(const Flood&) = delete;

  // How often they have said something so far, all of them together.
  std::uint64_t said() const { return *said_; }

 private:
  std::atomic<std::uint64_t>* said_;  // in memory that is shared with them
  std::vector<pid_t> pids_;
};

}  // namespace bully
