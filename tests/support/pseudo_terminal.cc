#include "support/pseudo_terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace bully {

namespace {

constexpr std::size_t max_rows = 4000;

[[noreturn]] void terminal_failed(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

// Where the sequence ends that begins at `at`, as [ECMA-48] has it: a control sequence, a string up
// to its terminator, or a few characters; nothing if it is not all there.
std::size_t end_of_escape(const std::string& text, std::size_t at) {
  if (at + 1 >= text.size()) return std::string::npos;
  const char kind = text[at + 1];
  if (kind == ']') return text.find_first_of("\a\\", at + 2);
  std::size_t end = at + (kind == '[' ? 2 : 1);
  const char least = kind == '[' ? '@' : '0';
  while (end < text.size() && text[end] < least) ++end;
  return end < text.size() ? end : std::string::npos;
}

}  // namespace

TerminalEnds open_terminal() {
  Descriptor master(posix_openpt(O_RDWR | O_NOCTTY));
  if (!master || grantpt(master.get()) != 0 || unlockpt(master.get()) != 0)
    terminal_failed("posix_openpt");
  fcntl(master.get(), F_SETFD, FD_CLOEXEC);
  Descriptor slave(open(ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!slave) terminal_failed("open of a pseudo-terminal");
  return {std::move(master), std::move(slave)};
}

std::size_t fill(const Descriptor& slave, std::size_t most) {
  const int flags = fcntl(slave.get(), F_GETFL);
  fcntl(slave.get(), F_SETFL, flags | O_NONBLOCK);
  std::size_t taken = 0;
  while (taken < most && write(slave.get(), "x", 1) == 1) ++taken;
  fcntl(slave.get(), F_SETFL, flags);
  return taken;
}

void take_terminal(int slave) {
  setsid();
  ioctl(slave, TIOCSCTTY, 0);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(slave, fd);
  setenv("TERM", "xterm", 1);
}

PseudoTerminal::PseudoTerminal(Program program, unsigned short rows, unsigned short columns)
    : ends_(open_terminal()), first_settings_(settings()), lines_(max_rows) {
  fcntl(ends_.master.get(), F_SETFL, O_NONBLOCK);
  resize(rows, columns);
  program.in_child = [slave = ends_.slave.get(), prepare = program.in_child] {
    if (prepare) prepare();
    take_terminal(slave);
  };
  program_ = Child(program);
}

void PseudoTerminal::press(const std::string& keys) {
  if (write(ends_.master.get(), keys.data(), keys.size()) != static_cast<ssize_t>(keys.size())) {
    terminal_failed("write to a pseudo-terminal");
  }
}

void PseudoTerminal::resize(unsigned short rows, unsigned short columns) {
  winsize size{};
  size.ws_row = rows;
  size.ws_col = columns;
  ioctl(ends_.master.get(), TIOCSWINSZ, &size);
}

termios PseudoTerminal::settings() const {
  termios settings{};
  tcgetattr(ends_.slave.get(), &settings);
  return settings;
}

bool PseudoTerminal::has_first_settings() const {
  const termios now = settings();
  const termios& first = first_settings_;
  return now.c_iflag == first.c_iflag && now.c_oflag == first.c_oflag &&
         now.c_cflag == first.c_cflag && now.c_lflag == first.c_lflag &&
         std::memcmp(now.c_cc, first.c_cc, sizeof now.c_cc) == 0;
}

Outcome PseudoTerminal::end() {
  // What it has to say at its end must find room.
  wait_until([this] {
    read_on();
    return program_.has_ended();
  });
  const Outcome outcome = program_.end({});
  read_on();
  return outcome;
}

bool PseudoTerminal::is_full() const {
  pollfd room{ends_.slave.get(), POLLOUT, 0};
  return poll(&room, 1, 0) == 0;
}

bool PseudoTerminal::shows(const std::string& words) {
  return wait_until([&] { return text().find(words) != std::string::npos; });
}

const std::vector<std::string>& PseudoTerminal::lines() {
  read_on();
  return lines_;
}

std::string PseudoTerminal::text() {
  std::string all;
  for (const std::string& line : lines()) all += line + '\n';
  return all;
}

bool PseudoTerminal::is_other_screen() {
  read_on();
  return other_screen_;
}

bool PseudoTerminal::is_cursor_shown() {
  read_on();
  return cursor_shown_;
}

void PseudoTerminal::read_on() {
  char bytes[4096];
  for (ssize_t got = 0; (got = read(ends_.master.get(), bytes, sizeof bytes)) > 0;) {
    pending_.append(bytes, static_cast<std::size_t>(got));
  }
  std::size_t at = 0;
  while (at < pending_.size()) {
    if (pending_[at] != '\033') {
      write_plain(pending_[at++]);
      continue;
    }
    const std::size_t end = end_of_escape(pending_, at);
    if (end == std::string::npos) break;  // the rest of it is still to come
    if (pending_[at + 1] == '[') obey(pending_[end], pending_.substr(at + 2, end - at - 2));
    at = end + 1;
  }
  pending_.erase(0, at);
}

void PseudoTerminal::write_plain(char c) {
  if (c == '\n') row_ = std::min(row_ + 1, max_rows - 1);
  if (c == '\r' || c == '\n') {
    starts_line_ = true;
    return;
  }
  if (starts_line_) lines_[row_].clear();  // whoever writes a line here writes all of it
  starts_line_ = false;
  lines_[row_] += c;
}

void PseudoTerminal::obey(char final, const std::string& parameters) {
  if (final == 'H') {
    row_ = parameters.empty() ? 0 : std::min<std::size_t>(std::stoul(parameters), max_rows) - 1;
    starts_line_ = true;
  }
  if (final == 'J') lines_.assign(max_rows, "");
  if (parameters == "?1049") other_screen_ = final == 'h';
  if (parameters == "?25") cursor_shown_ = final == 'h';
}

}  // namespace bully
