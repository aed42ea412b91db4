// peer_process.h: the processes behind the names in a directory: the status of each, a proof of its
// identity, and signals to exactly that process. No other unit signals a node by its name.
//
// A name proves nothing, and a reply alone proves little: any PID may be written into it, and a
// node in another PID namespace (a container that shares the directory) writes a PID that means
// another process here. The credentials of a connection prove little as well: they name the process
// that listened first, even if it is dead, its child keeps the socket, and a stranger has its PID.
//
// So a process gets a signal if
//   - it is the very process that the kernel pinned for the connection of the query (SO_PEERPIDFD).
//     Linux before 6.5 gives only its PID: then the process with that PID must be older than the
//     socket, and still have the same start time; and
//   - it has replied with that PID; or its state shows that it is stopped, and its program and
//     arguments show that it is a node.
// Anything unproven is refused, with advice for the user.
//
// Where that is weaker:
//   - macOS gives only the PID, which could be reused since the reply; some BSDs give nothing:
//     there the reply alone must do. Neither shows that a silent process is a stopped node.
//   - If the wall clock was set since the socket was made, its age is wrong by as much.
// A query to a process with a proxy goes to its own socket, aside: its name leads to the proxy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "node/beyond_posix.h"
#include "node/directory.h"
#include "node/status_reply.h"
#include "node/system.h"
#include "values/status.h"

namespace bully {

// --- The nodes' statuses ---

// A node replies within microseconds; a process that has not by then is stopped, or is no node.
inline constexpr Duration reply_patience = std::chrono::milliseconds(500);
// Repeated queries poll silent nodes every fourth round: each query fills a stopped node's backlog.
inline constexpr std::size_t ask_silent_each = 4;

// The status of every name in `directory`, from the lowest id. They are queried together, 200 at a
// time, for `patience` at most. Names in `unasked` are not queried, and have no answer.
std::vector<NodeStatus> query_status(const Directory& directory, Duration patience,
                                     const std::vector<NodeId>& unasked = {});

NodeStatus query_node(const Directory& directory, NodeId id, Duration patience,
                      const Message& question = {.type = messages::status});

// The status of the first live node in `directory` other than `self` that replies; of a peer that
// speaks only the example's protocol, its id and algorithm. Nothing if no node is alive, or if a
// few queried ones stay silent: that takes a third of a second if they are stopped, and two seconds
// if one runs.
std::optional<NodeStatus> ask_one_node(const Directory& directory, NodeId self);

// --- The identity of a process ---

// Why the process of this status gets no signal. Nothing if its reply and the kernel name the same
// PID; or if it cannot reply, but the kernel says that it listens, and it is a stopped node.
std::optional<Refused> refusal_of(const NodeStatus& peer);

// A process that was queried, and pinned then: a signal is for that very process, which a status
// alone cannot say.
struct Asked {
  NodeStatus status = {};
  std::optional<PinnedProcess> process = {};
  Refused refused = {};  // why there is no `process` to signal

  // It did not reply.
  bool may_be_stopped() const { return status.condition == Condition::stopped; }
  // Signals it, and records in `acts`, unless null, that it was killed, stopped or continued.
  // SIGTERM is not recorded: the node itself records that it leaves; nor is a stop of a process
  // that is stopped. Returns 0, or the errno: ESRCH if that process has ended meanwhile. REQUIRES:
  // process.
  int act_on(int number, Sink* acts) const;
};
// The processes behind these nodes, queried now. Waits `patience` at most for their replies. Needs
// a descriptor for each.
std::vector<Asked> identify(const Directory& directory, const std::vector<NodeId>& ids,
                            Duration patience);

// --- The targets of a signal ---

enum class Target : std::uint8_t { coordinator, stopped, lowest, random, all };

struct Choice {
  enum class Outcome : std::uint8_t {
    chosen,
    nobody,            // it could be for no process here
    none_stopped,      // each replies
    no_coordinator,    // no process is coordinator, and none follows one
    coordinator_gone,  // the coordinator that the others still follow is dead
  };
  Outcome outcome = Outcome::chosen;
  std::vector<NodeId> ids = {};  // the targets; if the coordinator is gone, its id
  std::size_t of = 0;            // the number from which they were chosen
};

// Chooses the targets of a signal from these processes alone; queries and signals none. `asked`:
// every name, from the lowest id. `draw(n)` is a random number below n, all equally likely.
// `only_stopped`: a signal that only a stopped process needs; the coordinator gets it in any case.
Choice choose(Target target, const std::vector<Asked>& asked,
              const std::function<std::size_t(std::size_t)>& draw, bool only_stopped = false);

}  // namespace bully
