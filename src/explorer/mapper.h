// mapper.h: finds every run of an election within bounds (../values/state_map.h), in the
// explorer's world.
#pragma once

#include "election/algorithm.h"
#include "values/state_map.h"

namespace bully {

// Breadth first, and no farther than StateMap's limits. Throws as explore() does; a model's own
// bound (ExploreResult::bound) ends it like a limit.
StateMap map_of(const ExploreOptions& options, const ProtocolMaker& make);

}  // namespace bully
