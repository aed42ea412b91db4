// phases.h: how long the phases of an election took, and for how long there were two coordinators,
// by the trace's clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/elections.h"

namespace bully {

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

}  // namespace bully
