// figures.h: what an election took, in time and in messages, beside what the textbook counts.
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

// ELECTION, ANSWER and COORDINATOR messages of one election.
struct MessageFigures {
  std::uint64_t sent = 0;
  std::uint64_t delivered = 0;
  std::uint64_t lost = 0;
};
inline constexpr std::array election_messages = {MessageType::election, MessageType::answer,
                                                 MessageType::coordinator};

// The textbook's count for one detector or several, of which the lowest has rank `lowest_rank`
// among `nodes`, the dead coordinator counted in [Tan95]; or, with `lowest_rank` = `nodes`, for the
// highest of all that comes back and only sends COORDINATOR.
struct TextbookCount {
  std::size_t nodes = 0;
  std::size_t lowest_rank = 0;
  std::uint64_t election = 0;            // sent, those to the dead coordinator counted in
  std::uint64_t election_delivered = 0;  // without those
  std::uint64_t answer = 0;
  std::uint64_t coordinator = 0;
  std::uint64_t all() const { return election + answer + coordinator; }
};

struct Figures {
  // The coordinator whose end began it, and where the trace last shows it: its `stop`, or the last
  // line before it crashed or hung.
  std::optional<NodeId> lost_coordinator;
  std::optional<std::size_t> last_sign;
  // From the coordinator's end to the first detection; from there to the winner's taking office;
  // from there until all follow. Nothing where the trace does not show both ends.
  std::optional<Phase> detect;
  std::optional<Phase> elect;
  std::optional<Phase> announce;
  std::array<MessageFigures, election_messages.size()> messages{};
  std::optional<TextbookCount> textbook;  // nothing where the textbook has none for this case
};

Figures figures_of(const Trace& trace, const Causality& pairs, const Census& census,
                   const Election& election);

// The same counts for any set: REQUIRES 1 <= lowest_rank <= nodes.
TextbookCount textbook_count(std::size_t nodes, std::size_t lowest_rank);

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
