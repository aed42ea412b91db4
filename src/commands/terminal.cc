#include "commands/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace bully {

namespace {

int first_error = 0;

// For how long a write may wait, and how long then nothing is written.
constexpr suseconds_t moment_us = 1'000;
constexpr Duration waiting_pause = std::chrono::milliseconds(20);

void note_error(int fd, int error) {
  if (fd == STDOUT_FILENO && first_error == 0 && error != EPIPE) first_error = error;
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {  // somebody who shares the terminal has made it so
      pollfd polled{fd, POLLOUT, 0};
      poll(&polled, 1, -1);
      continue;
    }
    if (written < 0) return note_error(fd, errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

extern "C" void only_interrupt(int) {}

void let_alarm_interrupt() {
  struct sigaction action {};
  action.sa_handler = only_interrupt;
  sigemptyset(&action.sa_mask);
  sigaction(SIGALRM, &action, nullptr);
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &alarm, nullptr);
}

ssize_t write_for_a_moment(int fd, std::string_view bytes) {
  // Again and again: the first may come before the write has begun.
  const itimerval each_moment{{0, moment_us}, {0, moment_us}};
  const itimerval none{};
  setitimer(ITIMER_REAL, &each_moment, nullptr);
  const ssize_t written = write(fd, bytes.data(), bytes.size());
  const int error = errno;
  setitimer(ITIMER_REAL, &none, nullptr);
  errno = error;
  return written;
}

std::size_t count_lines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

bool is_regular_file(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

void prepare_standard_streams() {
  signal(SIGXFSZ, SIG_IGN);
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // It takes the lowest descriptor that is free: this one, as those below are open now.
    if (open("/dev/null", O_RDWR) < 0) {
      throw std::system_error(errno, std::generic_category(), "open /dev/null");
    }
  }
}

bool use_color(std::size_t choice) {
  if (choice != 0) return choice == 1;
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0') &&
         terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

void write_to_stdout(std::string_view text) {
  write_all(STDOUT_FILENO, text);
}

void write_to_stderr(std::string_view text) {
  write_all(STDERR_FILENO, text);
}

LineOutput::LineOutput(int fd) : fd_(fd), may_wait_(!is_regular_file(fd)) {
  if (may_wait_) let_alarm_interrupt();
}

std::size_t LineOutput::write(std::string_view lines) {
  if (!may_wait_) {
    write_all(fd_, lines);
    return 0;
  }
  const Time now = monotonic_now();
  if (now < waits_until_) return count_lines(lines);
  const std::string all = rest_ + std::string(lines);
  const ssize_t written = write_for_a_moment(fd_, all);
  if (written < 0 && errno != EINTR && errno != EAGAIN) {
    note_error(fd_, errno);
    rest_.clear();
    return 0;
  }
  const std::size_t taken = written < 0 ? 0 : static_cast<std::size_t>(written);
  if (taken < all.size()) waits_until_ = monotonic_now() + waiting_pause;
  // Of the line that was cut, if one was, the rest is kept; of the others, none.
  const bool is_cut = taken < rest_.size() || (taken > rest_.size() && all[taken - 1] != '\n');
  const std::size_t kept = is_cut ? std::min(all.find('\n', taken), all.size() - 1) + 1 - taken : 0;
  rest_ = all.substr(taken, kept);
  return count_lines(std::string_view(all).substr(taken + kept));
}

int output_error() {
  return first_error;
}

bool say_if_trace_ended(int error, Language language) {
  if (error == 0) return false;
  write_to_stderr("bully: " + text(Text::log_trace_ended, language, {std::strerror(error)}) + '\n');
  return true;
}

}  // namespace bully
