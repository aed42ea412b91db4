// explorer_script.h: the runs of an exploration as scripts for `bully scenario` (../sim/script.h).
#pragma once

#include <string>

#include "base/language.h"
#include "election/algorithm.h"
#include "values/exploration.h"

namespace bully {

// A counterexample as a script that `bully scenario` plays (../sim/script.h), with this title.
// Every message waits (`hold`) until the script delivers it, so the script has exactly the steps of
// the counterexample. The last step expects the violated property: with a correct protocol the
// expectation holds, or an earlier step turns out impossible.
// REQUIRES: explore(options, make) found `violation`; and Preset gives the nodes of `make` their
// coordinator in the beginning.
std::string counterexample_scenario(const ExploreOptions& options, const ProtocolMaker& make,
                                    const Counterexample& violation, const Texts& title = {});

// The beginning of a script for a run of these options, until all messages wait; the lines of a way
// through their map follow. `is_led`: no monitor reports before the script says so.
std::string beginning_of(const ExploreOptions& options, bool is_led);

}  // namespace bully
