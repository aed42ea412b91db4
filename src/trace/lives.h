// lives.h: who was there when, as far as a trace can show it.
//
// A process that is killed with SIGKILL writes no last line, and one that is stopped writes none
// either. Unless the trace has a `crash` of whoever killed it, its end is taken from what others
// met: the first message that found nobody there, the first suspicion "down", the first new
// coordinator that found no name to tell, the first election that went round the ring without it,
// or the start of its successor. And a node to which messages were sent, but which took no step for
// longer than any live one does, counts as absent until its next step. This unit never says who is
// coordinator. Read next: elections.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "election/algorithm.h"
#include "trace/causality.h"
#include "trace/reader.h"

namespace bully {

// One process under one id, from its start to its end.
struct Life {
  NodeId node = 0;
  std::int64_t pid = 0;
  // Its first and last own record: indexes into Trace::records. The pings that its monitor sends
  // do not count, for they may outlive it.
  std::size_t first = 0;
  std::size_t last = 0;
  bool begins = false;   // with `start`: the trace has all of it
  bool stopped = false;  // with `stop`: it left by itself
  // The record from which on it is known not to be there any more; no_record: never.
  std::size_t gone = no_record;
};

// From record `from` on, up to and without `to`, the node did not react.
struct Absence {
  std::size_t life = 0;  // index into Census::lives
  std::size_t from = 0;
  std::size_t to = no_record;
};

struct Census {
  // What the nodes run, as their starts say, in the order of the table. One, unless different ones
  // met in this trace. Without a start, the first that speaks all the messages there are.
  std::vector<const Algorithm*> algorithms;
  std::vector<NodeId> nodes;  // that have records, from the lowest
  std::vector<Life> lives;    // by their first record
  std::vector<Absence> absences;
  // Nodes that take messages or send them, but have no record: they speak only the example's
  // protocol, or their trace is not here. Names of the dead are not among them.
  std::vector<NodeId> names_only;
  Indexes life_of;  // of each record: index into lives
  // A node that does not react for so long is absent.
  std::int64_t absence_ns = 0;
};

// What all nodes run; null where they run different ones.
const Algorithm* algorithm_of(const Census& census);

// Never fails. `pairs` is that of the same trace.
Census census_of(const Trace& trace, const Causality& pairs);

// The life that node `node` has at record `record`, or had last before it; nothing before the
// first.
std::optional<std::size_t> life_at(const Census& census, NodeId node, std::size_t record);

}  // namespace bully
