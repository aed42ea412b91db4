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

// ID, PID, algorithm, state (or why it does not tell it), coordinator, monitor; messages of these
// types that were sent, and received; what was dropped.
using PsRow = std::array<std::string, 9>;
PsRow row_of(const NodeStatus& node, const std::vector<MessageType>& types, Language language);

// "two coordinators: 2, 3". REQUIRES: two of them at least.
std::string coordinators_words(const std::vector<NodeId>& ids, Language language);

// What `bully ps` shows: a heading and a line for each peer, columns aligned; the state of one that
// does not tell it is why. The algorithm has a column only if they differ. What is rare stands in
// lines below the table, so that this fits 80 columns.
std::string ps_table(const std::vector<NodeStatus>& peers, Language language);

}  // namespace bully
