// figures.h: the cost of an election in messages, beside the textbook's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

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

}  // namespace bully
