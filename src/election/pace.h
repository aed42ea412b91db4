// pace.h: slow motion. With a pace, a process pauses before each message that it sends, and before
// each that it handles; so all waits are longer by a number of pauses.
//
// The node and the simulator have the same waits from here. What a message needs on its way, and
// what decides whether a process is alive, is no matter of pace.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bully {

enum class SlowWait : std::uint8_t {
  answer,    // for an ANSWER
  election,  // for the end of an election: COORDINATOR
  news,      // until all have heard of a new coordinator
};

// The pauses within such a wait in an election of `n` live processes. Before an answer, each peer
// may have to handle a message from every other process, and its reply comes after as many. Before
// an election's end on a ring, the number goes round and comes back, and so does the result.
std::int64_t pauses_in(SlowWait wait, std::size_t n);

}  // namespace bully
