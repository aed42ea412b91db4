#include "node/pinned_process.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#ifdef __linux__
#include <sys/syscall.h>
#endif

namespace bully {

namespace {

#ifdef SYS_pidfd_open
int open_process(pid_t pid) {
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}
long signal_by(const Descriptor& process, int number) {
  return syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0);
}
#else
int open_process(pid_t) {
  errno = ENOSYS;
  return -1;
}
long signal_by(const Descriptor&, int) {
  return -1;
}
#endif

}  // namespace

PinnedProcess::PinnedProcess(pid_t pid)
    : pid_(pid), descriptor_(open_process(pid)), exists_(descriptor_ || errno != ESRCH) {}

bool PinnedProcess::has_ended() const {
  if (!exists_) return true;
  if (!descriptor_) return kill(pid_, 0) != 0 && errno == ESRCH;
  pollfd ended{descriptor_.get(), POLLIN, 0};
  return poll(&ended, 1, 0) > 0;
}

int PinnedProcess::signal(int number) const {
  if (has_ended()) return ESRCH;
  const long sent = descriptor_ ? signal_by(descriptor_, number) : kill(pid_, number);
  return sent == 0 ? 0 : errno;
}

}  // namespace bully
