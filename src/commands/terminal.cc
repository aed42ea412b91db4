#include "commands/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <system_error>

namespace bully {

namespace {

int first_error = 0;

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
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {  // somebody who shares the terminal has made it so
      pollfd polled{STDOUT_FILENO, POLLOUT, 0};
      poll(&polled, 1, -1);
      continue;
    }
    if (written < 0) {
      if (first_error == 0 && errno != EPIPE) first_error = errno;
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::size_t write_without_waiting(std::string_view lines) {
  while (!lines.empty()) {
    pollfd polled{STDOUT_FILENO, POLLOUT, 0};
    if (poll(&polled, 1, 0) == 0) break;
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    write_to_stdout(lines.substr(0, end));
    lines.remove_prefix(end);
  }
  return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
}

int output_error() {
  return first_error;
}

bool say_if_trace_ended(int error, Language language) {
  if (error == 0) return false;
  std::cerr << "bully: " << text(Text::log_trace_ended, language, {std::strerror(error)}) << '\n';
  return true;
}

}  // namespace bully
