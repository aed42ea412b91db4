// screen.h: a terminal that shows whole screens, and hands over each key as it is pressed.
#pragma once

#include <termios.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bully {

// While this exists, the terminal has another screen. The destructor restores it, so it must run
// however the program ends: use a SignalPipe.
class Screen {
 public:
  // True if standard input and output are a terminal that can show one: not with TERM=dumb.
  static bool is_possible();

  // REQUIRES: is_possible(). Throws SetupError.
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // The terminal's rows and columns.
  static std::pair<std::size_t, std::size_t> size();

  // For a SignalPipe: a request to end, and news of the terminal.
  static std::vector<int> signals();
  // True for news of the terminal: it has another size, or another process has had it.
  bool handles(int signal);
  // Writes only changed lines, with as few calls as the system needs: nothing flickers.
  void show(const std::vector<std::string>& lines);
  // The keys pressed by now. Nothing: the terminal is gone.
  static std::optional<std::vector<std::string>> keys();

 private:
  void take();

  termios found_{};
  std::vector<std::string> shown_;  // empty: the terminal may show anything
};

// The keys in `bytes` from a terminal: a letter each, or an escape sequence. Some terminals send
// "\033O" for arrows; here these begin with "\033[" as well.
std::vector<std::string> keys_in(std::string_view bytes);

}  // namespace bully
