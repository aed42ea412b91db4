#include "node/monitor.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cerrno>
#include <cstdlib>
#include <new>
#include <utility>

namespace bully {

namespace {

// For the child: it ends with its parent, and before that by no signal that the whole group gets.
//
// A child that is stopped when its parent dies does not see the end of its pipe. Its own process
// group helps, which its parent makes at once (see start()): the parent's death orphans that group,
// and to an orphaned group with a stopped member the system sends SIGHUP and SIGCONT [POSIX,
// _exit]. That fails if the process that inherits the child is of the same session, as a
// container's shell can be; so Linux is asked to end the child as well.
void end_with_parent(pid_t parent) {
  // Ctrl-C and a closing terminal reach the whole process group; leaving is the parent's decision.
  for (const int number : {SIGINT, SIGHUP}) signal(number, SIG_IGN);
  for (const int number : {SIGTERM, SIGCHLD, SIGCONT}) signal(number, SIG_DFL);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) _exit(0);  // it died before the request
}

}  // namespace

Monitor::Monitor(const MonitorSetup& setup, std::function<void()> in_child)
    : setup_(setup), in_child_(std::move(in_child)) {
  void* shared =
      mmap(nullptr, sizeof(PingCounter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw SetupError(errno, "mmap for the monitor", Advice::none);
  pings_sent_ = new (shared) PingCounter(0);
}

Monitor::~Monitor() {
  end_child();
  munmap(pings_sent_, sizeof(PingCounter));
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
    // Whatever fails in the child ends the child. Further up are its parent's handlers, which would
    // give back what is the parent's: its name in the directory.
    try {
      in_child_();
      end_with_parent(parent);
      run_monitor(setup_, *pings_sent_, parent, std::move(commands.read_end),
                  std::move(reports.write_end));
    } catch (...) {
      _exit(EXIT_FAILURE);
    }
  }
  // Where the system ends orphaned groups, this helps a child that is stopped early; not always.
  setpgid(child, child);
  child_ = {child, std::move(commands.write_end), std::move(reports.read_end)};
  watch(watch_);
}

void Monitor::watch(const WatchTarget& watch) {
  watch_ = watch;
  tell(WatchCommand::Kind::watch);
}

void Monitor::tell(WatchCommand::Kind kind) {
  if (!child_.commands) return;
  const WatchCommand command{watch_, kind};
  // A child that does not read fills its pipe some day; start() tells its successor the latest.
  [[maybe_unused]] const ssize_t written = write(child_.commands.get(), &command, sizeof command);
}

std::optional<MonitorReport> Monitor::next_report() {
  MonitorReport report;
  const Descriptor& reports = child_.reports;
  if (!reports || read(reports.get(), &report, sizeof report) != sizeof report) return std::nullopt;
  if (report.reason && watch_.whom == report.watched) watch_.whom.reset();
  return report;
}

bool Monitor::has_died() {
  int status = 0;
  const pid_t child = child_.pid;
  if (child == 0 || waitpid(child, &status, WNOHANG | WUNTRACED) != child) return false;
  if (WIFSTOPPED(status)) {
    kill(child, SIGCONT);  // not reaped yet: the PID cannot be another's
    return false;
  }
  child_ = {};
  return true;
}

void Monitor::end_child() {
  if (child_.pid == 0) return;
  // Not reaped yet: the PID cannot be another's. SIGKILL also ends a stopped one.
  kill(child_.pid, SIGKILL);
  while (waitpid(child_.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  child_ = {};
}

}  // namespace bully
