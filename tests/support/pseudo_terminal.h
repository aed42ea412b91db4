// pseudo_terminal.h: a program in a terminal of its own, and what stands on its screen.
//
// It knows as much of a terminal as `bully watch` uses: where the cursor goes, what is written
// there, and the other screen; colours are skipped.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <string>
#include <vector>

#include "node/system.h"
#include "support/process.h"

namespace bully {

// The two ends of a new terminal: whose master ends it, and what a program has as its terminal.
struct TerminalEnds {
  Descriptor master;
  Descriptor slave;
};
// Throws system_error. Neither end survives an exec.
TerminalEnds open_terminal();
// Writes there until it takes nothing more, or has taken `most`. Returns how many bytes it took.
std::size_t fill(const Descriptor& slave, std::size_t most = std::string::npos);
// In a child: this slave becomes its terminal, and its standard descriptors.
void take_terminal(int slave);

class PseudoTerminal {
 public:
  // Starts the program in it, as the leader of a session. Throws system_error.
  PseudoTerminal(Program program, unsigned short rows, unsigned short columns);
  // The same, for the binary under test.
  PseudoTerminal(const Arguments& arguments, unsigned short rows, unsigned short columns)
      : PseudoTerminal(Program{.arguments = arguments}, rows, columns) {}

  pid_t pid() const { return program_.pid(); }
  void signal(int number) const { program_.signal(number); }
  void press(const std::string& keys);
  void resize(unsigned short rows, unsigned short columns);
  termios settings() const;
  // Whether what a program may change of them is as it was then.
  bool has_first_settings() const;
  Outcome end();  // waits for the program's end
  Outcome end_by(const std::string& keys) {
    press(keys);
    return end();
  }
  // The same for a terminal that nobody reads.
  Outcome end_unread() { return program_.end(); }
  // Whether it takes nothing more until somebody reads.
  bool is_full() const;

  // Whether this stands on the screen before the deadline.
  bool shows(const std::string& words);
  // The same, when the keys have been pressed.
  bool shows_after(const std::string& keys, const std::string& words) {
    press(keys);
    return shows(words);
  }
  // The lines of the screen now, and as one text.
  const std::vector<std::string>& lines();
  std::string text();
  bool is_other_screen();
  bool is_cursor_shown();

 private:
  void read_on();
  void write_plain(char c);
  void obey(char final, const std::string& parameters);

  // The slave is kept open: so the settings can be asked for after the program's end.
  TerminalEnds ends_;
  termios first_settings_;
  Child program_;
  std::string pending_;
  std::vector<std::string> lines_;
  std::size_t row_ = 0;
  bool starts_line_ = false;  // the cursor has been sent to the first column
  bool other_screen_ = false;
  bool cursor_shown_ = true;
};

}  // namespace bully
