// pace.cc: the number of pauses in each wait.
#include "election/pace.h"

namespace bully {

// Each message takes two pauses, one before it leaves and one before it is handled.
//
// Before an answer, the process that asks may have to send to every other one first; the one asked
// may have to answer all others, ask all others and announce itself to all; and the one that asked
// has as much to do before it sees the answer.
//
// An election's end takes most in that of 1982: a process that is halted first waits while the
// winner halts all others, names itself to them and gives them the task. Those are three calls to
// each, one after the other, of four pauses: 12 n. On a ring, ids go round, and then the result.
// Elsewhere, an answer comes first, and then all are told.
std::int64_t pauses_in(SlowWait wait, std::size_t n) {
  const auto processes = static_cast<std::int64_t>(n);
  switch (wait) {
    case SlowWait::answer: return 8 * processes + 2;
    case SlowWait::election: return 16 * processes + 2;
    case SlowWait::news: return 8 * processes + 2;
  }
  return 0;
}

std::int64_t pauses_to_settle(std::size_t n) {
  return pauses_in(SlowWait::answer, n) + pauses_in(SlowWait::election, n) +
         pauses_in(SlowWait::news, n);
}

std::int64_t left_to_another_ns(std::int64_t ping_ns, std::int64_t pace_ns, std::size_t n) {
  return ping_ns + pace_ns * pauses_to_settle(n);
}

// Extra waits that let other processes go first are as long as the first.
std::int64_t pauses_in(const StartTimer& timer, std::size_t n) {
  if (timer.timer == Timer::coordinator) return pauses_in(SlowWait::election, n);
  return pauses_in(SlowWait::answer, n) * (1 + timer.attempts);
}

}  // namespace bully
