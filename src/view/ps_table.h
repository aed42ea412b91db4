// ps_table.h: what is told of nodes, a row each: for `bully ps`, and for the table of a watch.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "trace/status.h"
#include "view/style.h"

namespace bully {

// "E/PE/C": the types as they stand on the wire.
std::string types_text(const std::vector<MessageType>& types);

// ID, PID, status, algorithm, state, coordinator, monitor; messages of these types that were sent,
// and received; what was dropped.
using PsRow = std::array<std::string, 10>;
PsRow row_of(const NodeStatus& node, const std::vector<MessageType>& types, Language language);

// What `bully ps` shows: a heading and a line for each peer, columns aligned. The algorithm has a
// column unless all run the default one.
std::string ps_table(const std::vector<NodeStatus>& peers, Language language);

}  // namespace bully
