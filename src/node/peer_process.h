// peer_process.h: which process stands behind a name in the directory, proven; and a signal to
// exactly that one. Nothing else signals a node by its name.
//
// A name proves nothing, and a reply alone proves little: whoever answers may write any PID into
// it, and a node in another PID namespace (a container that shares the directory) writes one that
// means another process here. So the kernel is asked who listens, and what it says must agree with
// the reply. A stopped node cannot reply: it is known by the kernel's word and its program's name.
//
// What this relies on:
//   - Linux: SO_PEERCRED says who listens. The process is pinned before it is asked
//     (pinned_process.h), so a PID that is reused between question and signal is not signalled.
//   - Where a process cannot be pinned (Linux before 5.3, macOS): the kernel is asked again right
//     before kill(2). In the microseconds between, a PID could be reused.
//   - Where the kernel does not say who listens (some BSDs): on the reply alone.
//
// It never decides whom to signal: for that see target.h. Read next: query.h.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <variant>

#include "node/clock.h"
#include "node/directory.h"
#include "node/pinned_process.h"
#include "trace/status.h"

namespace bully {

// How a process has shown that it is the node of its name.
enum class Proof : std::uint8_t {
  replied,  // its reply and the kernel name the same PID
  named,    // it does not reply, but the kernel says that it listens, and that it is a `bully`
  forced,   // it does not reply; the user wants it all the same
};

struct Refused {
  enum class Why : std::uint8_t {
    unknown,       // there is no such name
    dead,          // no process is behind the name
    silent,        // one listens, but has not shown to be a node
    unidentified,  // forced, but the system does not say who listens, and it is not the PID `id`
    contradicted,  // the reply says `claimed`, the kernel `listener`
    foreign,       // it replied, and has no PID here: it lives in another PID namespace
    reserved,      // `listener` is init, or this very process
  };
  Why why = Why::unknown;
  std::int64_t listener = 0;
  std::int64_t claimed = 0;
};

// A PID and how it was proven.
struct Proven {
  pid_t pid = 0;
  Proof proof = Proof::replied;
};
// Whether what is known of this name is proof enough, by itself; asks no node.
std::variant<Proven, Refused> judge(const PeerStatus& peer, bool force);

class PeerProcess {
 public:
  PeerProcess(PinnedProcess process, Proof proof, std::string socket)
      : process_(std::move(process)), proof_(proof), socket_(std::move(socket)) {}

  pid_t pid() const { return process_.pid(); }
  Proof proof() const { return proof_; }
  // Returns 0, or the errno: ESRCH where that process has ended meanwhile.
  int signal(int number) const;

 private:
  bool is_still_there() const;

  PinnedProcess process_;
  Proof proof_;
  std::string socket_;
};

// The process behind node `id`, asked now. Waits `patience` at most, where it does not reply.
// `force`: also one that has not shown to be a node.
std::variant<PeerProcess, Refused> identify(const Directory& directory, NodeId id,
                                            Duration patience, bool force = false);

}  // namespace bully
