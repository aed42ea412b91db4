// process.h: programs that a test starts, and what the system knows of them.
//
// It signals and waits for only what a test has started itself. Nothing here waits for a fixed
// time: wait_until() asks again and again until a condition holds or its deadline has passed.
// Read next: cluster.h.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "node/system.h"

namespace bully {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)
inline constexpr bool is_sanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool is_sanitized = false;
#endif

// How long a test waits for what should come at once: generous, for a loaded machine.
inline constexpr Duration patience = std::chrono::seconds(is_sanitized ? 30 : 10);

// Whether `condition` came true before the deadline.
bool wait_until(const std::function<bool()>& condition, Duration deadline = patience);

// How often a test repeats what it tests: the number in this variable of the environment, as
// `make soak` gives it, or else `otherwise`.
unsigned from_environment(const char* name, unsigned otherwise);

// $BULLY_BINARY, or ./bully.
std::string binary_under_test();

using Arguments = std::vector<std::string>;

struct Program {
  Arguments arguments = {};
  std::string binary = binary_under_test();
  // Files for its standard output and error. One file may serve both.
  std::string output = "/dev/null";
  std::string errors = "/dev/null";
  bool own_group = false;                    // its own process group, as a shell gives each job
  std::function<void()> in_child = nullptr;  // runs between fork and exec
};

// Starts the binary under test, without what the environment says of it. Throws system_error.
pid_t spawn(const Program& program);

struct Outcome {
  int exit_code = -1;  // -1: it was ended by `signal`
  int signal = 0;
};

// Waits for a child to end, and reaps it. One that does not end in time is killed: then `signal` is
// SIGKILL.
Outcome wait_for_end(pid_t child, Duration deadline = patience);
// Waits for a child to be stopped.
bool wait_for_stop(pid_t child);

// What a program that ends by itself has left.
struct Finished {
  Outcome outcome;
  std::string output;
  std::string errors;
};
// Runs it in `scratch`, a directory for its output.
Finished run_to_end(const std::string& scratch, Program program);

struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';  // 'Z': a zombie, 'T': stopped
};

// Every process of the system, zombies too.
std::vector<ProcessEntry> all_processes();
std::vector<ProcessEntry> children_of(pid_t parent);
// Whether it is there, and no zombie: an orphan's is for init to reap.
bool is_running(pid_t pid);

// The whole file, or nothing where there is none.
std::string contents(const std::string& path);

bool contains(std::string_view text, std::string_view part);

// The number after the first word `key` of a file such as /proc/PID/status, in KiB; 0 where the
// system does not tell.
std::uint64_t kib_in(const std::string& path, std::string_view key);
// Memory that a process has in use, in KiB; 0 where the system does not tell.
std::uint64_t resident_kib(pid_t pid);
// As after `ulimit -n`: for a child that is about to become a program.
void limit_descriptors(rlim_t most);
// How many descriptors it has open; 0 where the system does not tell.
std::size_t descriptor_count(pid_t pid);

}  // namespace bully
