// real_backend.h: scenarios on real processes.
//
// The network, its clock and its faults are the simulator's (../sim/world.h); the processes in it
// are real. Each is led by hand (led.h): no timer expires and no ping goes out by itself.
// Their messages pass through the proxies of ../wire/link_proxy.h, and wait there until the
// simulated network delivers them. So every step of a script can be played, and each process itself
// decides its reaction to each event.
#pragma once

#include <memory>
#include <string>

#include "sim/play.h"
#include "stage/local_cluster.h"

namespace bully {

// `program` is the bully binary. The processes' records go to `sink`. All arguments outlive the
// backend, with which the processes end.
std::unique_ptr<Backend> make_real_backend(const Scenario& scenario, LocalCluster& cluster,
                                           std::string program, Sink& sink);

}  // namespace bully
