// unix_socket.h: the few things that a node does with Unix-domain stream sockets.
//
// Every socket made here is non-blocking and close-on-exec. Nothing here waits.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "node/descriptor.h"

namespace bully {

// The longest path that fits a socket's address, in bytes.
std::size_t max_socket_path();

// A bound and listening socket. Throws SetupError naming the call and the path.
// REQUIRES: path.size() <= max_socket_path().
Descriptor listen_at(const std::string& path);

// The next connection that waits to be accepted. Where there is none: an empty one, and errno says
// why (EAGAIN: none waits; EMFILE, ENFILE: no descriptor is left).
Descriptor accept_from(const Descriptor& listener);

enum class Reach {
  reached,  // connected
  gone,     // ECONNREFUSED or ENOENT: no process is behind this name
  foreign,  // EPROTOTYPE: a socket of another type, so no node, and not ours to remove
  busy,     // any other reason, a full backlog above all: says nothing about the process
};

struct Connection {
  Reach reach = Reach::busy;
  Descriptor descriptor;  // where reached
};

Connection connect_to(const std::string& path);

// Whether a process is behind this name, for all that can be known without a word to it. A datagram
// socket cannot connect to a stream socket: it is refused for its type if a process has that
// socket, and like everybody else if none has. So the one that is asked about is not disturbed, and
// no backlog is too full to tell. Systems where a full backlog refuses connections need it.
class Lookout {
 public:
  Lookout();
  // True also where it cannot be told. False for a socket of another type, which is no node's.
  bool may_be_node(const std::string& path) const;

 private:
  Descriptor datagram_;
};

// What a failed connect(2) says about its peer. `full_backlog_refuses`: a refusal is believed only
// when it is confirmed.
Reach reach_after(int error, const std::string& path, bool full_backlog_refuses);

// Writes `bytes` with one send. Whether all were taken: false says that the peer has closed.
bool send_once(const Descriptor& connection, std::string_view bytes);

// Whether this system tells who listens at the other end of a connection.
#if (defined(SO_PEERCRED) && defined(__linux__)) || defined(LOCAL_PEERPID)
inline constexpr bool kernel_tells_listener = true;
#else
inline constexpr bool kernel_tells_listener = false;
#endif

// The PID of the process that listens at the other end of `connection`, as the kernel remembers
// it. 0 where this system does not tell, or where that process lives in another PID namespace and
// has no PID here. It may be dead if a child of its keeps the socket.
pid_t listener_pid(const Descriptor& connection);

}  // namespace bully
