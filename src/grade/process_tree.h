// process_tree.h: all descendants of this process, however they try to escape.
//
// A process that has left its group and its session, or whose parent has ended, is still a
// descendant if the system passes orphans to this process (adopt_orphans()). Elsewhere only
// processes that stay in their original session can be found.
#pragma once

#include <sys/types.h>

#include <vector>

#include "node/beyond_posix.h"

namespace bully {

// All descendants of this process. Empty if the system does not list them.
std::vector<ProcessState> processes_below_us();
// Among these, the process `root`, its descendants, and its session.
std::vector<ProcessState> processes_of(pid_t root);

// Signals that process and no other, if it is still a descendant.
void signal_process(const ProcessState& process, int number);

// Ends all descendants, and returns when they are gone, or after some seconds: a process that
// sleeps in the kernel may outlive that. It stops them first, so that none can fork while others
// are killed. `roots`: the session leaders not reaped yet, for systems that list no processes.
void end_all_below_us(const std::vector<pid_t>& roots);

}  // namespace bully
