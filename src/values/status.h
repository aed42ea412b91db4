// status.h: a node's reply to a status query (../node/status_reply.h).
//
// `bully ps` shows these replies.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "election/record.h"

namespace bully {

// What the status of a controlled node adds: the process that it watches, and its timers, which do
// not expire by themselves.
struct Controlled {
  struct RunningTimer {
    std::uint64_t start = 0;     // this start's number, counted from 1; 0: it does not run
    std::uint64_t attempts = 0;  // as in StartTimer
    bool operator==(const RunningTimer&) const = default;
  };
  std::optional<NodeId> watched = std::nullopt;
  std::array<RunningTimer, timer_count> timers = {};
};

// A snapshot, with the rest that a reply or the kernel says of a process: a trace says none of it.
// A node's reply, or the view of a name in the directory: `stopped` is then any process that
// listens but does not reply, and `crashed` a name with no process behind it. Without a reply only
// the id is known, and the PID if the kernel reports it.
struct NodeStatus : Snapshot {
  std::int64_t pid = 0;          // a valid one: positive, and no larger than a pid_t
  std::int64_t listener = 0;     // the PID of the listening process, if the kernel reports it
  std::string algorithm = {};    // empty: unknown, as of the Python example
  std::int64_t monitor_pid = 0;  // 0: no monitor watches for it at present
  std::int64_t uptime_ms = 0;
  MessageCounts sent = {};
  MessageCounts received = {};
  std::uint64_t dropped = 0;
  std::optional<Controlled> controlled = {};
  bool observed = false;   // by a recorder, and known from its links alone: it has not replied
  bool is_halted = false;  // it does not reply, and the kernel says that it is stopped
};

// Why a process gets no signal (../node/peer_process.h).
struct Refused {
  enum class Why : std::uint8_t {
    unknown,       // there is no such name
    dead,          // no process is behind the name
    silent,        // a process listens, but has not identified itself as a node
    unidentified,  // a process listens, and the system does not say which: its backlog is full, say
    contradicted,  // the reply says `claimed`, the kernel `listener`
    foreign,       // it replied, and has no PID here: it lives in another PID namespace
    reserved,      // `listener` is init, or this very process
  };
  Why why = Why::unknown;
  std::int64_t listener = 0;
  std::int64_t claimed = 0;
};

}  // namespace bully
