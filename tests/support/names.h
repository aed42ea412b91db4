// names.h: what may stand in a directory of sockets, besides the nodes that a test starts.
#pragma once

#include <string>

#include "node/system.h"

namespace bully {

// A socket of this type (SOCK_DGRAM, say), bound at `path`. Throws system_error.
Descriptor bind_at(const std::string& path, int type);

// The name that a dead process leaves behind.
void leave_dead_name(const std::string& path);

}  // namespace bully
