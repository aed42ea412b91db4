// output.h: lines for standard output and standard error, and the progress of a computation.
//
// A failed write ends no process. SIGALRM serves only to interrupt writes here.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "node/system.h"
#include "terminal/invocation.h"
#include "view/log.h"

namespace bully {

// Call it first of all. Opens the null device on each closed standard descriptor: otherwise the
// next opened file, a trace or a socket, would serve as standard output. And a limit on the size of
// files (`ulimit -f`) becomes an error of the write, EFBIG, instead of a signal. Throws
// std::system_error.
void prepare_standard_streams();

// Colours standard output by the user's choice; otherwise if it is a terminal and NO_COLOR is not
// set.
LogStyle log_style(const Invocation& invocation);

// Writes all of `text` with as few write(2) calls as the system needs: lines of several processes
// on one terminal stay whole. Text that cannot be written is lost, see output_error(); and so is
// unread text after a request to leave (../node/system.h).
void write_to_stdout(std::string_view text);
void write_to_stderr(std::string_view text);
// For output that matters only to a reader: throws Interrupted once the reader is gone.
void narrate(std::string_view text);
// Shows how far something has come, in a line of standard error that the next call overwrites.
// Shows nothing if that is no terminal.
void show_progress(std::string_view words);
// Writes an error, if any, as a line on standard error. It may contain names from outside.
void complain(std::string_view words);

// Throws SetupError if a directory, a device or a pipe has this name, so that no file can take it.
void require_file_or_none(const std::string& path);

// Lines for readers, if there are any. A terminal that was stopped with Ctrl-S, and a pipe that no
// process reads, take nothing, and then write(2) waits. It may wait even if poll(2) has just
// reported room: less than a line's, or another process was faster. Other processes on the terminal
// rely on a blocking descriptor. So SIGALRM interrupts a write that waits.
class LineOutput {
 public:
  // `fd` is not owned.
  explicit LineOutput(int fd);
  // Writes whole lines at once, or as many as the reader takes in a moment. Returns the number of
  // lost lines.
  std::size_t write(std::string_view lines);

 private:
  int fd_;
  bool may_wait_;
  std::string rest_;    // of a line written in part: the next write begins with it
  Time waits_until_{};  // no attempt before: it would only wait again
};

// Shows the progress of a long computation now and then, and checks for a request to end.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows `words`, if it is time. True: go on.
  bool operator()(const std::function<std::string()>& words);

 private:
  SignalPipe signals_;
  Time next_;
};

// The errno of the first failed write to standard output, or 0. With EPIPE, its reader has gone, as
// with `| head`: that is no failure.
int output_error();

// Lines of a log, folded to fit this terminal; unchanged if it is none.
std::string folded_for(int fd, std::string_view lines);

}  // namespace bully
