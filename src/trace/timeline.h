// timeline.h: from a trace: the incarnations of its processes, and the pairs of sendings and
// receipts [Lamport 1978], as far as records show them.
//
// A process that is killed with SIGKILL or stopped writes no last line. Unless the trace has a
// `crash`, other records show its end: the first message that found it gone, the first suspicion
// "down", or the start of its successor. A node that received messages, but took no step for longer
// than any live node does, counts as absent until its next step.
//
// Sender, receiver, type and the sender's number identify a message. A node that comes back under
// its old id counts from 1 again: then incarnations and times decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "election/algorithm.h"
#include "trace/trace.h"

namespace bully {

inline constexpr std::size_t no_record = 0xFFFFFFFF;

// A process under one id, from its start to its end.
struct Incarnation {
  NodeId node = 0;
  std::int64_t pid = 0;
  // Its first and last own records, without its monitor's pings, since a monitor may outlive it.
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t last_but_sendings = 0;
  // Its last deed or event; a rule alone is none. no_record: there is none.
  std::size_t last_step = no_record;
  bool begins = false;  // with `start`: the trace has all of it
  bool left = false;    // by itself, with the line `stop`
  // Its last sign of life: its own, or an act on its process.
  std::size_t last_sign = 0;
  // The record from which it counts as gone; no_record: never. The record that shows it, unless
  // only its name is gone.
  std::size_t gone = no_record;
  std::size_t shown_dead = no_record;
  // As its start says. Without one, or if a recorder wrote it: the defaults of this program.
  Waits waits = {{}, 1'000'000'000, 1'000'000'000, 500'000'000, 1'000'000'000};
  // Messages sent before this record may have missed it: its predecessor was there.
  std::size_t hears_from = 0;
};

// From record `from` up to, but not including, record `to` the node did not react.
struct Outage {
  std::size_t incarnation = 0;  // index into Timeline::incarnations
  std::size_t from = 0;
  std::size_t to = no_record;
};

// The sign that a record gives of its node's part in an election.
struct Sign {
  enum class Kind : std::uint8_t { none, holds, wins, follows };
  Kind kind = Kind::none;                  // holds: an election
  std::optional<NodeId> coordinator = {};  // wins, follows: its coordinator from now on

  bool is(Kind other) const { return kind == other; }
  bool holds() const { return kind == Kind::holds; }
  explicit operator bool() const { return kind != Kind::none; }
};
Sign sign_of(const Record& record);

// A process's belief about its coordinator: the latest of its signs so far.
struct Belief : Sign {
  // The record with which it began to follow this coordinator, or none.
  std::size_t since = no_record;

  void take(const Sign& shown, std::size_t i) {
    if (!shown) return;
    if (!*this || coordinator != shown.coordinator) since = i;
    Sign::operator=(shown);
  }
};

// Indexes of records take 32 bits each, to halve the memory of a long trace.
struct Timeline {
  // The nodes' algorithms, as their starts say, in the order of the table: one, unless different
  // ones met in this trace. Without a start, the first that has all the messages in the trace.
  std::vector<const Algorithm*> algorithms;
  std::vector<NodeId> nodes;                                   // with records, from the lowest
  std::vector<Incarnation> incarnations;                       // by their first record
  std::multimap<std::size_t, std::size_t> ends;                // these, by Incarnation::gone
  std::unordered_map<NodeId, std::vector<std::size_t>> lives;  // by node: its incarnations
  std::vector<Outage> outages;
  // Nodes that receive or send messages, but have no record: they speak only the example's
  // protocol, or their trace is missing. Names of the dead are not among them.
  std::vector<NodeId> names_only;
  std::vector<std::uint32_t> incarnation_of;  // by record: index into incarnations
  // A node that does not react for longer is absent.
  std::int64_t outage_ns = 0;
  // partner[i], for a send: its receipt, or the record of its loss; for a receive or a lost: its
  // sending, which comes before it. Otherwise no_record.
  std::vector<std::uint32_t> partner;

  std::size_t index_of(const Incarnation& incarnation) const {
    return static_cast<std::size_t>(&incarnation - incarnations.data());
  }

  // The algorithm of all nodes; null if they run different ones.
  const Algorithm* algorithm() const {
    return algorithms.size() == 1 ? algorithms.front() : nullptr;
  }
};

Timeline timeline_of(const Trace& trace);

// The name of a message, but for the lives of its sender and its receiver.
using MessageName = std::tuple<NodeId, NodeId, MessageType, FieldValues::Value, FieldValues>;
inline MessageName name_of_message(const Record& record) {
  return {record.from, record.to, record.type, record.number, record.values};
}

// True if it says that no process is behind the name of another: spoken_of().
bool says_gone(const Record& record);

// The process that this record suspects, or to which it sends.
inline NodeId spoken_of(const Record& record) {
  return record.event == TraceEvent::suspect ? *record.coordinator : record.to;
}

// The incarnation of node `node` at record `record`, or its last one before; null before the first.
const Incarnation* incarnation_at(const Timeline& timeline, NodeId node, std::size_t record);

}  // namespace bully
