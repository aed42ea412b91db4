// elections.h: from a trace: its elections.
//
// An election lasts from the first suspicion, start or state of an election after a calm time until
// every live node follows the same coordinator again, and none of its messages is in flight.
//
// This unit never judges: ../verdict/verdict.h does.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/timeline.h"

namespace bully {

// A node that started an election without being asked.
struct Noticed {
  std::size_t record = 0;  // index into Trace::records
  NodeId node = 0;
  // The cause: its suspicion ("down", "hung", "deposed"); "start": it started, or came back under
  // its old id; "resumed": it was stopped or unreachable, or the trace shows no cause.
  std::string_view trigger = {};
  std::optional<NodeId> suspected = std::nullopt;
};

struct Election {
  std::size_t number = 0;  // from 1, by time
  // Indexes into Trace::records, both inclusive. Other records, of pings say, may lie between. No
  // two elections overlap.
  std::size_t first_record = 0;
  std::size_t last_record = 0;
  // The record at which all live nodes followed the winner; nothing if the trace ends before that.
  std::optional<std::size_t> settled_record = std::nullopt;
  // The first record since which nodes disagreed, or announced themselves again; nothing if none
  // did.
  std::optional<std::size_t> moved_record = std::nullopt;
  // The coordinator that all live nodes then followed; nothing if the election did not end, or all
  // had left.
  std::optional<NodeId> winner = std::nullopt;
  // True if any process took part: it sent a message of the election, was in a state of an
  // election, or acted by a rule. Processes that agree from the beginning start no election.
  bool took_place = false;
  // The record at which the winner took office, or announced itself again; nothing if it simply
  // stayed.
  std::optional<std::size_t> won_record = std::nullopt;
  // The detections, by time. May be empty: a late message can start an election as well.
  std::vector<Noticed> detections = {};
  // The live nodes when it ended, from the lowest.
  std::vector<NodeId> survivors = {};
};

// The elections of `trace`, by time. `timeline` is that of the same trace.
std::vector<Election> elections_of(const Trace& trace, const Timeline& timeline);

}  // namespace bully
