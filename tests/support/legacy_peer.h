// legacy_peer.h: a peer that speaks only the Python example's protocol, as PROTOCOL.md has it.
//
// A real process of its own, faithful to what makes the example hard to live with:
//   - it binds in the directory, then listens, with a backlog of 1;
//   - it serves one connection at a time, reads until its peer closes or half-closes, and closes
//     only after it has accepted the next one; it never writes on a connection that it accepted;
//   - its messages are `TYPE;FROM`; it knows "1", "E", "PE" and "C";
//   - a child that shares its listening socket pings the coordinator in a busy loop. If the parent
//     is killed, the child stays: connects to its name succeed, and nobody answers.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>

#include "election/message.h"
#include "support/process.h"

namespace bully {

struct LegacyOptions {
  NodeId id = 0;
  bool announces = true;     // sends COORDINATOR when it wins
  bool pings = true;         // its child pings; else it only holds the socket
  bool ids_as_text = false;  // "9" is higher than "10"
};

class LegacyPeer {
 public:
  // Starts it, and returns when it listens.
  LegacyPeer(std::string directory, const LegacyOptions& options);
  // Ends both of its processes.
  ~LegacyPeer() { kill(); }
  LegacyPeer(const LegacyPeer&) = delete;
  LegacyPeer& operator=(const LegacyPeer&) = delete;

  // SIGKILL to the parent alone: its child becomes a ghost.
  void kill_parent() { parent_.kill(); }
  // And to both: its name stays, with nobody behind it.
  void kill();

  // Whom it follows, as far as it knows; no_one during an election.
  static constexpr NodeId no_one = ~NodeId{0};
  NodeId coordinator() const { return common_->coordinator; }
  // Messages and pings that it has read, and pings that its child has sent.
  std::uint64_t received() const { return common_->received; }
  std::uint64_t pings_sent() const { return common_->pings_sent; }

  // What its two processes and the test share.
  struct Common {
    std::atomic<bool> listens = false;
    std::atomic<NodeId> coordinator = no_one;
    std::atomic<std::uint64_t> received = 0;
    std::atomic<std::uint64_t> pings_sent = 0;
    std::atomic<pid_t> child = 0;
  };

 private:
  const SharedMemory<Common> common_;
  Child parent_;
};

}  // namespace bully
