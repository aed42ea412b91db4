// floors.h: what the machine itself takes for the work that an election is made of.
//
// Each is a bare loop in the style of C, with nothing of the product in it, and runs in the same
// minute as the figure that is held against it. Times are seconds, unless they say otherwise.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace bully {

// One message of ten bytes: connect, send and close, from one process to another that accepts,
// reads up to the end, and closes. With more `receivers` each gets a message in turn, and has
// fallen asleep again before its next one. Mean of `count`, a multiple of `receivers`. `directory`:
// where sockets may be made.
double bare_message(const std::string& directory, int count, int receivers = 1);

// The same where each of `processes` sends one message to each other, all at once. Mean of all.
double bare_exchange(const std::string& directory, int processes);

// From SIGKILL of an idle process to the end of a connection, as another reads it. `count` times.
std::vector<double> bare_deaths(int count);

// fork and exec of `count` processes that do nothing, all awaited at the end.
double bare_processes(int count);

// The CPU time of `pairs` pairs of processes, in each of which one pings the other every
// `interval_s`, at a moment of its own, for `duration_s`; of all together, per second. Between its
// pings a process sleeps, and finds the processor's caches filled by others, as a node does.
double bare_ping_cpu(const std::string& directory, int pairs, double interval_s, double duration_s);

// How many connections a second a process accepts, reads and closes while another does nothing but
// send to it.
double bare_served(const std::string& directory, double duration_s);

// Two processes that have started, and do nothing: this program again, and a child of that.
// Returns the first one's PID; the second ends with it.
pid_t idle_pair(const char* program);
// What this program does as one of them. Never returns.
[[noreturn]] void be_idle_pair();

}  // namespace bully
