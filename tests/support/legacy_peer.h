// legacy_peer.h: a peer that speaks only the Python example's protocol, as PROTOCOL.md has it.
//
// A real process of its own, faithful to what makes the example hard to live with:
//   - it binds in the directory, then listens, with a backlog of 1;
//   - it serves one connection at a time, reads until its peer closes or half-closes, and closes
//     only after it has accepted the next one; it never writes on a connection that it accepted;
//   - its messages are `TYPE;FROM`; it knows "1", "E", "PE" and "C";
//   - a child that shares its listening socket pings the coordinator in a busy loop. If the parent
//     is killed, the child stays: connects to its name succeed, and nobody answers.
// Read next: cluster.h.
#pragma once

#include <sys/types.h>

#include <string>

#include "election/message.h"

namespace bully {

struct LegacyOptions {
  NodeId id = 0;
  bool announces = true;     // sends COORDINATOR when it wins
  bool pings = true;         // its child pings; else it only holds the socket
  bool ids_as_text = false;  // "9" is higher than "10"
};

// What its two processes and the test share.
struct LegacyShared;

class LegacyPeer {
 public:
  // Starts it, and returns when it listens.
  LegacyPeer(std::string directory, const LegacyOptions& options);
  // Ends both of its processes.
  ~LegacyPeer();
  LegacyPeer(const LegacyPeer&) = delete;
  LegacyPeer& operator=(const LegacyPeer&) = delete;

  // SIGKILL to the parent alone: its child becomes a ghost.
  void kill_parent();
  // And to both: its name stays, with nobody behind it.
  void kill();

  // Whom it follows, as far as it knows; no_one during an election.
  static constexpr NodeId no_one = ~NodeId{0};
  NodeId coordinator() const;
  // Messages and pings that it has read, and pings that its child has sent.
  std::uint64_t received() const;
  std::uint64_t pings_sent() const;

 private:
  LegacyShared* shared_;
  pid_t pid_ = 0;
};

}  // namespace bully
