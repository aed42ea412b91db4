// beyond_posix.cc: each question beyond POSIX, with the answer where a system has none.
#include "node/beyond_posix.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/text.h"

// Each facility of Linux that is used here can be taken away by its name, such as WITHOUT_PRCTL;
// POSIX_ONLY takes all of them away, as does another system.
#if defined(__linux__) && !defined(POSIX_ONLY)
#define IS_LINUX
#include <sys/prctl.h>
#include <sys/syscall.h>
#ifndef SO_PEERPIDFD  // [Linux 6.5], which older headers lack
#define SO_PEERPIDFD 77
#endif
#else
#define WITHOUT_ACCEPT4 1  // and SOCK_CLOEXEC
#define WITHOUT_PIPE2 1
#define WITHOUT_PRCTL 1
#define WITHOUT_PROC 1
#define WITHOUT_PEERCRED 1
#define WITHOUT_PEERPIDFD 1
#endif
#ifndef SYS_pidfd_open
#define WITHOUT_PIDFD 1
#endif

namespace bully {

// --- Sockets ---

// One call instead of five, where the system has it.
#ifndef WITHOUT_ACCEPT4
Descriptor make_socket(int type) {
  return Descriptor(socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}
Descriptor accepted_from(int listener) {
  return Descriptor(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}
#else
Descriptor make_socket(int type) {
  return prepared(socket(AF_UNIX, type, 0));
}
Descriptor accepted_from(int listener) {
  return prepared(accept(listener, nullptr, nullptr));
}
#endif

Pipe new_pipe() {
  int ends[2] = {-1, -1};
#ifndef WITHOUT_PIPE2
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return {};
  return {Descriptor(ends[0]), Descriptor(ends[1])};
#else
  if (pipe(ends) != 0) return {};
  return {prepared(ends[0]), prepared(ends[1])};
#endif
}

#ifdef MSG_NOSIGNAL  // [POSIX.1-2008]
const int without_sigpipe = MSG_NOSIGNAL;
#else
const int without_sigpipe = 0;
#endif

#ifdef IS_LINUX
const bool full_backlog_is_refused = false;
const bool highest_is_closed_first = true;
#else
const bool full_backlog_is_refused = true;
const bool highest_is_closed_first = false;
#endif

#if defined(DT_SOCK) && !defined(POSIX_ONLY) && !defined(WITHOUT_D_TYPE)
bool is_no_socket(const dirent& entry) {
  return entry.d_type != DT_SOCK && entry.d_type != DT_UNKNOWN;
}
#else
bool is_no_socket(const dirent&) {
  return false;
}
#endif

// --- Processes ---

void end_with(pid_t parent) {
#ifndef WITHOUT_PRCTL
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) _exit(0);  // it ended before the request
}

void adopt_orphans() {
#ifndef WITHOUT_PRCTL
  prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
}

// On a system that shows no processes as Linux does, no file is there, and all below finds none.
#ifndef WITHOUT_PROC
static constexpr const char* process_list = "/proc";
static constexpr clockid_t since_boot = CLOCK_BOOTTIME;
#else
static constexpr const char* process_list = "/dev/null";
static constexpr clockid_t since_boot = CLOCK_MONOTONIC;
#endif

static std::filesystem::path entry_of(pid_t pid) {
  return std::filesystem::path(process_list) / std::to_string(pid);
}

std::optional<ProcessState> process_state(pid_t pid) {
  std::ifstream file(entry_of(pid) / "stat");
  std::string line;
  std::getline(file, line, '\0');
  // Skips the program's name, which may contain anything.
  std::istringstream words(line.substr(line.rfind(')') + 1));
  ProcessState state{.pid = pid};
  words >> state.letter;
  std::array<std::int64_t, 21> numbers{};  // from the parent to the memory: proc(5), 4 to 24
  for (std::int64_t& number : numbers) words >> number;
  if (!words) return std::nullopt;
  const Duration tick = Duration(std::chrono::seconds(1)) / sysconf(_SC_CLK_TCK);
  state.parent = static_cast<pid_t>(numbers[0]);
  state.session = static_cast<pid_t>(numbers[2]);
  state.processor = (numbers[10] + numbers[11]) * tick;
  state.started = numbers[18] * tick;
  state.memory_pages = numbers[20];
  return state;
}

std::vector<ProcessState> listed_processes() {
  std::vector<ProcessState> all;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(process_list, ignored)) {
    const auto pid = parse_number(entry.path().filename().string());
    const auto state = pid ? process_state(static_cast<pid_t>(*pid)) : std::nullopt;
    if (state) all.push_back(*state);
  }
  return all;
}

std::optional<std::set<pid_t>> listed_children(pid_t pid) {
  std::set<pid_t> children;
  std::error_code ignored;
  const std::filesystem::path threads = entry_of(pid) / "task";
  bool is_kept = false;
  // Twice: a list may lack one while another of it ends (proc(5)).
  for (int look = 0; look < 2; ++look) {
    for (const auto& thread : std::filesystem::directory_iterator(threads, ignored)) {
      std::ifstream file(thread.path() / "children");
      is_kept = is_kept || file;
      for (pid_t child = 0; file >> child;) children.insert(child);
    }
  }
  return is_kept ? std::optional(children) : std::nullopt;
}

std::string program_path(pid_t pid) {
  std::error_code ignored;
  return std::filesystem::read_symlink(entry_of(pid) / "exe", ignored);
}

std::vector<std::string> arguments_of(pid_t pid) {
  std::vector<std::string> arguments;
  std::ifstream file(entry_of(pid) / "cmdline");
  for (std::string one; std::getline(file, one, '\0');) arguments.push_back(one);
  return arguments;
}

std::size_t descriptors_of(pid_t pid) {
  std::error_code ignored;
  const std::filesystem::directory_iterator open(entry_of(pid) / "fd", ignored);
  return static_cast<std::size_t>(std::distance(begin(open), end(open)));
}
#ifndef WITHOUT_PIDFD
static int open_process(pid_t pid) {
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}
static long signal_by(const Descriptor& process, int number) {
  return syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0);
}
#else
static int open_process(pid_t) {
  errno = ENOSYS;
  return -1;
}
static long signal_by(const Descriptor&, int) {
  return -1;
}
#endif

PinnedProcess::PinnedProcess(pid_t pid)
    : pid_(pid), descriptor_(open_process(pid)), exists_(descriptor_ || errno != ESRCH) {
  if (!descriptor_) first_seen_ = process_state(pid);
}

bool PinnedProcess::ends_within(Duration time) const {
  if (!exists_) return true;
  const Time deadline = monotonic_now() + time;
  while (descriptor_) {
    pollfd ended{descriptor_.get(), POLLIN, 0};
    const int ready = poll(&ended, 1, poll_timeout(deadline, monotonic_now()));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
  while (kill(pid_, 0) == 0 || errno != ESRCH) {
    const auto seen = first_seen_ ? process_state(pid_) : std::nullopt;
    if (seen && (seen->letter == 'Z' || seen->started != first_seen_->started)) return true;
    if (monotonic_now() >= deadline) return false;
    poll(nullptr, 0, 1);
  }
  return true;
}

int PinnedProcess::signal(int number) const {
  if (has_ended()) return ESRCH;
  const long sent = descriptor_ ? signal_by(descriptor_, number) : kill(pid_, number);
  return sent == 0 ? 0 : errno;
}

// `value` itself if the system does not tell.
template <class Value>
[[maybe_unused]] static Value peer_option(const Descriptor& connection, int level, int option,
                                          Value value) {
  socklen_t size = sizeof value;
  getsockopt(connection.get(), level, option, &value, &size);
  return value;
}

#ifndef WITHOUT_PEERCRED
const bool kernel_tells_listener = true;
pid_t listener_pid(const Descriptor& connection) {
  return peer_option(connection, SOL_SOCKET, SO_PEERCRED, ucred{}).pid;
}
#elif defined(LOCAL_PEERPID) && !defined(POSIX_ONLY)
const bool kernel_tells_listener = true;
pid_t listener_pid(const Descriptor& connection) {
  return peer_option(connection, 0, LOCAL_PEERPID, pid_t{0});
}
#else
const bool kernel_tells_listener = false;
pid_t listener_pid(const Descriptor&) {
  return 0;
}
#endif

#ifndef WITHOUT_PEERPIDFD
Descriptor listener_process(const Descriptor& connection) {
  return Descriptor(peer_option(connection, SOL_SOCKET, SO_PEERPIDFD, -1));
}
#else
Descriptor listener_process(const Descriptor&) {
  return {};
}
#endif

// The process is pinned first: a later one with its PID has started too late.
std::optional<PinnedProcess> pin_if_older(pid_t pid, Time made) {
  constexpr Duration tick = std::chrono::milliseconds(10);  // of the clock that dates a file
  PinnedProcess pinned(pid);
  timespec up{};
  clock_gettime(since_boot, &up);
  const Time booted = std::chrono::system_clock::now().time_since_epoch() -
                      std::chrono::seconds(up.tv_sec) - std::chrono::nanoseconds(up.tv_nsec);
  const auto process = process_state(pid);
  if (process && booted + process->started > made + tick) return std::nullopt;
  return pinned;
}

// A line of /proc/locks: "1: FLOCK  ADVISORY  WRITE 1234 fd:01:131090 0 EOF"; last of its file's
// three numbers is the inode. The line of a process that waits for a lock has "->" before the kind.
std::optional<pid_t> lock_holder(const std::string& directory) {
  struct stat status {};
  if (stat(directory.c_str(), &status) != 0) return std::nullopt;
  const std::string inode = ':' + std::to_string(status.st_ino);
  std::ifstream locks(std::filesystem::path(process_list) / "locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream text(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
    if (words.size() < 6 || words[1] != "FLOCK" || !words[5].ends_with(inode)) continue;
    const auto pid = static_cast<pid_t>(parse_number(words[4]).value_or(0));
    if (pid > 0) return pid;
  }
  return std::nullopt;
}

}  // namespace bully
