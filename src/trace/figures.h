// figures.h: what an election took, in time and in messages, beside what the textbook counts.
//
// What the textbook counts, and the bound, are those of the algorithm that all nodes run
// (../election/algorithm.h); where they run different ones, there are none.
//
// It measures and never judges: an election that took longer, or more messages than the textbook
// says, is not wrong for that (verdict.h). Times are nanoseconds of the trace's clock.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/elections.h"

namespace bully {

// How long a phase took. A crash leaves no line, so the time since it can often only be bounded.
struct Phase {
  std::int64_t ns = 0;
  bool at_most = false;
};

// The messages of one type in one election.
struct MessageFigures {
  std::uint64_t sent = 0;
  std::uint64_t delivered = 0;
  std::uint64_t lost = 0;
};

// What the textbook counts for an election that nothing disturbs: one detector or several, of which
// the lowest has rank `lowest_rank` among `nodes`; or one process that comes.
struct TextbookCount {
  std::size_t nodes = 0;  // the dead coordinator counted in, but on a ring, where it is passed over
  std::size_t lowest_rank = 0;
  MessageCounts sent{};
  MessageCounts delivered{};  // without those to the dead coordinator
};

// The most that an election of as many nodes may take.
struct BoundCount {
  std::size_t nodes = 0;  // as in TextbookCount
  MessageCounts sent{};
};

struct Figures {
  // The coordinator whose end began it, and where the trace last shows it: its `stop` or `crash`,
  // or the last line before it hung, or crashed unrecorded.
  std::optional<NodeId> lost_coordinator;
  std::optional<std::size_t> last_sign;
  // From the coordinator's end to the first detection; from there to the winner's taking office;
  // from there until all follow. Nothing where the trace does not show both ends.
  std::optional<Phase> detect;
  std::optional<Phase> elect;
  std::optional<Phase> announce;
  std::array<MessageFigures, message_type_count> messages{};  // by MessageType
  std::optional<TextbookCount> textbook;  // nothing where the textbook has none for this case
  std::optional<BoundCount> bound;        // nothing where the election did not end
  // It took more messages of the types that the bound counts: on a ring, without those that were
  // lost to dead neighbours.
  bool exceeds_bound = false;
};

Figures figures_of(const Trace& trace, const Causality& pairs, const Census& census,
                   const Election& election);

// A time in which two live nodes both held themselves coordinator. That each was alive is shown by
// a later line of its own; one that crashed was alive up to its last line.
struct TwoCoordinators {
  NodeId lower = 0;
  NodeId higher = 0;
  std::size_t from_record = 0;
  std::size_t to_record = 0;  // where one of them gave way, or was last heard of
};
std::vector<TwoCoordinators> two_coordinators(const Trace& trace, const Census& census);

}  // namespace bully
