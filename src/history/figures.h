// figures.h: the figures of a run: the cost of each election in messages, beside the textbook's;
// the length of its phases; the times with two coordinators; the rules that fired; and the messages
// on recorded links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "history/history.h"
#include "trace/trace.h"

namespace bully {

// The textbook's count for an undisturbed election of this algorithm: with one detector or several,
// of which the lowest has rank `lowest_rank` among the nodes; or with one process that comes.
struct TextbookCount {
  std::size_t lowest_rank = 0;
  MessageCounts sent = {};
  MessageCounts delivered = {};  // without messages to the dead coordinator
};

// A cost above the textbook's is no violation.
struct Figures {
  // The number of processes in the textbook's count: includes the dead coordinator, except on a
  // ring.
  std::size_t nodes = 0;
  std::optional<TextbookCount> textbook;  // nothing if the textbook has none for this case
  std::optional<MessageCounts> bound;     // the most that it may cost; nothing if it did not end
  // For the types that the bound counts; on a ring without messages lost to dead neighbours.
  bool exceeds_bound = false;
};

Figures figures_of(const History& history, const Election& election);

// The textbook's messages beside `sent`, if `sent` is all of the latest election, and it is over.
// Nothing if the textbook has no count for this case.
std::optional<MessageCounts> textbook_for(const History& history, const MessageCounts& sent);

// The length of a phase. A crash may leave no line, so the time since then often has only bounds.
struct Phase {
  std::int64_t ns = 0;
  bool at_most = false;
};

struct Phases {
  // From the coordinator's end to the first detection; from there until the winner takes office;
  // from there until all follow. Nothing if the trace lacks either end.
  std::optional<Phase> detect;
  std::optional<Phase> elect;
  std::optional<Phase> announce;
};

Phases phases_of(const Election& election);

// Times in which two processes both believed they were coordinator. A later line of each shows that
// it was alive.
struct TwoCoordinators {
  NodeId lower = 0;
  NodeId higher = 0;
  Moment from = {};
  Moment to = {};  // where either gave way, or gave its last sign of life

  std::int64_t ns() const { return to.t_ns - from.t_ns; }
};
// By their beginning; of many, the longest ones. `pairs`: the number of all.
inline constexpr std::size_t most_pairs = 1'000;
struct Overlaps {
  std::vector<TwoCoordinators> longest = {};
  std::uint64_t pairs = 0;
};
Overlaps two_coordinators(const History& history);

// The election that the first start names; without any, the first in the table that has all
// messages of the trace.
const Algorithm& algorithm_of(const Trace& trace);

// All of it.
History history_of(const Trace& trace);

struct RuleCount {
  const Rule* rule = nullptr;
  std::uint64_t fired = 0;
};
// Of the nodes' algorithms, in their order: the rules that fired.
std::vector<RuleCount> rules_fired(const History& history);

// A run that was recorded from outside, as the links of its processes show it: messages, and the
// coordinators that processes name. They show no state, no timeout, no suspicion, and no message
// that a dead process refuses. So this counts, and concludes nothing.
struct Links {
  std::vector<NodeId> observed;  // from the lowest
  // Messages of elections, by sender; and of each type, by all.
  std::map<NodeId, MessageCounts> sent = {};
  MessageCounts all = {};
  // By a process that announced itself: its receivers.
  std::map<NodeId, std::set<NodeId>> announced = {};
  // By process: the coordinators that it named, in turn, in its replies and announcements.
  std::map<NodeId, std::vector<NodeId>> named = {};
};

// Nothing if a process has written a trace itself.
std::optional<Links> links_of(const Trace& trace);

}  // namespace bully
