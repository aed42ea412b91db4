// refused.h: why a process gets no signal (../node/peer_process.h).
#pragma once

#include <cstdint>

namespace bully {

struct Refused {
  enum class Why : std::uint8_t {
    unknown,       // there is no such name
    dead,          // no process is behind the name
    silent,        // a process listens, but has not identified itself as a node
    unidentified,  // a process listens, and the system does not say which: its backlog is full, say
    contradicted,  // the reply says `claimed`, the kernel `listener`
    foreign,       // it replied, and has no PID here: it lives in another PID namespace
    reserved,      // `listener` is init, or this very process
  };
  Why why = Why::unknown;
  std::int64_t listener = 0;
  std::int64_t claimed = 0;
};

}  // namespace bully
