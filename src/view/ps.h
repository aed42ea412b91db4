// ps.h: the status of a cluster as a table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trace/status.h"
#include "view/text.h"

namespace bully {

// The state's name, as people read it.
Text state_text(std::string_view state_name);

// How many were counted of each type, in the order that the headings name; pings where wanted.
std::string counts_text(const MessageCounts& counts, bool with_pings);

// Rows of equally many cells, as lines without their newlines: the first `number_count` columns
// are aligned to the right, the others to the left.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows,
                                 std::size_t number_count);

// A header and a line for each peer, columns aligned.
std::string ps_table(const std::vector<PeerStatus>& peers, Language language);

}  // namespace bully
