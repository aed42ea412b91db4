// elections.h: a trace, split into its elections.
//
// An election lasts from the first suspicion, start or holding after a calm state until every live
// node follows one and the same coordinator again, and no message of it is still on its way. This
// unit says who noticed, who won and where it stands in the trace; it never judges (verdict.h) and
// never counts (figures.h). Read next: lives.h, for what "live" can mean in a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/causality.h"
#include "trace/lives.h"
#include "trace/reader.h"

namespace bully {

// Why a node held an election without having been asked to.
enum class Occasion : std::uint8_t {
  down,     // it suspected its coordinator: no process there
  hung,     // no reply
  deposed,  // it said that it follows another
  start,    // it started, or came back under its old id
  resumed,  // it was stopped and went on, or for another reason that the trace does not show
};

struct Noticed {
  std::size_t record = 0;  // index into Trace::records
  NodeId node = 0;
  Occasion occasion = Occasion::start;
  std::optional<NodeId> suspected = std::nullopt;
};

struct Election {
  std::size_t number = 0;  // from 1, by time
  // Indexes into Trace::records; the last is still part of it. Records of other things, of pings
  // say, may lie between. No two elections overlap.
  std::size_t first_record = 0;
  std::size_t last_record = 0;
  // Where all live nodes followed the winner; nothing where the trace ends before that.
  std::optional<std::size_t> settled_record = std::nullopt;
  // Whom all live nodes then followed; nothing where the election did not end, or all had left.
  std::optional<NodeId> winner = std::nullopt;
  // Where the winner took office, or announced itself again; nothing where it only stayed.
  std::optional<std::size_t> won_record = std::nullopt;
  // Who noticed, by time. May be empty: a late message can start an election as well.
  std::vector<Noticed> detections;
  // The live nodes when it ended, from the lowest.
  std::vector<NodeId> survivors;
};

// The elections of `trace`, by time. `pairs` and `census` are those of the same trace. Never fails.
std::vector<Election> elections_of(const Trace& trace, const Causality& pairs,
                                   const Census& census);
// The same, for whoever needs nothing else.
std::vector<Election> elections_of(const Trace& trace);

}  // namespace bully
