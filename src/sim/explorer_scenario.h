// explorer_scenario.h: a counterexample as a script that `bully scenario` plays.
//
// Every message waits (`hold`) until the script delivers it, so that the steps are those of the
// counterexample and no others. The last step expects what was violated: played with a protocol
// that is right, the expectation holds, or the steps turn out impossible before it.
// Read next: scenario.h for the language.
#pragma once

#include <string>

#include "sim/explorer.h"

namespace bully {

// REQUIRES: explore(options, make) found `violation`; and that the nodes that `make` makes are told
// by Founded whom they follow in the beginning.
std::string counterexample_scenario(const ExploreOptions& options, const ProtocolMaker& make,
                                    const Violation& violation);

}  // namespace bully
