#include "support/process.h"
#include "base/list.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "node/beyond_posix.h"
#include "stage/local_cluster.h"
#include "support/scratch.h"

namespace bully {

namespace {

constexpr int poll_interval_ms = 5;
constexpr int exit_not_executed = 127;

void redirect(const std::string& path, int flags, int to) {
  const int fd = open(path.c_str(), flags, 0600);
  if (fd < 0 || dup2(fd, to) < 0) _exit(exit_not_executed);
  close(fd);
}

[[noreturn]] void become(const Program& program) {
  if (program.own_group) setpgid(0, 0);
  for (const char* name : {"BULLY_DIR", "BULLY_TRACE", "LC_MESSAGES", "LANG"}) unsetenv(name);
  setenv("LC_ALL", "C", 1);
  // The tests' own handlers would report a failed test; and under nohup a hangup is ignored.
  for (const int number : {SIGPIPE, SIGINT, SIGQUIT, SIGHUP, SIGTERM}) signal(number, SIG_DFL);
  constexpr int append = O_WRONLY | O_CREAT | O_APPEND;
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect(program.output, append, STDOUT_FILENO);
  redirect(program.errors, append, STDERR_FILENO);
  if (program.in_child) program.in_child();
  become_program(Arguments{program.binary} + program.arguments);
  _exit(exit_not_executed);
}

pid_t fork_one() {
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  return child;
}

// For systems without /proc.
std::vector<ProcessEntry> processes_by_ps() {
  std::vector<ProcessEntry> entries;
  std::FILE* listing = popen("ps -A -o pid= -o ppid= -o stat=", "r");
  if (listing == nullptr) return entries;
  ProcessEntry entry;
  while (std::fscanf(listing, "%d %d %c%*s", &entry.pid, &entry.parent, &entry.state) == 3) {
    entries.push_back(entry);
  }
  pclose(listing);
  return entries;
}

}  // namespace

bool wait_until(const std::function<bool()>& condition, Duration deadline) {
  const Time end = monotonic_now() + deadline;
  while (!condition()) {
    if (monotonic_now() >= end) return false;
    poll(nullptr, 0, poll_interval_ms);
  }
  return true;
}

unsigned from_environment(const char* name, unsigned otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr ? static_cast<unsigned>(std::atoi(given)) : otherwise;
}

bool is_soak() {
  return from_environment("BULLY_SOAK_ROUNDS", 0) > 0;
}

std::string binary_under_test() {
  const char* named = std::getenv("BULLY_BINARY");
  return named != nullptr && *named != '\0' ? named : "./bully";
}

Arguments operator+(Arguments words, const Arguments& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Child::Child(const Program& program) {
  // Where no process may be started, the fork says so, and not that the program is missing.
  const bool may_start = std::getenv(no_processes_variable) == nullptr;
  if (may_start && contains(program.binary, "/") && access(program.binary.c_str(), X_OK) != 0) {
    throw std::system_error(errno, std::generic_category(), "execute " + program.binary);
  }
  pid_ = fork_one();
  if (pid_ == 0) become(program);
  if (program.own_group) setpgid(pid_, pid_);  // whichever of the two comes first
}

Child::Child(const std::function<void()>& life) : pid_(fork_one()) {
  if (pid_ != 0) return;
  try {
    life();
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

Child& Child::operator=(Child&& other) noexcept {
  kill();
  pid_ = std::exchange(other.pid_, 0);
  outcome_ = other.outcome_;
  return *this;
}

void Child::signal(int number, bool whole_group) const {
  if (!is_waited_for()) ::kill(whole_group ? -pid_ : pid_, number);
}

void Child::kill() {
  signal(SIGKILL);
  reap(false);
}

bool Child::reap(bool at_once) {
  if (is_waited_for()) return true;
  int status = 0;
  if (waitpid(pid_, &status, at_once ? WNOHANG : 0) != pid_) return false;
  outcome_ = WIFEXITED(status) ? Outcome{WEXITSTATUS(status), 0} : Outcome{-1, WTERMSIG(status)};
  return true;
}

Outcome Child::end(Duration deadline) {
  if (!wait_until([this] { return has_ended(); }, deadline)) kill();
  return outcome_.value_or(Outcome());
}

Outcome Child::end_by(int number) {
  signal(number);
  return end();
}

bool Child::is_stopped_in_time() const {
  return wait_until([this] {
    int status = 0;
    return waitpid(pid_, &status, WNOHANG | WUNTRACED) == pid_ && WIFSTOPPED(status);
  });
}

void* shared_memory(std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) return memory;
  throw std::system_error(errno, std::generic_category(), "mmap");
}

void unshare_memory(void* memory, std::size_t size) {
  munmap(memory, size);
}

Finished run_to_end(const std::string& scratch, Program program) {
  program.output = scratch + "/finished.out";
  program.errors = scratch + "/finished.err";
  unlink(program.output.c_str());
  unlink(program.errors.c_str());
  // Some compute for seconds, and for longer in a build that is not optimized.
  const Outcome outcome = Child(program).end(6 * patience);
  return {outcome, contents(program.output), contents(program.errors)};
}

Finished run_bully(Arguments words, std::function<void()> in_child) {
  const Scratch scratch;
  return run_to_end(scratch.path(),
                    {.arguments = std::move(words), .in_child = std::move(in_child)});
}

void become_nobody() {
  if (setgid(nobody_uid) != 0 || setuid(nobody_uid) != 0) _exit(exit_cannot_try);
}

std::string binary_for_anyone(const std::string& directory) {
  chmod(directory.c_str(), 0755);
  std::string copy = directory + "/bully";
  std::filesystem::copy_file(binary_under_test(), copy);
  chmod(copy.c_str(), 0755);
  return copy;
}

std::vector<ProcessEntry> all_processes() {
  std::vector<ProcessEntry> entries;
  std::error_code error;
  std::filesystem::directory_iterator all("/proc", error);
  if (error || !std::filesystem::exists("/proc/self/stat", error)) return processes_by_ps();
  for (; !error && all != std::filesystem::directory_iterator(); all.increment(error)) {
    const pid_t pid = std::atoi(all->path().filename().c_str());
    const auto state = pid > 0 ? process_state(pid) : std::nullopt;
    if (state) entries.push_back({pid, state->parent, state->letter});
  }
  return entries;
}

std::vector<ProcessEntry> children_of(pid_t parent) {
  std::vector<ProcessEntry> entries = all_processes();
  std::erase_if(entries, [parent](const ProcessEntry& entry) { return entry.parent != parent; });
  return entries;
}

bool is_running(pid_t pid) {
  const std::vector<ProcessEntry> entries = all_processes();
  return std::ranges::any_of(entries, [pid](const ProcessEntry& entry) {
    return entry.pid == pid && entry.state != 'Z' && entry.state != 'X';
  });
}

// With stdio: a stream throws when a process ends while its entry in /proc is read.
std::string contents(const std::string& path) {
  std::string read;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return read;
  char part[4096];
  while (const std::size_t got = std::fread(part, 1, sizeof part, file)) read.append(part, got);
  std::fclose(file);
  return read;
}

std::string read_ready(const Descriptor& from) {
  fcntl(from.get(), F_SETFL, fcntl(from.get(), F_GETFL) | O_NONBLOCK);
  std::string ready;
  char part[4096];
  for (ssize_t got = 0; (got = read(from.get(), part, sizeof part)) > 0;) {
    ready.append(part, static_cast<std::size_t>(got));
  }
  return ready;
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string in_one_line(std::string_view text) {
  std::string joined;
  for (const char c : text) {
    const bool is_space = c == '\n' || c == ' ';
    if (!is_space || !joined.ends_with(' ')) joined += is_space ? ' ' : c;
  }
  return joined;
}

std::uint64_t kib_in(const std::string& path, std::string_view key) {
  std::istringstream file(contents(path));
  for (std::string word; file >> word;) {
    std::uint64_t kib = 0;
    if (word == key && file >> kib) return kib;
  }
  return 0;
}

std::uint64_t own_kib(pid_t pid) {
  return kib_in("/proc/" + std::to_string(pid) + "/status", "RssAnon:");
}

double seconds_of_processor(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return double(time.tv_sec) + double(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void limit_descriptors(rlim_t most) {
  const rlimit limit{most, most};
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::size_t descriptor_count(pid_t pid) {
  std::error_code error;
  const std::filesystem::directory_iterator open("/proc/" + std::to_string(pid) + "/fd", error);
  if (error) return 0;
  return static_cast<std::size_t>(
      std::distance(std::filesystem::begin(open), std::filesystem::end(open)));
}

}  // namespace bully
