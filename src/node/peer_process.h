// peer_process.h: the processes behind the names in a directory: what each says of itself, which
// one it is, proven, and a signal to exactly that one. Nothing else signals a node by its name.
//
// A name proves nothing, and a reply alone proves little: any PID may be written into it, and a
// node in another PID namespace (a container that shares the directory) writes one that means
// another process here. Nor do the credentials of a connection alone: they name the process that
// listened first, though it is dead, a child of its keeps the socket, and the PID is a stranger's.
//
// So a process gets a signal if
//   - it is the very process that the kernel pins for this connection (SO_PEERPIDFD). Linux before
//     6.5 only tells its PID: then the process that has it must be older than the socket; and
//   - it has replied with that PID; or it is stopped, which its state shows, and is a node, which
//     its program and its arguments show.
// Whatever cannot be proven is refused, and the user is told what to do about it.
//
// Where that is weaker:
//   - macOS tells the PID alone, which could be reused since the reply; some BSDs tell nothing:
//     there the reply alone must do. Neither shows that a silent process is a stopped node.
//   - If the wall clock was set since the socket was made, its age is wrong by as much.
// A process with a stand-in is asked at its own socket, aside: its name leads to the stand-in.
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
// Repeated queries ask silent nodes once in so many times: each fills a stopped node's backlog.
inline constexpr std::size_t ask_silent_each = 4;

// The status of every name in `directory`, from the lowest id. They are asked together, and waited
// for `patience` at most. Those in `unasked` are not asked, and have no answer.
std::vector<NodeStatus> query_status(const Directory& directory, Duration patience,
                                     const std::vector<NodeId>& unasked = {});

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
  stopped,  // it cannot reply, but the kernel says that it listens, and it is a node
};

struct Refused {
  enum class Why : std::uint8_t {
    unknown,       // there is no such name
    dead,          // no process is behind the name
    silent,        // one listens, but has not shown to be a node
    unidentified,  // one listens, and the system does not say which: its backlog is full, say
    contradicted,  // the reply says `claimed`, the kernel `listener`
    foreign,       // it replied, and has no PID here: it lives in another PID namespace
    reserved,      // `listener` is init, or this very process
  };
  Why why = Why::unknown;
  std::int64_t listener = 0;
  std::int64_t claimed = 0;
};

struct Proven {
  pid_t pid = 0;
  Proof proof = Proof::replied;
};
// The PID of the process that listens at the other end of `connection`, as the kernel remembers it.
// 0 if this system does not tell, or if that process lives in another PID namespace and has no PID
// here. It may be dead if a child of its keeps the socket.
pid_t listener_pid(const Descriptor& connection);
// Whether the name's process is proven, if the one with that PID listens; asks no node.
std::variant<Proven, Refused> authenticate(const NodeStatus& peer);

struct PeerProcess {
  PinnedProcess process;
  Proof proof = Proof::replied;

  pid_t pid() const { return process.pid(); }
  // Returns 0, or the errno: ESRCH if that process has ended meanwhile.
  int signal(int number) const { return process.signal(number); }
  // The same; and writes to `acts`, if that is not null, that this process, node `id`, was killed,
  // stopped or continued. Of SIGTERM nothing: the node writes itself that it leaves.
  int act_on(NodeId id, int number, Sink* acts) const;
};

// The process behind node `id`, asked now. Waits `patience` at most for its reply.
std::variant<PeerProcess, Refused> identify(const Directory& directory, NodeId id,
                                            Duration patience);

// --- For whom a signal is meant ---

enum class Target : std::uint8_t { coordinator, stopped, lowest, random, all };

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
