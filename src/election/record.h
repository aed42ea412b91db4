// record.h: one event at one node, as the trace keeps it; and a snapshot: the state of a process at
// one moment, as seen from outside.
//
// participant.h makes the records of an election, the same in every environment; log, trace file,
// diagrams and verdict are made from them. Frames, pictures and expectations are made from
// snapshots. A snapshot comes from the process itself or, if none can reply, from the trace.
// Neither has wording for people.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/list.h"
#include "election/ping_reply.h"
#include "election/protocol.h"

namespace bully {

enum class TraceEvent : std::uint8_t {
  start,        // the node takes part from now on
  send,         // a message is handed over for delivery
  receive,      // a message has arrived and is handled
  lost,         // a message was given up: `reason` is that of a Loss (participant.h)
  wait,         // `timer` begins, and lasts `longest_ns` at most
  timeout,      // `timer` expired
  suspect,      // `coordinator` is suspected: `reason` is "down", "hung" or "deposed"; or a
                // coordinator has found it by Algorithm::finds: "found"
  state,        // the node's state and variables are these from now on
  coordinator,  // the node follows `coordinator` from now on
  drop,         // bytes came in that are no message: `reason` says why
  leave,        // the node leaves: "stop" in a trace
  crash,        // the node was killed
  rule,         // the node acts by `rule`, a key of its algorithm's rules
  pause,        // the node was stopped (SIGSTOP),
  resume,       // and goes on (SIGCONT)
  end,          // the record of the node ends here, and its process lives on
  partition,    // the network is cut, and from now on the node is on `side` of it;
  heal,         // and the network is whole again
  step,  // the node handled an event without another record: `reason` "resumed", after it was
         // stopped or unreachable; or a suspicion of `coordinator`, which it does not watch
};
inline constexpr std::size_t trace_event_count = 19;

// What a process is given at its start.
struct Given {
  // The coordinator that it has long followed, in place of an election (Preset).
  std::optional<NodeId> preset = std::nullopt;
  std::string_view variant = {};  // of its election, if it is no correct one
  // The identity of a real process's cluster, which is its directory.
  std::optional<std::uint64_t> cluster = std::nullopt;

  // NOLINTNEXTLINE(*-use-nullptr): a false alarm
  auto operator<=>(const Given&) const = default;
};

struct Environment;

struct Record {
  std::int64_t t_ns = 0;  // CLOCK_MONOTONIC, or the simulator's virtual clock
  NodeId node = 0;
  std::int64_t pid = 0;
  // Its place among the lines that the process itself writes, from 1; 0 if another wrote it.
  std::uint64_t n = 0;
  TraceEvent event = TraceEvent::start;
  // send, receive, lost:
  MessageType type = messages::ping;
  NodeId from = 0;
  NodeId to = 0;
  std::optional<std::uint64_t> number = std::nullopt;
  FieldValues values = {};
  // The rest, each in the events named above. The words are constants, never owned.
  std::string_view reason = {};
  std::string_view timer = {};
  std::string_view state = {};
  Variables variables = {};         // state: the protocol's at this moment
  std::string_view algorithm = {};  // start: its name in the table
  std::string_view rule = {};
  std::optional<NodeId> coordinator = std::nullopt;
  // wait; nothing if it has no end, as in a controlled process.
  std::optional<std::int64_t> longest_ns = std::nullopt;
  std::optional<std::uint64_t> side = std::nullopt;  // partition: from 1
  std::shared_ptr<const Given> given = nullptr;      // start. Null: nothing
  // Of no election, and so unknown here: ../trace/environment.h. Null: nothing.
  std::shared_ptr<const Environment> environment = nullptr;
  std::uint32_t line = 0;  // in all files from which it was read; 0 if in none

  // The message of a send, receive or lost.
  Message message() const { return {type, from, number, values}; }
  std::optional<std::uint64_t> get(const Field& field) const { return values.get(type, field); }
  std::optional<std::uint64_t> epoch() const { return get(fields::epoch); }
  // NOLINTNEXTLINE(*-use-nullptr): a false alarm
  auto operator<=>(const Record&) const = default;
};

// True if the record is about a message; about a ping, which is no part of the election; about an
// election's message, whatever the algorithm; and if the node is gone after it.
inline bool is_about_message(const Record& record) {
  return record.event == TraceEvent::send || record.event == TraceEvent::receive ||
         record.event == TraceEvent::lost;
}

inline bool is_about_ping(const Record& record) {
  return is_about_message(record) && record.type == messages::ping;
}

inline bool is_about_election(const Record& record) {
  return is_about_message(record) && record.type.is_of_election();
}

inline bool ends_life(const Record& record) {
  return record.event == TraceEvent::leave || record.event == TraceEvent::crash;
}

// True if another process did this to the node, and so another process recorded it. Only `resume`
// the node may record as well.
inline bool is_act_on(const Record& record) {
  using enum TraceEvent;
  return record.event == crash || record.event == pause || record.event == resume ||
         record.event == end || record.event == partition || record.event == heal;
}

// True if the record is of a step: the event, or a deed of the process. Pings and other
// processes' acts are none; nor are events of any time: bytes are dropped, a message is
// lost on its way, the process leaves.
bool is_of_step(const Record& record);

// True for the event with which a step of its process begins. That a peer is gone is none: its
// line, `lost`, stands within the step that sent the message.
bool begins_step(const Record& record);

// True for the loss of a message that arrived, and that its receiver did not take: the receiver
// records it.
inline bool is_dropped_by_receiver(const Record& record) {
  return record.event == TraceEvent::lost &&
         (record.reason == "crowded" || record.reason == "foreign" || record.reason == "self");
}

// True if the network did this to a message: its sender learns nothing of it.
inline bool is_of_network(const Record& record) {
  return record.event == TraceEvent::lost &&
         (record.reason == "loss" || record.reason == "partition");
}

// The winner that a message of this type from this sender names.
std::optional<NodeId> winner_in(MessageType type, NodeId from, const FieldValues& values);
inline std::optional<NodeId> winner_in(const Record& record) {
  return winner_in(record.type, record.from, record.values);
}

// Receives all records: the trace file, the log on the terminal, a test.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void record(const Record& record) = 0;
  // The node has no more records for now: records held back to be shown together can go out.
  virtual void flush() {}
};

enum class Condition : std::uint8_t {
  absent,   // it has not started, or it has left
  running,  // it takes part
  stopped,  // it is alive but does not react: SIGSTOP
  crashed,  // its name is there, but no process is behind it
};

struct Snapshot {
  NodeId id = 0;
  Condition condition = Condition::absent;
  std::string state = {};  // Protocol::state_name(); "down" if crashed; empty if unknown
  std::optional<NodeId> coordinator = std::nullopt;
  Variables variables = {};

  // True if it is known to be coordinator: by its state, or if that is unknown, as it follows
  // itself.
  bool is_coordinator() const;
  bool is_alive() const {
    return condition == Condition::running || condition == Condition::stopped;
  }
  bool operator==(const Snapshot&) const = default;
};

Snapshot snapshot_of(const Protocol& protocol);
PingReply reply_of(const Protocol& protocol);
PingReply reply_of(const Snapshot& node);
Snapshot crashed_snapshot(NodeId id);

// Applies a record of the snapshot's own node.
void learn(Snapshot& snapshot, const Record& record);

}  // namespace bully
