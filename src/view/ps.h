// ps.h: the status of a cluster as a table.
#pragma once

#include <string>
#include <vector>

#include "trace/status.h"
#include "view/text.h"

namespace bully {

// The state's name, as people read it.
Text state_text(std::string_view state_name);

// A header and a line for each peer, columns aligned.
std::string ps_table(const std::vector<PeerStatus>& peers, Language language);

}  // namespace bully
