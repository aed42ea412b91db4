// interruption.h: a request to leave, noted by a handler of signals (../node/system.h), for every
// computation that may last.
#pragma once

namespace bully {

// Thrown during a wait or a long computation: a signal has come that asks to leave.
struct Interrupted {
  int signal;
};

// The signal that asks to leave (SIGINT, SIGTERM, SIGHUP or SIGQUIT) if a handler has noted one,
// otherwise 0. Check it while waiting for anything except the handler's pipe.
int was_asked_to_leave();
// Throws Interrupted if one was noted.
void leave_if_asked();

// For the handler.
void note_request_to_leave(int signal) noexcept;

}  // namespace bully
