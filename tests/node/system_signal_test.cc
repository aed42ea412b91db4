// system_signal_test.cc: a program that reads its signals from a pipe for a while is afterwards as
// it was before.
#include <doctest/doctest.h>
#include <signal.h>

#include "node/system.h"

namespace bully {
namespace {

using Handler = void (*)(int);

bool has(int number, Handler handler) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == handler;
}

void own_handler(int) {}

// Sets a handler, and the one before it again.
class Handling {
 public:
  Handling(int number, Handler handler) : number_(number), before_(signal(number, handler)) {}
  ~Handling() { signal(number_, before_); }
  Handling(const Handling&) = delete;
  Handling& operator=(const Handling&) = delete;

 private:
  int number_;
  Handler before_;
};

TEST_CASE("What a signal does is the same before a SignalPipe and after it, again and again") {
  const Handling hangup(SIGHUP, SIG_IGN);  // as by nohup
  const Handling term(SIGTERM, own_handler);
  const Handling window(SIGWINCH, SIG_DFL);
  const Handling broken(SIGPIPE, SIG_DFL);
  for (int times = 0; times < 2; ++times) {
    CAPTURE(times);
    {
      SignalPipe signals({SIGWINCH});
      CHECK(has(SIGHUP, SIG_IGN));
      CHECK(has(SIGPIPE, SIG_IGN));
      raise(SIGTERM);
      raise(SIGWINCH);
      CHECK(signals.next() == SIGTERM);
      CHECK(signals.next() == SIGWINCH);
    }
    CHECK(has(SIGHUP, SIG_IGN));
    CHECK(has(SIGTERM, own_handler));
    CHECK(has(SIGWINCH, SIG_DFL));
    CHECK(has(SIGPIPE, SIG_DFL));
  }
}

}  // namespace
}  // namespace bully
