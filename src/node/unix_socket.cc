#include "node/unix_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "node/pipe.h"
#include "node/setup_error.h"

namespace bully {

namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
  return address;
}

// One call instead of five, where the system has it.
#ifdef SOCK_CLOEXEC
Descriptor make_socket(int type) {
  return Descriptor(socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}
Descriptor accepted_from(int listener) {
  return Descriptor(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}
#else
Descriptor prepared(Descriptor made) {
  if (made) {
    set_close_on_exec(made.get());
    set_non_blocking(made.get());
  }
  return made;
}
Descriptor make_socket(int type) {
  return prepared(Descriptor(socket(AF_UNIX, type, 0)));
}
Descriptor accepted_from(int listener) {
  return prepared(Descriptor(accept(listener, nullptr, nullptr)));
}
#endif

// On macOS and the BSDs connect(2) gives ECONNREFUSED for a full backlog as well.
#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__) || \
    defined(__DragonFly__)
constexpr bool full_backlog_refuses_here = true;
#else
constexpr bool full_backlog_refuses_here = false;
#endif

// 0, or why it cannot connect.
int connect_error(const Descriptor& from, const std::string& path) {
  const sockaddr_un address = address_of(path);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  return connect(from.get(), generic, sizeof address) == 0 ? 0 : errno;
}

}  // namespace

std::size_t max_socket_path() {
  return sizeof(sockaddr_un::sun_path) - 1;
}

Descriptor listen_at(const std::string& path) {
  const sockaddr_un address = address_of(path);
  Descriptor listener = make_socket(SOCK_STREAM);
  const auto fail = [&](const char* call) {
    throw SetupError(errno, call + (" " + path), advice_for(errno, Advice::choose_directory));
  };
  if (!listener) fail("socket for");
  // Only its owner may connect, whatever the directory allows.
  const mode_t mask = umask(S_IRWXG | S_IRWXO);
  const int bound =
      bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  umask(mask);
  if (bound != 0) fail("bind");
  if (listen(listener.get(), SOMAXCONN) != 0) {
    const int error = errno;
    unlink(path.c_str());
    errno = error;
    fail("listen on");
  }
  return listener;
}

Descriptor accept_from(const Descriptor& listener) {
  while (true) {
    Descriptor accepted = accepted_from(listener.get());
    if (accepted || (errno != EINTR && errno != ECONNABORTED)) return accepted;
  }
}

Lookout::Lookout() : datagram_(make_socket(SOCK_DGRAM)) {}

bool Lookout::may_be_node(const std::string& path) const {
  if (!datagram_) return true;
  const int error = connect_error(datagram_, path);
  return error != 0 && error != ECONNREFUSED && error != ENOENT;
}

Reach reach_after(int error, const std::string& path, bool full_backlog_refuses) {
  if (error == ENOENT) return Reach::gone;
  if (error == EPROTOTYPE) return Reach::foreign;
  if (error != ECONNREFUSED) return Reach::busy;
  return full_backlog_refuses && Lookout().may_be_node(path) ? Reach::busy : Reach::gone;
}

Connection connect_to(const std::string& path) {
  Connection connection{Reach::busy, make_socket(SOCK_STREAM)};
  if (!connection.descriptor) return connection;
  const int error = connect_error(connection.descriptor, path);
  if (error == 0) {
    connection.reach = Reach::reached;
  } else {
    connection.descriptor.reset();
    connection.reach = reach_after(error, path, full_backlog_refuses_here);
  }
  return connection;
}

bool send_once(const Descriptor& connection, std::string_view bytes) {
#ifdef MSG_NOSIGNAL  // where it is missing, whoever sends has to ignore SIGPIPE
  constexpr int flags = MSG_NOSIGNAL;
#else
  constexpr int flags = 0;
#endif
  return send(connection.get(), bytes.data(), bytes.size(), flags) ==
         static_cast<ssize_t>(bytes.size());
}

pid_t listener_pid([[maybe_unused]] const Descriptor& connection) {
#if defined(SO_PEERCRED) && defined(__linux__)
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0) return peer.pid;
#elif defined(LOCAL_PEERPID)
  pid_t pid = 0;
  socklen_t size = sizeof pid;
  if (getsockopt(connection.get(), 0, LOCAL_PEERPID, &pid, &size) == 0) return pid;
#endif
  return 0;
}

}  // namespace bully
