// process.h: programs that a test starts, and what the system knows of them.
//
// It signals and waits for only what was started here itself. Nothing here waits for a fixed
// time: wait_until() asks again and again until a condition holds or its deadline has passed.
// Read next: cluster.h.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

// Of many alike all are tried, but under the sanitizers, which make everything slower, one in six.
// They look at the code, and the code is the same.
inline bool is_tried(std::size_t i) {
  return !is_sanitized || i % 6 == 0;
}
constexpr std::uint64_t tried(std::uint64_t all) {
  return is_sanitized ? (all + 5) / 6 : all;
}

// How long a test waits for what should come at once: it bounds a hang, and no machine is as busy.
inline constexpr Duration patience = std::chrono::minutes(1);

// Whether `condition` came true before the deadline.
bool wait_until(const std::function<bool()>& condition, Duration deadline = patience);

// How often a test repeats what it tests: the number in this variable of the environment, as
// `make soak` gives it, or else `otherwise`.
unsigned from_environment(const char* name, unsigned otherwise);
// Whether the long form of a test runs: `make soak`.
bool is_soak();

// $BULLY_BINARY, or ./bully.
std::string binary_under_test();

using Arguments = std::vector<std::string>;
// These words, and then more of them.
Arguments operator+(Arguments words, const Arguments& more);

struct Program {
  Arguments arguments = {};
  std::string binary = binary_under_test();
  // Files for its standard output and error. One file may serve both.
  std::string output = "/dev/null";
  std::string errors = "/dev/null";
  bool own_group = false;                    // its own process group, as a shell gives each job
  std::function<void()> in_child = nullptr;  // runs between fork and exec
};

struct Outcome {
  int exit_code = -1;  // -1: it was ended by `signal`
  int signal = 0;
};

// A process that was started here: unless it has been waited for, it is killed with this object.
class Child {
 public:
  Child() = default;
  // Starts the program, without what the environment says of it. Throws system_error.
  explicit Child(const Program& program);
  // A process of this program, which does this and ends: with 1 if that throws. Throws
  // system_error.
  explicit Child(const std::function<void()>& life);
  ~Child() { kill(); }
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, 0)), outcome_(other.outcome_) {}
  Child& operator=(Child&& other) noexcept;

  pid_t pid() const { return pid_; }  // also when it has ended; 0 if none was started
  // Of what has been waited for there is nothing left to be signalled.
  void signal(int number, bool whole_group = false) const;
  void kill();  // SIGKILL, and waits
  bool has_ended() { return reap(true); }
  // Waits for its end. One that does not end in time is killed: then `signal` is SIGKILL.
  Outcome end(Duration deadline = patience);
  Outcome end_by(int number);
  // Waits until it is stopped, for which it has been signalled.
  bool is_stopped_in_time() const;

 private:
  bool is_waited_for() const { return pid_ == 0 || outcome_; }
  bool reap(bool at_once);

  pid_t pid_ = 0;
  std::optional<Outcome> outcome_;
};

// A value that processes see alike which are forked from now on.
void* shared_memory(std::size_t size);  // throws system_error
void unshare_memory(void* memory, std::size_t size);
template <typename Value>
class SharedMemory {
 public:
  SharedMemory() : value_(new (shared_memory(sizeof(Value))) Value()) {}
  ~SharedMemory() { unshare_memory(value_, sizeof(Value)); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  Value& operator*() const { return *value_; }
  Value* operator->() const { return value_; }

 private:
  Value* value_;
};

// What a program that ends by itself has left.
struct Finished {
  Outcome outcome;
  std::string output;
  std::string errors;
};
// Runs it in `scratch`, a directory for its output.
Finished run_to_end(const std::string& scratch, Program program);
// The binary under test with these words, in a directory of its own.
Finished run_bully(Arguments words, std::function<void()> in_child = nullptr);

// Another user of this machine, and how a child ends that cannot be what it should.
inline constexpr uid_t nobody_uid = 65534;
inline constexpr int exit_cannot_try = 126;
void become_nobody();
// A copy in `directory`, for users who may not reach the place where it was built.
std::string binary_for_anyone(const std::string& directory);

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
// All that can be read now of what blocks no reader from then on.
std::string read_ready(const Descriptor& from);

bool contains(std::string_view text, std::string_view part);
std::size_t count_of(std::string_view text, std::string_view part);
// Lines that were broken for a terminal, with a space for each break and its indentation.
std::string in_one_line(std::string_view text);

// The number after the first word `key` of a file such as /proc/PID/status, in KiB; 0 where the
// system does not tell.
std::uint64_t kib_in(const std::string& path, std::string_view key);
// Memory of a process's own that is in use, in KiB, without the parts of its program that have been
// read; 0 where the system does not tell.
std::uint64_t own_kib(pid_t pid);
// The processor time, in seconds, of this process (RUSAGE_SELF), or of all that it has waited for
// (RUSAGE_CHILDREN).
double seconds_of_processor(int who);

// As after `ulimit -n`: for a child that is about to become a program.
void limit_descriptors(rlim_t most);
// How many descriptors it has open; 0 where the system does not tell.
std::size_t descriptor_count(pid_t pid);

}  // namespace bully
