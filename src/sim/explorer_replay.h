// explorer_replay.h: a counterexample, played again with real protocols, as a trace.
//
// It does not use the explorer's model: that the steps can be played at all is a check on it.
// Read next: explorer.h.
#pragma once

#include <vector>

#include "sim/explorer.h"
#include "trace/record.h"

namespace bully {

// Plays `steps` from the beginning that `options` name, and gives `sink` what happens, in virtual
// time: one millisecond a step. Throws std::invalid_argument for a step that is not possible.
void replay(const ExploreOptions& options, const ProtocolMaker& make,
            const std::vector<ExploreStep>& steps, Sink& sink);

}  // namespace bully
