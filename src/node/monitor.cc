#include "node/monitor.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <utility>

#include "node/monitor_child.h"
#include "node/pipe.h"
#include "node/setup_error.h"

namespace bully {

Monitor::Monitor(const MonitorOptions& options, const Directory& directory,
                 std::function<void()> in_child)
    : options_(options), directory_(directory), in_child_(std::move(in_child)) {
  void* shared = mmap(nullptr, sizeof(MonitorCounters), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw SetupError(errno, "mmap for the monitor", Advice::none);
  counters_ = new (shared) MonitorCounters;
}

Monitor::~Monitor() {
  end_child();
  munmap(counters_, sizeof(MonitorCounters));
}

void Monitor::start() {
  end_child();
  Pipe commands = make_pipe("to the monitor");
  Pipe reports = make_pipe("from the monitor");
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    throw SetupError(errno, "fork of the monitor",
                     errno == EAGAIN ? Advice::raise_processes : Advice::none);
  }
  if (child == 0) {
    commands.write_end.reset();
    reports.read_end.reset();
    live_as_child(parent, std::move(commands.read_end), std::move(reports.write_end));
  }
  // Where the system ends orphaned groups, this helps a child that is stopped early; not always.
  setpgid(child, child);
  pid_ = child;
  commands_ = std::move(commands.write_end);
  reports_ = std::move(reports.read_end);
  watch(target_, is_coordinator_);
}

// Whatever fails in the child ends the child. Further up are its parent's handlers, which would
// give back what is the parent's: its name in the directory.
void Monitor::live_as_child(pid_t parent, Descriptor commands, Descriptor reports) {
  try {
    in_child_();
    MonitorChild(options_, directory_, *counters_, parent, std::move(commands), std::move(reports))
        .run();
  } catch (...) {
    _exit(EXIT_FAILURE);
  }
}

void Monitor::watch(std::optional<NodeId> target, bool is_coordinator) {
  target_ = target;
  is_coordinator_ = is_coordinator;
  if (!commands_) return;
  const WatchCommand command{target.has_value(), is_coordinator, target.value_or(0)};
  // A child that does not read (it is stopped, or dead) fills its pipe some day; what it would then
  // miss, its successor is told by start().
  [[maybe_unused]] const ssize_t written = write(commands_.get(), &command, sizeof command);
}

std::optional<MonitorReport> Monitor::next_report() {
  MonitorReport report;
  if (!reports_ || read(reports_.get(), &report, sizeof report) != sizeof report) {
    return std::nullopt;
  }
  return report;
}

bool Monitor::has_died() {
  int status = 0;
  if (pid_ == 0 || waitpid(pid_, &status, WNOHANG | WUNTRACED) != pid_) return false;
  if (WIFSTOPPED(status)) {
    kill(pid_, SIGCONT);  // our own child, not reaped yet: the PID cannot be anyone else's
    return false;
  }
  pid_ = 0;
  commands_.reset();
  reports_.reset();
  return true;
}

void Monitor::end_child() {
  if (pid_ == 0) return;
  // Our own child, not reaped yet: the PID cannot be anyone else's. SIGKILL ends a stopped one too.
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  commands_.reset();
  reports_.reset();
}

}  // namespace bully
