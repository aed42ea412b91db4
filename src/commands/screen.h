// screen.h: a terminal that shows whole screens and reads single keys.
//
// While it exists, the terminal has another screen in place of its own, and hands over each key as
// it is pressed. Its destructor leaves the terminal as it was found; so it must be run, however
// the program ends: read the signals that would end it from a SignalPipe (../node/signals.h).
// It knows nothing of what it shows: see ../view/watch.h.
#pragma once

#include <termios.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bully {

enum class Key : std::uint8_t {
  quit,
  pause,
  pings,
  up,
  down,
  page_up,
  page_down,
  kill_node,
  stop_node,
  continue_node
};

// The keys that `bytes` are, as a terminal sends them; what is no key of ours is skipped.
std::vector<Key> keys_in(std::string_view bytes);

class Screen {
 public:
  // REQUIRES: standard input and output are a terminal. Throws SetupError.
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  struct Size {
    std::size_t rows = 24;
    std::size_t columns = 80;
  };
  // As the terminal has it now.
  static Size size();

  // Writes what is not there yet, each line as wide as the screen, with as few calls as the system
  // needs: nothing flickers.
  void show(const std::vector<std::string>& lines);
  // The terminal has another size now: writes all next time.
  void redraw() { is_blank_ = true; }
  // Somebody else has had the terminal meanwhile: takes it anew.
  void take();

 private:
  termios found_{};
  std::vector<std::string> shown_;
  bool is_blank_ = true;  // none of it stands there any more
};

}  // namespace bully
