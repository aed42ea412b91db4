// node_options.h: a node's own settings.
#pragma once

#include <chrono>
#include <string>

#include "base/time.h"
#include "election/algorithm.h"
#include "node/outside.h"
#include "trace/environment.h"

namespace bully {

struct NodeOptions {
  NodeId id = 0;
  std::string directory;
  Detector detector = Detector::ping;  // ping or eof; for eof it holds a connection open
  Duration ping_interval = std::chrono::milliseconds(1000);
  Duration ping_timeout = std::chrono::milliseconds(1000);
  Duration answer_timeout = std::chrono::milliseconds(500);
  Duration coordinator_timeout = std::chrono::milliseconds(1000);
  Duration pace{};           // a pause before each message is handled, and before each is sent
  bool trace_pings = false;  // record pings too
  // Controlled: a person or a script releases its messages and timers. It has no monitor, no timer
  // expires by itself, and a status query may contain an event to handle (status_reply.h).
  bool controlled = false;
  std::string ring = {};             // a file with the order of the ring; empty: by id
  const Variant* variant = nullptr;  // of the algorithm; null: the correct one
  OutsideRules* outside = nullptr;   // the algorithm's, if it has any; not owned
};

}  // namespace bully
