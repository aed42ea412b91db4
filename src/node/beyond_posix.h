// beyond_posix.h: all that some POSIX systems lack, each with a way to do without: accept4(),
// SOCK_CLOEXEC, pipe2(), SO_PEERCRED, SO_PEERPIDFD, pidfd_open(), prctl(), d_type and /proc.
// (flock() and MAP_ANONYMOUS are no part of POSIX.1-2008, but every system has them.)
//
// No other file asks on which system it is compiled. With POSIX_ONLY defined this one takes it for
// a system that has nothing else, and with WITHOUT_PROC, say, for one that lacks this; `make posix`
// tests the nodes with the first, and compiles each of the others.
#pragma once

#include <dirent.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "node/system.h"

namespace bully {

// --- Sockets ---

// A Unix-domain socket, and the next connection of one: neither blocks nor survives an exec. Empty
// if there is none; errno says why.
Descriptor make_socket(int type);
Descriptor accepted_from(int listener);
// A pipe, of which the same is true.
Pipe new_pipe();
// True where connect(2) may give ECONNREFUSED for a full backlog as well, as on macOS and the BSDs.
extern const bool full_backlog_is_refused;
// For send(2). 0 where the sender has to ignore SIGPIPE.
extern const int without_sigpipe;
// True where a killed process's descriptors are closed from the highest number to the lowest.
extern const bool highest_is_closed_first;
// True if the directory itself shows that this entry is no socket.
bool is_no_socket(const dirent& entry);

// --- Processes ---

// For a child: it ends now if `parent` has ended, and on Linux also when `parent` ends later.
void end_with(pid_t parent);
// From now on this process is the parent of every descendant whose parent has ended, if the system
// can do that (Linux). Earlier orphans stay with their new parent.
void adopt_orphans();

// The state of a process as Linux shows it; other systems show nothing here.
struct ProcessState {
  pid_t pid = 0;
  char letter = '?';  // T or t: it is stopped; Z: it has ended, and has not been reaped
  pid_t parent = 0;
  pid_t session = 0;
  Duration processor = {};        // the time that it has used
  Duration started = {};          // since the machine was, in hundredths of a second
  std::int64_t memory_pages = 0;  // resident

  bool is_stopped() const { return letter == 'T' || letter == 't'; }
};
std::optional<ProcessState> process_state(pid_t pid);
// All that it shows; otherwise none.
std::vector<ProcessState> listed_processes();
// The children of all threads of a process, ended ones too, without a look at any other process;
// nothing where the system keeps no such lists.
std::optional<std::set<pid_t>> listed_children(pid_t pid);
// The path of the program that this process runs, and its arguments; empty if the system does not
// show them.
std::string program_path(pid_t pid);
std::vector<std::string> arguments_of(pid_t pid);
// The number of descriptors that it has open; 0 if the system does not show it.
std::size_t descriptors_of(pid_t pid);

// One process, never a later one with its PID.
//
// Linux has descriptors for processes (pidfd). Without them, start times distinguish two processes
// of one PID. Without start times, a process whose parent has reaped it must be dropped before its
// PID can come round again.
class PinnedProcess {
 public:
  explicit PinnedProcess(pid_t pid);
  PinnedProcess(pid_t pid, Descriptor descriptor) : pid_(pid), descriptor_(std::move(descriptor)) {}

  pid_t pid() const { return pid_; }
  // A zombie has ended; where it has only the PID, not before it has been reaped.
  bool has_ended() const { return ends_within(Duration(0)); }
  // True if it has ended, after waiting for this time at most.
  bool ends_within(Duration time) const;
  // Signals the process unless it has ended. Returns 0, or the errno: ESRCH if it has.
  int signal(int number) const;

 private:
  pid_t pid_;
  Descriptor descriptor_;
  bool exists_ = true;
  std::optional<ProcessState> first_seen_ = {};  // without a descriptor, if the system shows it
};

// True where the kernel tells which process listens at the other end of a connection.
extern const bool kernel_tells_listener;
// That process's PID, as the kernel remembers it. 0 if this system does not report it, or if that
// process lives in another PID namespace and has no PID here. It may be dead if its child keeps the
// socket.
pid_t listener_pid(const Descriptor& connection);
// A descriptor of that very process, dead or alive; empty if the kernel offers none (Linux before
// 6.5), or no descriptor is left.
Descriptor listener_process(const Descriptor& connection);

// Without that descriptor: the process with this PID; nothing if it started after its socket was
// made, in the system clock's time: then it has got the maker's PID. Only Linux shows when a
// process started.
std::optional<PinnedProcess> pin_if_older(pid_t pid, Time made);

// The process that holds flock(2) on this directory, if the system shows it.
std::optional<pid_t> lock_holder(const std::string& directory);

}  // namespace bully
