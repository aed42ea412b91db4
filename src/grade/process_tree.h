// process_tree.h: all processes that come from this one, whatever they do to get away.
//
// A process that has left its group and its session, or whose parent has ended, still is below this
// one where the system hands orphans to it (Linux, PR_SET_CHILD_SUBREAPER). Elsewhere only those
// can be found that stay in the session in which they were started.
#pragma once

#include <sys/types.h>

#include <vector>

#include "node/system.h"

namespace bully {

struct TreeProcess {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t session = 0;
  char state = '?';      // 'Z': it has ended, and nobody has asked how
  Duration processor{};  // that it has used
};

// From now on this process is the parent of every descendant whose own has ended. False where the
// system has no such thing. What was forked before, and has lost its parent, is another's.
bool adopt_orphans();

// All that are below this process. Empty where the system does not tell.
std::vector<TreeProcess> processes_below_us();
// Of these, the process `root`, those below it, and those in its session.
std::vector<TreeProcess> processes_of(pid_t root);

// To that process and no other, if it still is below this one.
void signal_process(const TreeProcess& process, int number);

// Ends all that are below this process, and returns when they are gone, or after some seconds: one
// that sleeps in the kernel may outlive that. They are stopped first, so that none can fork while
// others are killed. `roots`: of those that lead sessions the ones not reaped
// yet, for systems that tell nothing.
void end_all_below_us(const std::vector<pid_t>& roots);

}  // namespace bully
