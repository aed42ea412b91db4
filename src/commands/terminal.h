// terminal.h: where the commands' output goes, to a terminal or to a trace, and what keys are.
//
// What cannot be written ends no process. SIGALRM serves only to interrupt writes here.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/commands.h"
#include "node/system.h"
#include "trace/trace.h"
#include "view/log.h"
#include "words/words.h"

namespace bully {

// To be called first of all. Opens the null device on each standard descriptor that is closed: else
// the next file to be opened, a trace or a socket, would be taken for standard output. And a limit
// on the size of files (`ulimit -f`) becomes an error of the write, EFBIG, instead of a signal.
// Throws std::system_error.
void prepare_standard_streams();

// Standard output is coloured as the user says; else if it is a terminal and NO_COLOR is not set.
LogStyle log_style(const Invocation& invocation);

// Write all of `text` with as few write(2) calls as the system needs: lines of several processes
// on one terminal stay whole. What cannot be written is lost: output_error() tells. So is what
// nobody reads when the process was asked to leave (../node/system.h).
void write_to_stdout(std::string_view text);
void write_to_stderr(std::string_view text);
// For who tells as long as somebody reads: throws Interrupted once nobody does any more.
void narrate(std::string_view text);
// What went wrong, as a line on standard error. It may name things that somebody else has named.
void complain(std::string_view words);

// Lines for readers, if there are any. A terminal that was stopped with Ctrl-S, and a pipe that
// nobody reads, take nothing, and then write(2) waits. It may do so even when poll(2) has just said
// that there is room: less than a line's, or another process was faster. Others that share the
// terminal rely on a descriptor that blocks. So a write that waits is interrupted, by SIGALRM.
class LineOutput {
 public:
  // `fd` is not owned.
  explicit LineOutput(int fd);
  // Writes whole lines at once, or as many as are taken in a moment. Returns how many are lost.
  std::size_t write(std::string_view lines);

 private:
  int fd_;
  bool may_wait_;
  std::string rest_;    // of a line that was taken in part: what is written next follows it
  Time waits_until_{};  // nothing is tried before: it would only wait again
};

// How far a long computation has come, in a line on standard error that is written over again and
// again; and whether it has been asked to end.
class Progress {
 public:
  // Shows nothing if it is quiet, or if standard error is no terminal.
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows `words`, if it is time. Whether to go on.
  bool operator()(const std::function<std::string()>& words);

 private:
  SignalPipe signals_;
  bool shows_;
  Time next_;
};

// The keys that `bytes` are, as a terminal sends them: a letter each, or an escape sequence.
std::vector<std::string_view> keys_in(std::string_view bytes);

// The errno of the first write to standard output that failed, or 0. With EPIPE, its reader has
// gone, as with `| head`: that is no failure.
int output_error();

// Lines of a log as they fit the terminal that this is; or as they are, if it is none.
std::string folded_for(int fd, std::string_view lines);

// --- Traces ---

// $BULLY_TRACE, empty if it is not set.
std::string standard_trace();
// Where there is something in it already: whoever begins a run may not want that.
std::string words_if_appended(const std::string& trace, const Invocation& invocation);
void say_if_appended(const std::string& trace, const Invocation& invocation);
// To be written; nothing if `path` is empty. Throws SetupError.
std::optional<TraceFile> open_trace(const std::string& path);

// Passes records on to `shown`, unless null, and to the trace at `path`, unless empty.
class TeeSink : public Sink {
 public:
  TeeSink(Sink* shown, const std::string& path) : shown_(shown), trace_(open_trace(path)) {}
  void record(const Record& record) override {
    if (shown_ != nullptr) shown_->record(record);
    if (trace_) trace_->record(record);
  }
  void flush() override {
    if (shown_ != nullptr) shown_->flush();
  }
  // Whether the trace ended before its time; then says so on standard error.
  bool has_failed(const Invocation& invocation) const;

 private:
  Sink* shown_;
  std::optional<TraceFile> trace_;
};

}  // namespace bully
