// system.h: this room's wrappers of the system: descriptors that each have one owner, sockets,
// signals, the clock, and the error that says why a node cannot run. All beyond POSIX is in
// beyond_posix.h.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/interruption.h"
#include "base/time.h"

namespace bully {

// --- Why a node cannot run ---

// The user's remedy. The words for each are in ../words/en.words.
enum class Advice : std::uint8_t {
  none,
  choose_directory,   // give another with --dir
  shorten_directory,  // a socket's address has room for few characters
  tighten_directory,  // chmod 700
  make_parent,        // its parent directory does not exist
  free_disk,          // no room
  id_in_use,          // another process listens under this id
  name_in_the_way,    // something that is no socket has the node's name
  raise_descriptors,  // ulimit -n
  raise_processes,    // ulimit -u
  choose_trace,       // give a file that can be written
  choose_ring,        // give a file of ids
  try_again,          // another process holds the directory's lock
  choose_parent,      // names move beside the directory, on the same file system
  proxy_at_work,      // another process has moved the names there already
  leave_place,        // the place for these names belongs to it alone
};

// Thrown where the system refuses something that this process needs; a peer's death is no error.
// what() names the call and the object: "bind /tmp/bully/7: Permission denied".
class SetupError : public std::system_error {
 public:
  // Some errors imply their remedy, whatever the call; `advice` is for the others.
  SetupError(int error, const std::string& call_and_object, Advice advice);
  Advice advice() const { return advice_; }

 private:
  Advice advice_;
};

// --- The clock, a monotonic one: setting the wall clock changes nothing here ---

Time monotonic_now();

// The extra time that processes should wait for each other in a crowd. One machine does the work of
// all: n processes that elect at once have n² messages, of some 10 µs each, and twice that is
// generous. A process that waits less would take a crowd for dead processes.
Duration crowd_time(std::size_t processes);

// For poll(2): whole milliseconds until `deadline`, rounded up so that it has passed on waking; -1
// for never.
int poll_timeout(Time deadline, Time now);

// poll(2): the number of ready descriptors, or -1 after a signal. If the system lacks memory, it
// tries again for a second. Any other failure throws SetupError: the same call would fail again and
// again, and a loop around it would never wait.
int poll_for(std::span<pollfd> polled, int timeout_ms);

// --- Descriptors ---

// The one owner of an open descriptor, which it closes.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    if (this != &other) other.reset();
    return *this;
  }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

// A pipe, neither end of which blocks or survives an exec.
struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

// `purpose` names the pipe in the SetupError that it throws.
Pipe make_pipe(const char* purpose);

// The owner of `fd`, which from now on neither blocks nor survives an exec; none if `fd` is none.
Descriptor prepared(int fd);
// For a forked child, whose program expects an end of a pipe to block.
void set_blocking(int fd);

// Lets this process have as many descriptors as the system allows, and returns their number: at
// most a million, and 20 [POSIX, _POSIX_OPEN_MAX] if the system does not say.
std::size_t raise_descriptor_limit();
// The number of open descriptors below `limit`, or among the lowest thousand.
std::size_t count_open_descriptors(std::size_t limit);

// An advisory lock on a directory, until it is destroyed; if another process has it, an empty one,
// and errno says EWOULDBLOCK. flock(2) is the one call here that POSIX.1-2008 lacks; Linux, macOS
// and the BSDs have it, and unlike fcntl(2) it can lock a directory, so no lock file is needed,
// which another user could make first.
Descriptor try_lock(const std::string& directory);

// True if errno says that a call on a descriptor may succeed later.
bool would_block();

enum class Incoming : std::uint8_t {
  some,     // and perhaps there are more
  nothing,  // for now
  end,      // no more will come
  failed,   // errno says why: the other end was closed before it had read everything, say
};
// read(2): appends some bytes to `to`, 4 KiB at most.
Incoming read_some(const Descriptor& from, std::string& to);

// --- Unix-domain stream sockets: non-blocking, close-on-exec, and nothing here waits ---

// The longest path that fits a socket's address, in bytes.
std::size_t max_socket_path();

// A bound and listening socket. Throws SetupError naming the call and the path.
// REQUIRES: path.size() <= max_socket_path().
Descriptor listen_at(const std::string& path);

// A socket by its device and inode, whatever its names; no socket has an empty identity.
using SocketIdentity = std::pair<dev_t, ino_t>;
std::optional<SocketIdentity> socket_at(const std::string& path);

// The next waiting connection; if there is none, an empty descriptor, and errno says why (EAGAIN:
// none waits; EMFILE, ENFILE: no descriptor is left).
Descriptor accept_from(const Descriptor& listener);

enum class Reach {
  reached,  // connected
  gone,     // ECONNREFUSED, ENOENT or ENOTDIR: no process is behind this name
  foreign,  // EPROTOTYPE: a socket of another type, so no node, and not this program's to remove
  busy,     // any other reason, a full backlog above all: says nothing about the process
};

struct Connection {
  Reach reach = Reach::busy;
  Descriptor descriptor;  // if reached
};

Connection connect_to(const std::string& path);

// Finds out if a process is behind a name, without disturbing it. A datagram socket cannot connect
// to a stream socket: the error is about the type if a process has that socket, and an ordinary
// refusal if none has. A full backlog does not matter.
class SocketTable {
 public:
  SocketTable();
  // True also if in doubt. False for a socket of another type, which is no node's.
  bool may_be_node(const std::string& path) const;

 private:
  Descriptor datagram_;
};

// True if the error of a call with a path says that nothing is there.
inline bool is_absence(int error) {
  return error == ENOENT || error == ENOTDIR;
}

// After a failed connect(2). `full_backlog_refuses`: a refusal is believed only when confirmed.
Reach reach_after(int error, const std::string& path, bool full_backlog_refuses);

// send(2) without SIGPIPE.
ssize_t send_some(const Descriptor& connection, std::string_view bytes);
// Writes `bytes` with one send. True if all were taken; false: the peer has closed.
bool send_once(const Descriptor& connection, std::string_view bytes);
// The same, and half-closes the connection: the example reads until then [PyBully].
bool send_question(const Descriptor& connection, std::string_view bytes);

// --- Signals, as bytes to read ---

// A handler writes the signal's number to a pipe, and nothing else; the poll loop reads it.
//
// While it exists, it delivers SIGINT, SIGTERM, SIGHUP (unless it was ignored, as by nohup) and the
// signals in `added`, and SIGPIPE is ignored. If there are several, the latest gets the signals,
// and is the first to end. From then on no signal is blocked, whatever mask the process began with.
// A signal that asks to leave is noted (../base/interruption.h). Afterwards each of these signals
// has its earlier effect again.
class SignalPipe {
 public:
  explicit SignalPipe(std::vector<int> added = {});  // throws SetupError
  ~SignalPipe();

  int fd() const { return pipe_.read_end.get(); }
  std::optional<int> next();
  // For a forked child: its signals are not the parent's.
  void close_inherited();

 private:
  void handle(int signal, void (*handler)(int));

  Pipe pipe_;
  int write_end_before_;  // of the pipe that gets the signals again
  std::vector<std::pair<int, struct sigaction>> handled_;  // signals, with their earlier effects
};

}  // namespace bully
