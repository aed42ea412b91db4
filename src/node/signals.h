// signals.h: signals as something to read. A handler writes the signal's number to a pipe, and
// nothing else; the poll loop reads it and acts.
#pragma once

#include <optional>
#include <vector>

#include "node/pipe.h"

namespace bully {

// There may be one at a time. While it exists, SIGINT, SIGTERM, SIGHUP (unless it was ignored, as
// by nohup), SIGCHLD and SIGCONT are read from it, those that its maker adds as well, and SIGPIPE
// is ignored. From then on no signal is blocked, whatever mask the process began with.
class SignalPipe {
 public:
  explicit SignalPipe(std::vector<int> added = {});  // throws SetupError
  ~SignalPipe();
  SignalPipe(const SignalPipe&) = delete;
  SignalPipe& operator=(const SignalPipe&) = delete;

  int fd() const { return pipe_.read_end.get(); }
  // The next signal's number, if one has come.
  std::optional<int> next();
  // For a forked child: its signals are not the parent's.
  void close_inherited();

 private:
  Pipe pipe_;
  std::vector<int> handled_;
};

// Whether a signal has come to any such pipe that asks to leave: SIGINT, SIGTERM, SIGHUP, SIGQUIT.
// For whoever waits elsewhere than at the pipe.
bool was_asked_to_leave();

}  // namespace bully
