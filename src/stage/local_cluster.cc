// local_cluster.cc: starts children, waits for them, and leaves nothing behind.
#include "stage/local_cluster.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <utility>

#include "base/text.h"
#include "node/beyond_posix.h"
#include "node/registry.h"
#include "node/taken_names.h"

namespace bully {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds guard_tick(1'000);
constexpr milliseconds until_continued(1'000);  // a stopped process cannot obey
constexpr milliseconds until_killed(5'000);
constexpr milliseconds until_given_up(5'000);  // sleeping in the kernel, it outlives SIGKILL
constexpr milliseconds look_interval(5);
constexpr int removals = 20;

void sleep_a_little() {
  poll(nullptr, 0, static_cast<int>(look_interval.count()));
}

// A guard's list of processes and directories that a program must not leave behind, and their end.
// It gets them as words, each ended by a NUL: a PID; an absolute path; with a `-` before it, a path
// to forget; with a `~`, a directory of the user's in which names of dead nodes may be left; with a
// `=`, a directory in which proxies may have names. It signals no process before the end.
class Leftovers {
 public:
  // Takes arrived words, after waiting for some for a tick at most. False at the end of `words`: no
  // process is left that could write one.
  bool listen(const Descriptor& words) {
    pollfd polled{words.get(), POLLIN, 0};
    poll(&polled, 1, static_cast<int>(guard_tick.count()));
    forget_the_ended();  // before another process can have the PID of a reaped one
    std::string bytes;
    const Incoming incoming = read_some(words, bytes);
    for (const char byte : bytes) {
      if (byte != '\0') unfinished_ += byte;
      if (byte == '\0') take(std::exchange(unfinished_, ""));
    }
    return incoming == Incoming::some || incoming == Incoming::nothing;
  }

  // A process that is being killed may keep its place a little longer than its end of the pipe of
  // words.
  void put_names_back_everywhere() const {
    for (const std::string& path : exchanged_directories_) {
      const Time deadline = monotonic_now() + until_given_up;
      try {
        const Directory directory(path, false);
        const auto is_done = [&directory] {
          const Descriptor locked = directory.lock();
          return put_names_back(directory);
        };
        while (!is_done() && monotonic_now() < deadline) sleep_a_little();
      } catch (const SetupError&) {
        // The directory is gone, or a stopped process keeps its lock: the next start repairs.
      }
    }
  }

  // Returns when all have ended, or have had their time.
  void end_processes(Guard::Ending ending) {
    if (ending == Guard::Ending::ask) {
      for (const PinnedProcess& process : processes_) process.signal(SIGTERM);
      wait_for_ends(until_continued);
      for (const PinnedProcess& process : processes_) process.signal(SIGCONT);
      wait_for_ends(until_killed);
    }
    // For a leader of a process group, the whole group.
    for (const PinnedProcess& process : processes_) {
      const bool leads = getpgid(process.pid()) == process.pid();
      if (leads && !process.has_ended()) kill(-process.pid(), SIGKILL);
      process.signal(SIGKILL);
    }
    wait_for_ends(until_given_up);
  }

  void remove_files() const {
    for (const std::string& directory : swept_directories_) {
      try {
        Registry(directory, false).sweep_up_to_a_live_one();
      } catch (const SetupError&) {
        // The directory is gone, and so are its names.
      }
    }
    // A process that is ending may still put a name into a directory that is being removed.
    for (const std::string& directory : directories_) {
      std::error_code ignored;
      for (int i = 0; i < removals; ++i) {
        std::filesystem::remove_all(directory, ignored);
        if (!std::filesystem::exists(std::filesystem::symlink_status(directory, ignored))) break;
        sleep_a_little();
      }
    }
  }

 private:
  void take(const std::string& word) {
    const char sign = word.empty() ? '\0' : word.front();
    const std::string path = word.substr(sign == '/' || sign == '\0' ? 0 : 1);
    if (sign == '/') directories_.push_back(path);
    if (sign == '-') std::erase(directories_, path);
    if (sign == '-') std::erase(exchanged_directories_, path);
    if (sign == '~') swept_directories_.push_back(path);
    if (sign == '=') exchanged_directories_.push_back(path);
    const std::optional<std::uint64_t> pid = parse_number(word);
    if (pid && *pid > 1 && std::in_range<pid_t>(*pid)) {
      processes_.emplace_back(static_cast<pid_t>(*pid));
    }
  }

  void forget_the_ended() {
    std::erase_if(processes_, [](const PinnedProcess& process) { return process.has_ended(); });
  }

  void wait_for_ends(milliseconds time) {
    const Time deadline = monotonic_now() + time;
    for (forget_the_ended(); !processes_.empty(); forget_the_ended()) {
      if (monotonic_now() >= deadline) return;
      sleep_a_little();
    }
  }

  std::string unfinished_;  // the beginning of a word
  std::vector<PinnedProcess> processes_;
  std::vector<std::string> directories_;
  std::vector<std::string> swept_directories_;
  std::vector<std::string> exchanged_directories_;
};

// REQUIRES: all signals are blocked.
[[noreturn]] void run_guard(const Descriptor& words, Guard::Ending ending) {
  raise_descriptor_limit();
  use_null_device({STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
  Leftovers leftovers;
  while (leftovers.listen(words)) {
  }
  leftovers.put_names_back_everywhere();
  leftovers.end_processes(ending);
  leftovers.remove_files();
  _exit(0);
}

// May be called again: the kernel keeps its news of a stop.
bool is_stopped(pid_t child) {
  siginfo_t news{};
  const int options = WSTOPPED | WNOHANG | WNOWAIT;
  return waitid(P_PID, static_cast<id_t>(child), &news, options) == 0 && news.si_pid == child;
}

}  // namespace

int as_shells_say(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void use_null_device(std::initializer_list<int> descriptors) {
  const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int descriptor : descriptors) dup2(nothing.get(), descriptor);
}

std::string own_program(const std::string& called_as) {
  std::string path = program_path(getpid());
  if (access(path.c_str(), X_OK) == 0) return path;  // false if the file has been replaced
  return called_as;  // a word with a slash is a path; otherwise execvp searches as a shell does
}

void become_program(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
}

std::string temporary_directory() {
  constexpr std::string_view longest = "/bully.xxxxxxxxxxxx/nodes.aside/2147483647";
  const char* named = std::getenv("TMPDIR");
  if (named == nullptr || *named == '\0') return "/tmp";
  std::error_code error;
  std::string directory = std::filesystem::absolute(named, error);
  const bool fits = std::filesystem::is_directory(directory, error) &&
                    directory.size() + longest.size() <= max_socket_path();
  return fits ? directory : "/tmp";
}

Guard::Guard(Ending ending) : owner_(getpid()) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) {
    throw SetupError(errno, "socketpair to the guard", Advice::none);
  }
  Descriptor ours = prepared(ends[0]);
  const Descriptor its = prepared(ends[1]);
  set_blocking(ours.get());
  // The guard must ignore all signals that it can from its first moment on: so they are blocked
  // before it exists.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t child = fork();
  const int failed = errno;
  if (child != 0) sigprocmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) throw SetupError(failed, "fork of the guard", Advice::none);
  if (child == 0) {
    // In a separate session, the terminal's signals and its end do not reach the guard.
    setsid();
    // As a grandchild, the guard does not disturb a caller that counts or waits for its children.
    if (const pid_t guard = fork(); guard != 0) _exit(guard > 0 ? 0 : errno);
    ours.reset();
    run_guard(its, ending);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (const int error = WEXITSTATUS(status); error != 0) {
    throw SetupError(error, "fork of the guard", Advice::none);
  }
  words_ = std::move(ours);
}

Guard::~Guard() {
  if (!words_ || getpid() != owner_) return;
  shutdown(words_.get(), SHUT_WR);
  char byte = 0;
  while (recv(words_.get(), &byte, 1, 0) < 0 && errno == EINTR) {
  }
}

pid_t Guard::start(std::vector<std::string> words, const std::function<void()>& prepare) const {
  const pid_t child = fork();
  if (child < 0) throw SetupError(errno, "fork of " + words[0], Advice::raise_processes);
  if (child > 0) return child;
  prepare();
  if (!add_this_process()) _exit(127);
  ::signal(SIGPIPE, SIG_DFL);
  become_program(std::move(words));
  _exit(127);  // the program does not exist
}

std::string Guard::make_directory(const std::string& prefix) const {
  std::random_device random;
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz234567";
  std::string path = std::filesystem::absolute(prefix);
  for (int i = 0; i < 12; ++i) path += letters[random() % letters.size()];
  // The guard knows it before it is made: no other process can have that name, so this puts no
  // foreign file at risk.
  write_word(path);
  if (mkdir(path.c_str(), S_IRWXU) != 0) {
    const int error = errno;
    forget_directory(path);
    throw SetupError(error, "mkdir " + path, Advice::none);
  }
  return path;
}

bool Guard::write_word(const std::string& word) const {
  std::string_view left(word.c_str(), word.size() + 1);  // including the NUL that ends it
  while (!left.empty()) {
    const ssize_t sent = send_some(words_, left);
    if (sent < 0 && errno != EINTR) return false;
    if (sent > 0) left.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

LocalCluster::LocalCluster(Guard::Ending ending)
    : in_background_(ending == Guard::Ending::kill),
      guard_(std::in_place, ending),
      private_directory_(guard_->make_directory(temporary_directory() + "/bully.")),
      signals_({SIGQUIT, SIGCHLD}) {}

LocalCluster::~LocalCluster() {
  // From here on no child becomes a zombie, for which some systems' guards would wait. Signals that
  // ask to leave are still noted.
  ::signal(SIGCHLD, SIG_IGN);
  reap();
  guard_.reset();
}

pid_t LocalCluster::start(std::vector<std::string> words, bool keeps_errors) {
  const pid_t child = guard_->start(std::move(words), [this, keeps_errors] {
    if (in_background_) setpgid(0, 0);
    signals_.close_inherited();
    if (in_background_) use_null_device({STDIN_FILENO, STDOUT_FILENO});
    if (!keeps_errors) return;
    const int file = open(errors_file().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0) dup2(file, STDERR_FILENO);
  });
  statuses_[child] = std::nullopt;
  return child;
}

pid_t LocalCluster::fork_child(const std::function<void()>& act) {
  const pid_t child = fork();
  if (child < 0) throw SetupError(errno, "fork", Advice::raise_processes);
  if (child == 0) {
    signals_.close_inherited();
    if (!guard_->add_this_process()) _exit(127);
    guard_->close_inherited();
    act();
    _exit(0);
  }
  statuses_[child] = std::nullopt;
  return child;
}

bool LocalCluster::have_all_ended() const {
  return std::ranges::all_of(statuses_, [](const auto& entry) { return entry.second.has_value(); });
}

// An unreaped child keeps its PID. A process that sleeps in the kernel obeys late.
bool LocalCluster::signal(pid_t pid, int number) {
  const std::optional<int>& ended = statuses_.at(pid);
  if (!ended) {
    ::kill(pid, number);
    for (reap(); !ended; rest(never)) {
      if (number == SIGSTOP && is_stopped(pid)) return true;
    }
    if (ended == 128 + number) return true;
  }
  rest({});  // perhaps a signal to the whole group ended it
  return false;
}

void LocalCluster::rest(Duration at_most) {
  pollfd signalled{signals_.fd(), POLLIN, 0};
  poll_for({&signalled, 1}, poll_timeout(at_most, {}));
  while (const std::optional<int> number = signals_.next()) {
    if (*number != SIGCHLD) throw Interrupted{*number};
    reap();
  }
}

bool LocalCluster::wait_until(const std::function<bool()>& condition, Duration at_most) {
  const Time deadline = at_most == never ? never : monotonic_now() + at_most;
  rest({});
  while (!condition()) {
    if (monotonic_now() >= deadline) return false;
    rest(at_most == never ? never : look_interval);
  }
  return true;
}

void LocalCluster::reap() {
  for (auto& [pid, ended] : statuses_) {
    int status = 0;
    if (!ended && waitpid(pid, &status, WNOHANG) == pid) ended = as_shells_say(status);
  }
}

}  // namespace bully
