// record.h: one thing that happened at one node, as the trace keeps it.
//
// participant.h makes the records of an election, for every world alike; the log that a student
// sees, the trace file, the diagrams and the verdict are all made from them. A record has no
// wording for people. Read next: ../trace/writer.h, and ../view/log.h for the words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "election/protocol.h"

namespace bully {

enum class TraceEvent : std::uint8_t {
  start,        // the node takes part from now on
  send,         // a message is handed over for delivery
  receive,      // a message has arrived and is handled
  lost,         // a message was given up: `reason` is that of a Loss (participant.h)
  timeout,      // `timer` expired
  suspect,      // `coordinator` is suspected: `reason` is "down", "hung" or "deposed"
  state,        // the node's state is `state` from now on, and its variables are these
  coordinator,  // the node follows `coordinator` from now on
  drop,         // something that came in was no message, or none for us: `reason` says why
  stop,         // the node leaves
  crash,        // the node was killed; written by whoever killed it, never by the node
};
inline constexpr std::size_t trace_event_count = 11;

struct Record {
  std::int64_t t_ns = 0;  // CLOCK_MONOTONIC, or the simulator's virtual clock
  NodeId node = 0;
  std::int64_t pid = 0;
  TraceEvent event = TraceEvent::start;
  // send, receive, lost:
  MessageType type = MessageType::ping;
  NodeId from = 0;
  NodeId to = 0;
  std::optional<std::uint64_t> number = std::nullopt;
  std::optional<std::uint64_t> subject = std::nullopt;  // see Message
  std::optional<std::uint64_t> epoch = std::nullopt;
  // The rest, each in the events named above. The words are constants, never owned.
  std::string_view reason = {};
  std::string_view timer = {};
  std::string_view state = {};
  Variables variables = {};         // state: the protocol's, at this moment
  std::string_view algorithm = {};  // start: its name in the table
  std::optional<NodeId> coordinator = std::nullopt;
};

// Whether it tells of a message's way.
inline bool is_about_message(const Record& record) {
  return record.event == TraceEvent::send || record.event == TraceEvent::receive ||
         record.event == TraceEvent::lost;
}

// Of a ping's, and so not of the election.
inline bool is_about_ping(const Record& record) {
  return is_about_message(record) && record.type == MessageType::ping;
}

// Of an election's message, whatever the algorithm.
inline bool is_about_election(const Record& record) {
  return is_about_message(record) && record.type != MessageType::ping &&
         record.type != MessageType::status;
}

// Whether the node is not there any more after it.
inline bool ends_life(const Record& record) {
  return record.event == TraceEvent::stop || record.event == TraceEvent::crash;
}

// Whether a node in this state holds no election: Protocol::state_name promises these words.
inline bool is_settled_state(std::string_view state) {
  return state == "follower" || state == "coordinator";
}

// Whoever wants to know what happens: the trace file, the log on the terminal, a test.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void record(const Record& record) = 0;
  // The node has nothing more to say for now: what was held back to be shown together can go out.
  virtual void flush() {}
};

}  // namespace bully
