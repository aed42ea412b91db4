// figures.h: the figures of a run: the cost of each election in messages, beside the textbook's;
// the length of its phases; the times with two coordinators; the rules that fired; and the messages
// on recorded links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "trace/elections.h"

namespace bully {

// The textbook's count for an undisturbed election of this algorithm: with one detector or several,
// of which the lowest has rank `lowest_rank` among the nodes; or with one process that comes.
struct TextbookCount {
  std::size_t lowest_rank = 0;
  MessageCounts sent = {};
  MessageCounts delivered = {};  // without messages to the dead coordinator
};

// The cost of an election in messages. A cost above the textbook's is no violation.
struct Figures {
  std::optional<NodeId> lost_coordinator;  // whose end began the election
  MessageCounts sent;
  MessageCounts delivered;
  MessageCounts lost;
  std::uint64_t refused = 0;  // of those lost: because a process is dead
  // The number of nodes in the textbook's count: includes the dead coordinator, except on a ring.
  std::size_t nodes = 0;
  std::optional<TextbookCount> textbook;  // nothing if the textbook has none for this case
  std::optional<MessageCounts> bound;     // the most that it may cost; nothing if it did not end
  // For the types that the bound counts; on a ring without messages lost to dead neighbours.
  bool exceeds_bound = false;
};

Figures figures_of(const Trace& trace, const Timeline& timeline, const Election& election);

// The length of a phase. A crash leaves no line, so the time since then often has only bounds.
struct Phase {
  std::int64_t ns = 0;
  bool at_most = false;
};

struct Phases {
  // The last sign of the coordinator that was lost: its `stop` or `crash`, or its last line before
  // it hung, or crashed unrecorded.
  std::optional<std::size_t> last_sign;
  // From the coordinator's end to the first detection; from there until the winner takes office;
  // from there until all follow. Nothing if the trace lacks either end.
  std::optional<Phase> detect;
  std::optional<Phase> elect;
  std::optional<Phase> announce;
};

// Of an election that began with the loss of this coordinator, if of any.
Phases phases_of(const Trace& trace, const Election& election,
                 std::optional<NodeId> lost_coordinator);

// A time in which two live nodes both believed they were coordinator. A later line of each shows
// that it was alive; a node that crashed was alive up to its last line.
struct TwoCoordinators {
  NodeId lower = 0;
  NodeId higher = 0;
  std::size_t from_record = 0;
  std::size_t to_record = 0;  // where either gave way, or gave its last sign of life
};
std::vector<TwoCoordinators> two_coordinators(const Trace& trace, const Timeline& timeline);

struct RuleCount {
  const Rule* rule = nullptr;
  std::uint64_t fired = 0;
};

// Of the nodes' algorithms, in their order. Empty if the trace names no rule.
std::vector<RuleCount> rules_fired(const Trace& trace, const Timeline& timeline);
std::set<std::string_view> variants_run(const Trace& trace, const Timeline& timeline);

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

// Nothing if all processes have written the trace themselves. Of a process that did so beside the
// recorder, its own lines are left out: each of its messages is there twice.
std::optional<Links> links_of(const Trace& trace);

}  // namespace bully
