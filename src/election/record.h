// record.h: one thing that happened at one node, as the trace keeps it; and what a process is at
// one moment, for everyone who looks at it from outside.
//
// participant.h makes the records of an election, for every world alike; log, trace file, diagrams
// and verdict are made from them. Frames, pictures and expectations are made from snapshots; if
// nobody can be asked, those follow from a trace. Neither has wording for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "election/ping_reply.h"
#include "election/protocol.h"

namespace bully {

enum class TraceEvent : std::uint8_t {
  start,        // the node takes part from now on
  send,         // a message is handed over for delivery
  receive,      // a message has arrived and is handled
  lost,         // a message was given up: `reason` is that of a Loss (participant.h)
  timeout,      // `timer` expired
  suspect,      // `coordinator` is suspected: `reason` is "down", "hung" or "deposed"; or it
                // is what a coordinator looks for: "found"
  state,        // the node's state is `state` from now on, and its variables are these
  coordinator,  // the node follows `coordinator` from now on
  drop,         // something that came in was no message, or none for this node: `reason` says why
  stop,         // the node leaves
  crash,        // the node was killed
  rule,         // the node acts by `rule`, a key of one of its algorithm's rules
  pause,        // the node was stopped (SIGSTOP),
  resume,       // and goes on (SIGCONT)
  end,          // the record of the node ends here, and its process lives on
};
inline constexpr std::size_t trace_event_count = 15;

// By what means a process notices that another is gone, and how long it waits. Without a name of
// the detector nothing is known: an older program wrote the trace, or a recorder for a stranger.
struct Waits {
  std::string_view detector = {};  // "ping", "eof"; "off": nothing tells it of another's end
  std::int64_t ping_interval_ns = 0;
  std::int64_t ping_timeout_ns = 0;
  std::int64_t answer_timeout_ns = 0;
  std::int64_t coordinator_timeout_ns = 0;
  std::int64_t pace_ns = 0;  // before each message
};

struct Record {
  std::int64_t t_ns = 0;  // CLOCK_MONOTONIC, or the simulator's virtual clock
  NodeId node = 0;
  std::int64_t pid = 0;
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
  Variables variables = {};         // state: the protocol's, at this moment
  std::optional<Group> group = {};  // state: in which it is
  std::string_view algorithm = {};  // start: its name in the table
  Waits waits = {};                 // start
  // start: the node writes no trace. All that is known of it was seen on its links, by a recorder.
  bool observed = false;
  // coordinator: as its own reply to a ping says. Of an observed node all else is inferred.
  bool said = false;
  std::string_view rule = {};
  std::optional<NodeId> coordinator = std::nullopt;

  std::optional<std::uint64_t> get(const Field& field) const { return values.get(type, field); }
  std::optional<std::uint64_t> epoch() const { return get(fields::epoch); }
};

// Whether it tells of a message's way; of a ping's, and so not of the election; of an election's
// message, whatever the algorithm; and whether the node is not there any more after it.
inline bool is_about_message(const Record& record) {
  return record.event == TraceEvent::send || record.event == TraceEvent::receive ||
         record.event == TraceEvent::lost;
}

inline bool is_about_ping(const Record& record) {
  return is_about_message(record) && record.type->role == Role::pings;
}

inline bool is_about_election(const Record& record) {
  return is_about_message(record) && record.type.is_of_election();
}

inline bool ends_life(const Record& record) {
  return record.event == TraceEvent::stop || record.event == TraceEvent::crash;
}

// Whether this was done to the node, and so recorded by whoever did or saw it. Only that it goes on
// after a stop it records itself as well.
inline bool is_act_on(const Record& record) {
  return record.event == TraceEvent::crash || record.event == TraceEvent::pause ||
         record.event == TraceEvent::resume || record.event == TraceEvent::end;
}

// Whether the network did this to a message, of which its sender hears nothing.
inline bool is_of_network(const Record& record) {
  return record.event == TraceEvent::lost &&
         (record.reason == "loss" || record.reason == "partition");
}

// Whom a message of this type, from that one, names as the winner of an election.
std::optional<NodeId> winner_in(MessageType type, NodeId from, const FieldValues& values);
inline std::optional<NodeId> winner_in(const Record& record) {
  return winner_in(record.type, record.from, record.values);
}

// Where all that happens is told: the trace file, the log on the terminal, a test.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void record(const Record& record) = 0;
  // The node has nothing more to say for now: what was held back to be shown together can go out.
  virtual void flush() {}
};

enum class Condition : std::uint8_t {
  absent,   // it has not started, or it has left
  running,  // it takes part
  stopped,  // it is there but does not react: SIGSTOP
  crashed,  // its name is there, but no process behind it
};

struct Snapshot {
  NodeId id = 0;
  Condition condition = Condition::absent;
  std::string state = {};  // Protocol::state_name(); "down" if crashed; empty if unknown
  std::optional<NodeId> coordinator = std::nullopt;
  std::optional<Group> group = std::nullopt;
  Variables variables = {};
  // The latest election of which it has sent a message, if they have numbers. Only records tell.
  std::optional<std::uint64_t> epoch = std::nullopt;
  bool observed = false;  // it was seen on its links alone: it has no state that anyone knows

  // Whether it is known to be coordinator: as its state says, or as it has announced.
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

using Snapshots = std::map<NodeId, Snapshot>;

// Takes in what a record says of its own node.
void learn(Snapshot& snapshot, const Record& record);

}  // namespace bully
