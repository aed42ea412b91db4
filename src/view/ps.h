// ps.h: the status of a cluster as a table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trace/status.h"
#include "view/looks.h"

namespace bully {

// "E/PE/C": the types as they stand on the wire.
std::string types_text(const std::vector<MessageType>& types);
// How many were counted of each; "-" for those that the algorithm does not have.
std::string counts_text(const MessageCounts& counts, const std::vector<MessageType>& types,
                        const Algorithm& algorithm);

// Rows of equally many cells, as lines without their newlines: the first `number_count` columns
// are aligned to the right, the others to the left.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows,
                                 std::size_t number_count);

// A header and a line for each peer, columns aligned. The algorithm has a column where it is not
// the default one.
std::string ps_table(const std::vector<PeerStatus>& peers, Language language);

}  // namespace bully
