// monitor.cc: the parent's side: pipes, orders and reports.
#include "node/monitor.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "node/beyond_posix.h"

namespace bully {

namespace {

// For the child: it ends with its parent, and ignores signals to the whole process group until
// then.
//
// A child that is stopped when its parent dies does not see the end of its pipe. A separate process
// group helps, which its parent makes at once (see start()): the parent's death orphans that group,
// and the system sends SIGHUP and SIGCONT to an orphaned group with a stopped member [POSIX,
// _exit]. That fails if the process that inherits the child belongs to the same session, as a
// container's shell can; so on Linux the child also asks the kernel to end it.
void end_with_parent(pid_t parent) {
  // Ctrl-C and a closing terminal reach the whole process group; leaving is the parent's decision.
  for (const int number : {SIGINT, SIGHUP}) signal(number, SIG_IGN);
  for (const int number : {SIGTERM, SIGCHLD, SIGCONT}) signal(number, SIG_DFL);
  end_with(parent);
}

}  // namespace

Monitor::Monitor(const MonitorSetup& setup, std::function<void()> in_child)
    : setup_(setup), in_child_(std::move(in_child)) {
  void* shared =
      mmap(nullptr, sizeof(MonitorPage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw SetupError(errno, "mmap for the monitor", Advice::none);
  page_ = new (shared) MonitorPage{};
}

Monitor::~Monitor() {
  end_child();
  munmap(page_, sizeof(MonitorPage));
}

void Monitor::start() {
  end_child();
  Pipe targets = make_pipe("to the monitor");
  Pipe reports = make_pipe("from the monitor");
  const pid_t child = fork();
  if (child < 0) {
    throw SetupError(errno, "fork of the monitor",
                     errno == EAGAIN ? Advice::raise_processes : Advice::none);
  }
  if (child == 0) {
    targets.write_end.reset();
    reports.read_end.reset();
    // Any failure in the child ends the child. Further up are its parent's handlers, which would
    // remove the parent's name from the directory.
    try {
      in_child_();
      end_with_parent(setup_.parent);
      page_->ready = getpid();
      run_monitor(setup_, *page_, std::move(targets.read_end), std::move(reports.write_end));
    } catch (...) {
      _exit(EXIT_FAILURE);
    }
  }
  // On systems that end orphaned groups, this often helps a child that is stopped early.
  setpgid(child, child);
  child_ = {child, std::move(targets.write_end), std::move(reports.read_end)};
  watch(watch_);
}

void Monitor::watch(const WatchTarget& watch) {
  watch_ = watch;
  if (!child_.targets) return;
  // The pipe of a child that does not read is full in the end; start() at the latest repeats this
  // to its successor.
  [[maybe_unused]] const ssize_t written = write(child_.targets.get(), &watch_, sizeof watch_);
}

std::optional<MonitorReport> Monitor::next_report() {
  MonitorReport report;
  const Descriptor& reports = child_.reports;
  if (!reports) return std::nullopt;
  const ssize_t got = read(reports.get(), &report, sizeof report);
  if (got != sizeof report) {
    // Its end of the pipe is closed, or this one is of no use any more.
    if (got >= 0 || !would_block()) end_child();
    return std::nullopt;
  }
  const auto* suspected = std::get_if<Suspected>(&report);
  if (suspected != nullptr && watch_.whom == suspected->peer) watch_.whom.reset();
  return report;
}

void Monitor::reap() {
  int status = 0;
  const pid_t child = child_.pid;
  if (child == 0 || waitpid(child, &status, WNOHANG | WUNTRACED) != child) return;
  if (WIFSTOPPED(status)) {
    kill(child, SIGCONT);  // not reaped yet: no other process can have its PID
  } else {
    child_ = {};
  }
}

void Monitor::end_child() {
  const pid_t child = std::exchange(child_, {}).pid;  // closes the pipes: that alone ends it
  if (child == 0) return;
  kill(child, SIGKILL);  // a stopped one too; not reaped yet: no other process can have its PID
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace bully
