// timing.h: how long nodes under chaos wait, and how long they may take to agree.
//
// Shorter than the defaults, so that many rounds fit into an hour; but with many nodes an election
// takes longer, and timeouts must still be right. Read next: faults.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "election/pace.h"
#include "node/system.h"

namespace bully {

using std::chrono::milliseconds;

struct Timing {
  milliseconds ping_interval;
  milliseconds ping_timeout;
  milliseconds answer_timeout;
  milliseconds coordinator_timeout;
  milliseconds crowd;  // by which each of these waits is longer
  milliseconds pace;   // of slow motion, and by how much an election is longer with it
  milliseconds slow;

  Timing(std::size_t nodes, milliseconds its_pace)
      : ping_interval(100 * factor(nodes)),
        ping_timeout(200 * factor(nodes)),
        answer_timeout(100 * factor(nodes)),
        coordinator_timeout(200 * factor(nodes)),
        crowd(std::chrono::ceil<milliseconds>(crowd_time(nodes))),
        pace(its_pace),
        slow(its_pace * pauses_to_settle(nodes)) {}

  static std::int64_t factor(std::size_t nodes) {
    return 1 + static_cast<std::int64_t>(nodes / 10);
  }
  milliseconds detection() const { return ping_interval + ping_timeout + crowd; }
  // Two coordinators may have to be found dead or hung, one after the other; then an election may
  // be in vain three times, each waiting twice as long as the one before and a quarter longer by
  // chance. Each of them waits for an answer and for a coordinator. In slow motion most processes
  // leave a report to another one first, for the time of a detection and an election.
  milliseconds bound() const {
    const milliseconds left = pace.count() > 0 ? detection() + slow : milliseconds(0);
    return 2 * (detection() + left) + 3 * answer_timeout + 7 * coordinator_timeout * 5 / 4 +
           6 * crowd + 3 * slow;
  }
  // For longer than each of them.
  milliseconds stop() const { return 2 * detection(); }
};

}  // namespace bully
