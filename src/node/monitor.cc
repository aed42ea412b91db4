#include "node/monitor.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <utility>

#include "node/monitor_child.h"
#include "node/setup_error.h"
#include "node/unix_socket.h"

namespace bully {

namespace {

std::pair<Descriptor, Descriptor> make_pipe() {
  int ends[2];
  if (pipe(ends) != 0) {
    throw SetupError(errno, "pipe to the monitor", advice_for(errno, Advice::none));
  }
  for (const int end : ends) {
    set_close_on_exec(end);
    set_non_blocking(end);
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace

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
  auto [command_read, command_write] = make_pipe();
  auto [report_read, report_write] = make_pipe();
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    throw SetupError(errno, "fork of the monitor",
                     errno == EAGAIN ? Advice::raise_processes : Advice::none);
  }
  if (child == 0) {
    in_child_();
    command_write.reset();
    report_read.reset();
    MonitorChild(options_, directory_, *counters_, parent, std::move(command_read),
                 std::move(report_write))
        .run();
  }
  pid_ = child;
  commands_ = std::move(command_write);
  reports_ = std::move(report_read);
  watch(target_);
}

void Monitor::watch(std::optional<NodeId> target) {
  target_ = target;
  if (!commands_) return;
  const WatchCommand command{target.has_value(), target.value_or(0)};
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
  if (pid_ == 0 || waitpid(pid_, nullptr, WNOHANG) != pid_) return false;
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
