// screen.cc: the terminal's settings, and the lines that have changed.
#include "terminal/screen.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "node/system.h"
#include "terminal/output.h"

namespace bully {

bool Screen::is_possible() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

Screen::Screen() {
  if (tcgetattr(STDIN_FILENO, &found_) != 0) {
    throw SetupError(errno, "tcgetattr of the terminal", Advice::none);
  }
  take();
}

Screen::~Screen() {
  write_to_stdout("\033[0m\033[?7h\033[?25h\033[?1049l");
  tcflush(STDIN_FILENO, TCIFLUSH);
  tcsetattr(STDIN_FILENO, TCSANOW, &found_);  // it may be a terminal that no process reads
}

std::pair<std::size_t, std::size_t> Screen::size() {
  winsize size{};
  ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  return {size.ws_row > 0 ? size.ws_row : 24, size.ws_col > 0 ? size.ws_col : 80};
}

void Screen::take() {
  termios settings = found_;
  settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  // Ctrl-C stays a signal. Ctrl-Z and Ctrl-\ would leave the terminal in this state.
  settings.c_cc[VSUSP] = _POSIX_VDISABLE;
  settings.c_cc[VQUIT] = _POSIX_VDISABLE;
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &settings);
  // The other screen, no cursor, and no line that runs on into the next.
  write_to_stdout("\033[?1049h\033[?25l\033[?7l");
  shown_.clear();
}

std::vector<int> Screen::signals() {
  return {SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT};
}

bool Screen::handles(int signal) {
  if (signal == SIGWINCH) shown_.clear();
  if (signal == SIGCONT) take();
  return signal == SIGWINCH || signal == SIGCONT || signal == SIGTSTP;
}

void Screen::show(const std::vector<std::string>& lines) {
  std::string changes = shown_.empty() ? "\033[2J" : "";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i < shown_.size() && shown_[i] == lines[i]) continue;
    changes += "\033[" + std::to_string(i + 1) + ";1H" + lines[i];
  }
  shown_ = lines;
  if (!changes.empty()) write_to_stdout(changes);
}

std::optional<std::vector<std::string>> Screen::keys() {
  std::array<char, 256> bytes{};
  const ssize_t got = read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got < 0 && errno == EINTR) return std::vector<std::string>();
  if (got <= 0) return std::nullopt;
  return keys_in({bytes.data(), static_cast<std::size_t>(got)});
}

std::vector<std::string> keys_in(std::string_view bytes) {
  std::vector<std::string> keys;
  const auto ends_escape = [](char c) { return c >= '@' && c <= '~'; };
  while (!bytes.empty()) {
    auto end = bytes.begin() + 1;
    if (bytes.starts_with("\033[") || bytes.starts_with("\033O")) {
      end = std::find_if(bytes.begin() + 2, bytes.end(), ends_escape);
      if (end != bytes.end()) ++end;
    }
    keys.emplace_back(bytes.begin(), end);
    bytes.remove_prefix(keys.back().size());
    if (keys.back().starts_with("\033O")) keys.back()[1] = '[';
  }
  return keys;
}

}  // namespace bully
