// pace.h: slow motion. With a pace, a process pauses before each message that it sends, and before
// each that it handles; so all waits are longer by a number of pauses.
//
// The node and the simulator have the same waits from here. The way of a message takes no longer
// with a pace, nor does a monitor's ping.
#pragma once

#include <cstddef>
#include <cstdint>

#include "election/protocol.h"

namespace bully {

enum class SlowWait : std::uint8_t {
  answer,    // for an ANSWER
  election,  // for the end of an election: COORDINATOR
  news,      // until all have heard of a new coordinator
};

// The pauses within such a wait in an election of `n` live processes, at most: see pace.cc.
std::int64_t pauses_in(SlowWait wait, std::size_t n);
// Within all three, one after the other: until processes that react follow one coordinator.
std::int64_t pauses_to_settle(std::size_t n);
// How long, in nanoseconds, a process leaves it to another one to report that their coordinator is
// gone (Algorithm::first_to_report): until that one has noticed it, in `ping_ns` at most, and its
// election among `n` processes is over.
std::int64_t left_to_another_ns(std::int64_t ping_ns, std::int64_t pace_ns, std::size_t n);
// Within the wait that this timer bounds.
std::int64_t pauses_in(const StartTimer& timer, std::size_t n);

}  // namespace bully
