#include "support/names.h"

#include <sys/socket.h>

#include <cerrno>
#include <system_error>

#include "node/system.h"

namespace bully {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

Descriptor connect_waiting(const std::string& path) {
  const sockaddr_un address = address_of(path);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  Descriptor connection(socket(AF_UNIX, SOCK_STREAM, 0));
  if (connect(connection.get(), generic, sizeof address) != 0) connection.reset();
  return connection;
}

Descriptor bind_at(const std::string& path, int type) {
  const sockaddr_un address = address_of(path);
  Descriptor bound = prepared(socket(AF_UNIX, type, 0));
  if (!bound ||
      bind(bound.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::system_error(errno, std::generic_category(), "bind " + path);
  }
  return bound;
}

std::vector<Connection> fill_backlog(const std::string& path) {
  std::vector<Connection> waiting;
  do {
    waiting.push_back(connect_to(path));
  } while (waiting.back().reach == Reach::reached);
  return waiting;
}

void leave_dead_name(const std::string& path) {
  bind_at(path, SOCK_STREAM);
}

}  // namespace bully
