// output.cc: writes that wait for no reader longer than they must.
#include "terminal/output.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/list.h"
#include "base/text.h"
#include "terminal/invocation.h"

namespace bully {

namespace {

int first_error = 0;  // of standard output
bool is_stdout_closed = false;

// The longest wait for a write, and the pause before the next try.
constexpr suseconds_t moment_us = 1'000;
constexpr Duration waiting_pause = std::chrono::milliseconds(20);

// How often a write that should lose nothing checks for a request to leave, and how long it then
// goes on.
constexpr suseconds_t look_interval_us = 50'000;
constexpr Duration leaving_patience = std::chrono::seconds(1);

constexpr Duration progress_interval = std::chrono::milliseconds(200);

void note_error(int fd, int error) {
  if (fd == STDOUT_FILENO && first_error == 0) first_error = error;
}

extern "C" void only_interrupt(int) {}

bool let_alarm_interrupt() {
  struct sigaction action {};
  action.sa_handler = only_interrupt;
  sigemptyset(&action.sa_mask);
  sigaction(SIGALRM, &action, nullptr);
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  return sigprocmask(SIG_UNBLOCK, &alarm, nullptr) == 0;
}

ssize_t write_for(suseconds_t time_us, int fd, std::string_view bytes) {
  [[maybe_unused]] static const bool is_interrupted = let_alarm_interrupt();
  // Repeatedly: the first signal may come before the write has begun.
  const itimerval each_time{{0, time_us}, {0, time_us}};
  const itimerval none{};
  setitimer(ITIMER_REAL, &each_time, nullptr);
  const ssize_t written = write(fd, bytes.data(), bytes.size());
  const int error = errno;
  setitimer(ITIMER_REAL, &none, nullptr);
  errno = error;
  return written;
}

// After a request to leave, a process waits only a little longer for a reader.
bool is_out_of_patience() {
  static Time until = never;
  if (!was_asked_to_leave()) return false;
  until = std::min(until, monotonic_now() + leaving_patience);
  return monotonic_now() >= until;
}

void write_all(int fd, std::string_view text) {
  static bool is_given_up = false;  // later lines would wait as well
  while (!text.empty() && !is_given_up) {
    const ssize_t written = write_for(look_interval_us, fd, text);
    if (written < 0 && errno == EAGAIN) {  // another process made it non-blocking
      pollfd polled{fd, POLLOUT, 0};
      poll(&polled, 1, look_interval_us / 1'000);
    } else if (written < 0 && errno != EINTR) {
      return note_error(fd, errno);
    }
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    is_given_up = written < 0 && is_out_of_patience();
  }
}

std::size_t count_lines(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

void prepare_standard_streams() {
  signal(SIGXFSZ, SIG_IGN);
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    if (stream == STDOUT_FILENO) is_stdout_closed = true;
    // It takes the lowest free descriptor: this one, as all below are open now.
    if (open("/dev/null", O_RDWR) < 0) {
      throw std::system_error(errno, std::generic_category(), "open /dev/null");
    }
  }
}

LogStyle log_style(const Invocation& invocation) {
  using enum Invocation::Color;
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool suits = isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0') &&
                     terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
  const bool color = invocation.color == automatic ? suits : invocation.color == on;
  return {invocation.language, color, invocation.explain};
}

void write_to_stdout(std::string_view text) {
  if (is_stdout_closed && !text.empty()) note_error(STDOUT_FILENO, EBADF);
  write_all(STDOUT_FILENO, text);
}

void write_to_stderr(std::string_view text) {
  write_all(STDERR_FILENO, text);
}

// Broken into lines for a person; unchanged for other programs.
static std::string fit_for(int fd, std::string_view text) {
  return isatty(fd) == 1 ? rewrapped(text) : std::string(text);
}

void narrate(std::string_view text) {
  write_to_stdout(fit_for(STDOUT_FILENO, text));
  if (output_error() == EPIPE) throw Interrupted{SIGPIPE};
}

std::string folded_for(int fd, std::string_view lines) {
  winsize size{};
  const bool is_known = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? folded(lines, size.ws_col) : std::string(lines);
}

void show_progress(std::string_view words) {
  if (isatty(STDERR_FILENO) == 1) write_to_stderr("\r\033[K" + std::string(words));
}

void complain(std::string_view words) {
  if (words.empty()) return;
  write_to_stderr(fit_for(STDERR_FILENO, "bully: " + harmless(words)) + '\n');
}

void require_file_or_none(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return;
  throw SetupError(S_ISDIR(status.st_mode) ? EISDIR : ESPIPE, "write " + path, Advice::none);
}

LineOutput::LineOutput(int fd) : fd_(fd) {
  struct stat status {};
  may_wait_ = fstat(fd, &status) != 0 || !S_ISREG(status.st_mode);
}

std::size_t LineOutput::write(std::string_view lines) {
  if (!may_wait_) {
    write_all(fd_, lines);
    return 0;
  }
  const Time now = monotonic_now();
  if (now < waits_until_) return count_lines(lines);
  const std::string all = rest_ + std::string(lines);
  const ssize_t written = write_for(moment_us, fd_, all);
  if (written < 0 && errno != EINTR && errno != EAGAIN) {
    note_error(fd_, errno);
    rest_.clear();
    return 0;
  }
  const std::size_t taken = written < 0 ? 0 : static_cast<std::size_t>(written);
  if (taken < all.size()) waits_until_ = monotonic_now() + waiting_pause;
  // Keeps the rest of a cut line, and none of the other lines.
  const bool is_cut = taken < rest_.size() || (taken > rest_.size() && all[taken - 1] != '\n');
  const std::size_t kept = is_cut ? std::min(all.find('\n', taken), all.size() - 1) + 1 - taken : 0;
  rest_ = all.substr(taken, kept);
  return count_lines(std::string_view(all).substr(taken + kept));
}

Progress::Progress() : next_(monotonic_now() + progress_interval) {}

Progress::~Progress() {
  show_progress("");
}

bool Progress::operator()(const std::function<std::string()>& words) {
  if (monotonic_now() >= next_) {
    show_progress(words());
    next_ = monotonic_now() + progress_interval;
  }
  return !signals_.next();
}

int output_error() {
  return first_error;
}

}  // namespace bully
