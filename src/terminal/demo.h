// demo.h: `bully demo`: an election from start to end, without a hand on the keyboard.
#pragma once

#include "terminal/cluster_session.h"

namespace bully {

// Returns the exit status, and may throw the exceptions of start_node().
int play_demo(const ClusterSettings& settings);

}  // namespace bully
