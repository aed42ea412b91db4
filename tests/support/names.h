// names.h: what may stand in a directory of sockets, besides the nodes that a test starts.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <string>
#include <vector>

#include "node/system.h"

namespace bully {

// The address of a socket at `path`.
sockaddr_un address_of(const std::string& path);

// A connection to `path`, which waits for room in the backlog; empty where nobody listens.
Descriptor connect_waiting(const std::string& path);

// A socket of this type (SOCK_DGRAM, say), bound at `path`. Throws system_error.
Descriptor bind_at(const std::string& path, int type);

// So many files may a test have to open that fills a backlog.
inline constexpr std::size_t full_backlog = SOMAXCONN + 100;
// Connections to a socket whose owner does not accept them, until its backlog is full; the last one
// has not reached it.
std::vector<Connection> fill_backlog(const std::string& path);

// The name that a dead process leaves behind.
void leave_dead_name(const std::string& path);

}  // namespace bully
