// node_options.h: the options of a node, which a cluster takes as well.
#pragma once

#include "commands/commands.h"
#include "terminal/cluster_session.h"

namespace bully {

// Declares all but the id. `settings` outlives the options.
void declare_node(Options& options, NodeSettings& settings);

}  // namespace bully
