// real_backend.h: scenarios on real processes.
//
// The processes in the simulated network are real and controlled (controlled_nodes.h): no timer
// expires and no ping goes out by itself. So every step of a script can be played, and each process
// itself decides its reaction to each event.
#pragma once

#include <memory>
#include <string>

#include "sim/player.h"
#include "stage/local_cluster.h"

namespace bully {

// `program` is the bully binary. The processes' records go to `sink`. All arguments outlive the
// backend, with which the processes end.
std::unique_ptr<Backend> make_real_backend(const Scenario& scenario, LocalCluster& cluster,
                                           std::string program, Sink& sink);

}  // namespace bully
