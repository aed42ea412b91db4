// acts.h: whether a trace has what was done to a node.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "trace/trace.h"

namespace bully {

// That only this node, under this PID, was stopped, continued and killed, in this order, and wrote
// nothing afterwards.
inline void check_acts(const std::string& trace, NodeId node, std::int64_t pid) {
  std::vector<TraceEvent> done;
  TraceEvent last = TraceEvent::start;  // of this node
  for (const auto& [i, record] : read_traces({trace}).records) {
    if (record.node == node) last = record.event;
    if (!is_act_on(record)) continue;
    CHECK(record.node == node);
    CHECK(record.pid == pid);
    done.push_back(record.event);
  }
  // A node that goes on says so as well.
  done.erase(std::unique(done.begin(), done.end()), done.end());
  CHECK(done == std::vector{TraceEvent::pause, TraceEvent::resume, TraceEvent::crash});
  CHECK(last == TraceEvent::crash);
}

}  // namespace bully
