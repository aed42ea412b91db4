// interruption.cc: the noted request, which a handler may write at any moment.
#include "base/interruption.h"

#include <csignal>

namespace bully {

static volatile std::sig_atomic_t asked_to_leave = 0;

int was_asked_to_leave() {
  return asked_to_leave;
}

void leave_if_asked() {
  if (const int signal = was_asked_to_leave()) throw Interrupted{signal};
}

void note_request_to_leave(int signal) noexcept {
  asked_to_leave = signal;
}

}  // namespace bully
