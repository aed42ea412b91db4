// ps_table.h: the statuses of nodes as a table: for `bully ps`, and on the screen of `bully watch`.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "election/message.h"
#include "values/status.h"
#include "words/words.h"

namespace bully {

// The cells of a node's row, by the headings of their columns. The state may also explain why it is
// unknown; messages sent and received are counted for some types.
using PsRow = std::map<Text, std::string>;
PsRow row_of(const NodeStatus& node, const std::vector<MessageType>& types, Language language);

// The live coordinators among these nodes, if there are several: "two coordinators: 2, 3
// (stopped)".
std::string coordinators_words(std::vector<NodeStatus> nodes, Language language);

// The names with no process behind them: "3, 5". Empty if there are none.
std::string names_of_dead(const std::vector<NodeStatus>& peers);

// These columns of the rows, below a heading, which names the types if they fit the width.
std::vector<std::string> table_lines(const std::vector<PsRow>& rows,
                                     const std::vector<Text>& columns,
                                     const std::vector<MessageType>& types, std::size_t most,
                                     Language language);

// The output of `bully ps`: a heading and a line for each peer, columns aligned; an unknown state
// is replaced by the reason. The algorithm has a column only if they differ. Rare facts are in
// lines below the table, so that it fits 80 columns.
std::string ps_table(const std::vector<NodeStatus>& peers, Language language);

}  // namespace bully
