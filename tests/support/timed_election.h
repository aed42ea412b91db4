// timed_election.h: how long an election of real nodes takes, for benchmarks.
//
// Each begins with SIGKILL of the coordinator, by the caller's hand. Times are seconds.
#pragma once

#include "support/arena.h"

namespace bully {

// How long a benchmark waits for what should come.
inline constexpr Duration very_patient = std::chrono::seconds(300);

double seconds_of(Duration time);

void start_all(Arena& arena, NodeId nodes, const Arguments& options = {});

// The same, until all follow the highest.
void start_and_agree(Arena& arena, NodeId nodes, const Arguments& options = {});

// Asks one after the other: nobody is asked more than needed.
bool all_follow(const Arena& arena, NodeId coordinator);

// All messages of elections that those who are there have sent.
std::uint64_t messages_of(const Arena& arena);

// By the trace, whose clock is ours.
struct Traced {
  double first_told = 0;  // the first survivor suspects the victim
  double last_follows = 0;
};
// Starts so many nodes; then their coordinator is killed, and comes back, `count` times.
std::vector<Traced> traced_elections(Arena& arena, NodeId nodes, int count);

// By asking: writing the lines of a million messages would take longer than the messages do.
struct Untraced {
  double ended = 0;  // the victim: the kernel takes its memory first, then closes its connections
  double time = 0;   // until all follow
  double messages = 0;
};
Untraced untraced_election(Arena& arena, NodeId victim);

}  // namespace bully
