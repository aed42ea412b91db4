#include "commands/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "commands/terminal.h"
#include "node/setup_error.h"

namespace bully {

namespace {

// The other screen, no cursor, and no line that runs on into the next; and all of it undone.
constexpr std::string_view enter = "\033[?1049h\033[?25l\033[?7l";
constexpr std::string_view leave = "\033[0m\033[?7h\033[?25h\033[?1049l";

// Longer ones first where one begins another.
constexpr std::array<std::pair<std::string_view, Key>, 16> keys = {{
    {"\033[5~", Key::page_up},
    {"\033[6~", Key::page_down},
    {"\033[A", Key::up},
    {"\033[B", Key::down},
    {"\033OA", Key::up},
    {"\033OB", Key::down},
    {"q", Key::quit},
    {"Q", Key::quit},
    {" ", Key::pause},
    {"p", Key::pings},
    {"P", Key::pings},
    {"k", Key::up},
    {"j", Key::down},
    {"K", Key::kill_node},
    {"S", Key::stop_node},
    {"C", Key::continue_node},
}};

// How long an escape sequence is: "\033[", parameters, a letter or `~`.
std::size_t escape_length(std::string_view bytes) {
  if (bytes.size() < 2 || (bytes[1] != '[' && bytes[1] != 'O')) return 1;
  const auto ends = [](char c) { return c >= '@' && c <= '~'; };
  const auto end = std::find_if(bytes.begin() + 2, bytes.end(), ends);
  return static_cast<std::size_t>(end - bytes.begin()) + (end == bytes.end() ? 0 : 1);
}

}  // namespace

std::vector<Key> keys_in(std::string_view bytes) {
  std::vector<Key> pressed;
  while (!bytes.empty()) {
    const auto found = std::find_if(keys.begin(), keys.end(), [bytes](const auto& key) {
      return bytes.substr(0, key.first.size()) == key.first;
    });
    if (found != keys.end()) pressed.push_back(found->second);
    bytes.remove_prefix(bytes.front() == '\033' ? escape_length(bytes) : 1);
  }
  return pressed;
}

Screen::Screen() {
  if (tcgetattr(STDIN_FILENO, &found_) != 0) {
    throw SetupError(errno, "tcgetattr of the terminal", Advice::none);
  }
  take();
}

Screen::~Screen() {
  write_to_stdout(leave);
  tcflush(STDIN_FILENO, TCIFLUSH);
  tcsetattr(STDIN_FILENO, TCSANOW, &found_);  // it may be a terminal that nobody reads
}

void Screen::take() {
  termios settings = found_;
  settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  // Ctrl-C stays the signal that it is. Ctrl-Z and Ctrl-\ would leave the terminal like this.
  settings.c_cc[VSUSP] = _POSIX_VDISABLE;
  settings.c_cc[VQUIT] = _POSIX_VDISABLE;
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &settings);
  write_to_stdout(enter);
  is_blank_ = true;
}

Screen::Size Screen::size() {
  winsize window{};
  Size size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0) return size;
  if (window.ws_row > 0) size.rows = window.ws_row;
  if (window.ws_col > 0) size.columns = window.ws_col;
  return size;
}

void Screen::show(const std::vector<std::string>& lines) {
  std::string changes = is_blank_ ? "\033[2J" : "";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_blank_ && i < shown_.size() && shown_[i] == lines[i]) continue;
    changes += "\033[" + std::to_string(i + 1) + ";1H" + lines[i];
  }
  shown_ = lines;
  is_blank_ = false;
  if (!changes.empty()) write_to_stdout(changes);
}

}  // namespace bully
