// real_backend.h: scenarios on real processes.
//
// The network, its clock and its faults are the simulator's (../sim/world.h); the processes in it
// are real. Each is led by hand (`--by-hand`): no timer of its own runs out and no ping goes out by
// itself. What they say to one another passes through the stand-ins of ../wire/link_proxy.h, and
// waits there until the simulated network delivers it. So every step of a script can be played, and
// what a process does about each event is its own.
#pragma once

#include <memory>
#include <string>

#include "sim/play.h"
#include "stage/local_cluster.h"

namespace bully {

// `program` is the bully binary. What the processes record goes to `sink`. All of these outlive the
// backend, with which the processes end.
std::unique_ptr<Backend> make_real_backend(const Scenario& scenario, LocalCluster& cluster,
                                           std::string program, Sink& sink);

}  // namespace bully
