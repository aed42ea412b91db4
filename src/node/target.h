// target.h: for which nodes a signal is meant: the coordinator, the lowest, one at random, all.
//
// It looks only at what it is given, and asks and signals nobody. Read next: peer_process.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "trace/status.h"

namespace bully {

enum class Target : std::uint8_t { coordinator, lowest, random, all };

// A name in the directory.
struct Candidate {
  PeerStatus peer;
  bool proven = false;  // its process may be signalled
};

struct Choice {
  enum class Outcome : std::uint8_t {
    chosen,
    nobody,            // nobody is there whom it could be for
    no_coordinator,    // nobody is coordinator, and nobody follows one
    coordinator_gone,  // the one that the others still follow is dead
  };
  Outcome outcome = Outcome::chosen;
  std::vector<NodeId> ids = {};  // whom; of a coordinator that is gone, its id
  std::size_t of = 0;            // from how many they were chosen
};

// `candidates`: every name, from the lowest id. `draw(n)` is a number below n, each as likely.
Choice choose(Target target, const std::vector<Candidate>& candidates,
              const std::function<std::size_t(std::size_t)>& draw);

}  // namespace bully
