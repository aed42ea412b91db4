// ps_table.h: what is told of nodes, a row each: for `bully ps`, and for the table of a watch.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "trace/status.h"
#include "view/style.h"

namespace bully {

// The cells of a node's row: `state` may also say why it does not tell it; `sent` and `received`
// are of some types of messages.
struct PsColumn {
  enum Index : std::uint8_t {
    id,
    pid,
    algorithm,
    state,
    coordinator,
    group,
    monitor,
    sent,
    received,
    dropped,
    count
  };
};
using PsRow = std::array<std::string, PsColumn::count>;
PsRow row_of(const NodeStatus& node, const std::vector<MessageType>& types, Language language);

// Of those of these nodes that are alive and coordinators, if they are several: "two coordinators:
// 2, 3 (stopped)"; or, as that is no fault if each has its own group, "2 groups: 2.1, 3.4".
std::string coordinators_words(std::vector<NodeStatus> nodes, Language language);

// These columns of the rows, below a heading. It names the types if that fits so many columns. If
// nobody is in a group, these have none; else they take the place of what is told least often.
std::vector<std::string> table_lines(const std::vector<PsRow>& rows,
                                     std::vector<PsColumn::Index> columns,
                                     const std::vector<MessageType>& types, std::size_t most,
                                     Language language);

// What `bully ps` shows: a heading and a line for each peer, columns aligned; the state of one that
// does not tell it is why. The algorithm has a column only if they differ, and if there are groups
// these have the monitors' column. What is rare stands in lines below the table, so that this fits
// 80 columns.
std::string ps_table(const std::vector<NodeStatus>& peers, Language language);

}  // namespace bully
