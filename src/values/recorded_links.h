// recorded_links.h: a run that was recorded from outside, as the links of its processes show it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "trace/trace.h"

namespace bully {

// Messages, and the coordinators that processes name. They show no state, no timeout, no suspicion,
// and no message that a dead process refuses. So this counts, and concludes nothing.
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
