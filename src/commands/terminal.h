// terminal.h: what the commands need to know of where their output goes.
//
// Whatever cannot be written ends no process. SIGALRM has no other use in one than to interrupt
// writes here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "node/clock.h"
#include "view/text.h"

namespace bully {

// To be called first of all. Opens the null device on each standard descriptor that is closed: else
// the next file to be opened, a trace or a socket, would be taken for standard output. And a limit
// on the size of files (`ulimit -f`) becomes an error of the write, EFBIG, instead of a signal.
// Throws std::system_error.
void prepare_standard_streams();

// Whether to colour standard output. `choice`: 0 auto (a terminal, and NO_COLOR not set), 1 always,
// 2 never.
bool use_color(std::size_t choice);

// Write all of `text` with as few write(2) calls as the system needs: lines of several processes
// on one terminal stay whole. What cannot be written is lost: output_error() tells. So is what a
// terminal or a pipe that nobody reads does not take when the process was asked to leave
// (../node/signals.h).
void write_to_stdout(std::string_view text);
void write_to_stderr(std::string_view text);

// Lines for whoever reads them, if anybody does. A terminal that was stopped with Ctrl-S, or whose
// window hangs, and a pipe that nobody reads take nothing, and then write(2) waits. It may do so
// even when poll(2) has just said that there is room: there is less than a line's, or another
// process that shares the terminal was faster. A descriptor that does not block would not block the
// others either, who rely on that. So a write that waits is interrupted, by SIGALRM.
class LineOutput {
 public:
  // `fd` is not owned.
  explicit LineOutput(int fd);
  // Writes whole lines at once, or as many of them as are taken in a moment. Returns how many are
  // lost.
  std::size_t write(std::string_view lines);

 private:
  int fd_;
  bool may_wait_;
  std::string rest_;    // of a line that was taken in part: what is written next follows it
  Time waits_until_{};  // nothing is tried before: it would only wait again
};

// The errno of the first write to standard output that failed, or 0. That the reader has gone is no
// failure.
int output_error();

// Says on standard error that the trace ended with this errno. Whether it did: 0 is none.
bool say_if_trace_ended(int error, Language language);

}  // namespace bully
