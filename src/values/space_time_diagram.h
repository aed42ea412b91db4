// space_time_diagram.h: a run as a space-time diagram, before anything is drawn.
//
// A lane for each process, from the lowest id; steps in the order of time; messages from the step
// that sent them to the step that took them. A step is one event at one process (a message, a
// timer's end, a suspicion) with the process's whole reaction. All pictures of a run draw this data
// (../pictures/diagram.h). The map of all runs within bounds consists of its parts
// (../explorer/explorer_map.cc).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "election/algorithm.h"
#include "election/record.h"

namespace bully {

struct Diagram {
  // The sign beside a process: it acts in the step of a run; a timer of it runs in a state of a
  // map.
  enum class Mark : std::uint8_t { none, acts, waits };
  // A process at a moment, as pictures draw it: its snapshot, its lane and its sign.
  struct Place {
    std::size_t lane = 0;
    Snapshot node = {};
    Mark mark = Mark::none;

    bool operator==(const Place&) const = default;
  };

  struct Message {
    MessageType type = messages::ping;
    std::size_t from = 0;  // lanes
    std::size_t to = 0;
    FieldValues values = {};
    // Steps. Without `ended`: in flight at the end. Without `sent`: from before, or from a process
    // without a trace.
    std::optional<std::size_t> sent = std::nullopt;
    std::optional<std::size_t> ended = std::nullopt;
    bool lost = false;          // with `ended`; otherwise received
    bool finds_nobody = false;  // with `lost`: no process was behind its receiver's address

    bool is_received() const { return ended && !lost; }
    bool operator==(const Message&) const = default;
  };

  struct Step {
    std::size_t lane = 0;
    std::int64_t t_ns = 0;        // since the first step
    std::size_t from_record = 0;  // its first one's place in the trace
    TraceEvent event = TraceEvent::start;
    // The reaction. Empty for an unrecorded crash, which is placed where others detect it.
    std::vector<Record> records = {};
    bool restart = false;  // a start, of a process that was there before
    // Messages, by their index in `messages`; `ended` is the message that was received or lost.
    std::vector<std::size_t> sent = {};
    std::optional<std::size_t> ended = std::nullopt;
    Snapshot before = {};
    Snapshot after = {};
    bool observed = false;  // by a recorder: the process is known from its links alone
    std::vector<std::size_t> stopped = {};  // lanes alive but without reaction after it
    // By lane, the side of a cut network on which it is after it, from 1; empty if it is not cut.
    std::vector<std::uint64_t> sides = {};
  };

  // An election that is over after this number of steps: its messages, and the textbook's.
  struct Counted {
    std::size_t steps = 0;
    MessageCounts sent = {};
    MessageCounts textbook = {};
  };

  // The processes' algorithm; the first, if they run several. Never null.
  const Algorithm* algorithm = &default_algorithm();
  std::vector<NodeId> lanes = {};
  std::vector<Snapshot> before = {};      // by lane, at the beginning
  std::vector<Snapshot> after = {};       // and at the end
  std::vector<std::uint64_t> sides = {};  // as in a step, at the beginning
  std::vector<Step> steps = {};
  std::vector<Message> messages = {};
  std::vector<Counted> counted = {};  // by time; none that the textbook does not count
  // The coordinator at the end; among several, the right one.
  std::optional<NodeId> winner = {};
  bool observed = false;  // one of its processes, at the end

  // As the textbook of its election counts messages.
  bool counts(const Message& message) const {
    return message.type.is_of_election() && (algorithm->counts_lost || !message.finds_nobody);
  }
  // The number of steps that begin before this record of the trace.
  std::size_t steps_before(std::size_t record) const {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(steps, record, {}, &Step::from_record) - steps.begin());
  }
};

}  // namespace bully
