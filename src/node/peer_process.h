// peer_process.h: the processes behind the names in a directory: what each says of itself, which
// one it is, proven, and a signal to exactly that one. Nothing else signals a node by its name.
//
// A name proves nothing, and a reply alone proves little: any PID may be written into it, and a
// node in another PID namespace (a container that shares the directory) writes one that means
// another process here. So the kernel is asked who listens, and must agree with the reply. A
// stopped node cannot reply: it is known by the kernel's word and its program's name.
//
// What this relies on:
//   - Linux: SO_PEERCRED says who listens. The process is pinned before it is asked, so a PID that
//     is reused between question and signal is not signalled.
//   - If a process cannot be pinned (Linux before 5.3, macOS): the kernel is asked again right
//     before kill(2). In the microseconds between, a PID could be reused.
//   - A process that has a stand-in is asked at its own socket, aside: it is the stand-in that
//     listens under its name.
//   - If the kernel does not say who listens (some BSDs): on the reply alone.
//
// Read next: aside.h, ../trace/status.h.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "node/directory.h"
#include "node/system.h"
#include "trace/status.h"

namespace bully {

// --- What the nodes say ---

// A node replies within microseconds; one that has not by then is stopped, or is not a node.
inline constexpr Duration reply_patience = std::chrono::milliseconds(500);
// Who asks all nodes again and again asks those that are silent each so many times only: to ask a
// stopped node would fill its backlog.
inline constexpr std::size_t ask_silent_each = 4;

// The status of every name in `directory`, from the lowest id. They are asked together, and waited
// for `patience` at most. Those in `unasked` are not asked, and have no answer.
std::vector<NodeStatus> query_status(const Directory& directory, Duration patience,
                                     const std::vector<NodeId>& unasked = {});

// The same of node `id` alone, by the path of its socket.
NodeStatus query_node(const std::string& path, NodeId id, Duration patience,
                      const Message& question = {.type = messages::status});

// The status of one live node in `directory` that is not `self`, whichever replies; of a peer that
// speaks only the example's protocol, its id and algorithm. Nothing if nobody lives, or if a few
// that were asked stay silent, which takes them a third of a second.
std::optional<NodeStatus> ask_one_node(const Directory& directory, NodeId self);

// --- Which process it is ---

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
std::variant<Proven, Refused> judge(const NodeStatus& peer, bool force);

struct PeerProcess {
  PinnedProcess process;
  Proof proof = Proof::replied;
  std::function<Connection()> connect;  // to it; the directory outlives this

  pid_t pid() const { return process.pid(); }
  // Returns 0, or the errno: ESRCH if that process has ended meanwhile.
  int signal(int number) const;
  // The same; and writes to `acts`, if that is not null, that this process, node `id`, was killed,
  // stopped or continued. Of SIGTERM nothing: the node writes itself that it leaves.
  int act_on(NodeId id, int number, Sink* acts) const;
};

// The process behind node `id`, asked now. Waits `patience` at most for its reply. `force`: also
// one that has not shown to be a node.
std::variant<PeerProcess, Refused> identify(const Directory& directory, NodeId id,
                                            Duration patience, bool force = false);

// --- For whom a signal is meant ---

enum class Target : std::uint8_t { coordinator, stopped, lowest, random, all };

// A name in the directory.
struct Candidate {
  NodeStatus peer;
  bool proven = false;  // its process may be signalled
};

struct Choice {
  enum class Outcome : std::uint8_t {
    chosen,
    nobody,            // nobody is there whom it could be for
    none_stopped,      // each replies
    no_coordinator,    // nobody is coordinator, and nobody follows one
    coordinator_gone,  // the one that the others still follow is dead
  };
  Outcome outcome = Outcome::chosen;
  std::vector<NodeId> ids = {};  // whom; of a coordinator that is gone, its id
  std::size_t of = 0;            // from how many they were chosen
};

// For whom a signal is meant. It looks only at what it is given, and asks and signals nobody.
// `candidates`: every name, from the lowest id. `draw(n)` is a number below n, each as likely.
Choice choose(Target target, const std::vector<Candidate>& candidates,
              const std::function<std::size_t(std::size_t)>& draw);

}  // namespace bully
