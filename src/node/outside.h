// outside.h: rules that a program outside this one has, as a node sees them (../rules).
//
// A protocol answers at once, but such a program takes its time. So a node asks it before a step:
// it polls for the answer beside all else, and takes the step when the answer is there.
#pragma once

#include <poll.h>

#include <vector>

#include "election/protocol.h"
#include "node/system.h"

namespace bully {

class OutsideRules {
 public:
  virtual ~OutsideRules() = default;
  // Asks the program for this protocol's step with this event, unless the answer is there already.
  // True: the step can be taken. If not, come again, with the same three, when a descriptor is
  // ready or the deadline has passed, and take no other step before. Throws if the program breaks
  // its contract.
  virtual bool prepare(const Protocol& protocol, const Event& event, const Peers& peers) = 0;
  // The descriptors to poll for the answer, and the end of its time; none, and `never`, if nothing
  // is asked.
  virtual void add_to(std::vector<pollfd>& polled) const = 0;
  virtual Time deadline() const = 0;
};

}  // namespace bully
