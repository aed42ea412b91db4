// registry.cc: publishes a name with a listener behind it, and clears dead names.
#include "node/registry.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <utility>

#include "node/beyond_posix.h"
#include "node/taken_names.h"

namespace bully {

namespace {

constexpr std::string_view staging_suffix = ".starting";

// The time to wait for a reply of a process that seems to serve a name, and the number of tries if
// its connections close without one.
constexpr int ask_patience_ms = 100;
constexpr int ask_attempts = 2;
// The time for a killed node's monitor to close the sockets that it inherits, which it does at
// once, but not before it gets the processor.
constexpr Duration monitor_patience = std::chrono::seconds(3);
// A leaving process waits no longer than this: for a young socket's grace, and for a lock holder
// that waits for the processor.
constexpr int sweep_attempts = 60;
constexpr int sweep_pause_ms = 10;

// A program that publishes as the example does binds first and listens later: for that moment its
// socket refuses connections like a dead one. A socket this young is not swept.
constexpr Duration min_age_to_sweep = std::chrono::milliseconds(100);

// True if the process that listens has ended, so that only a child of it can keep this socket.
bool is_orphaned(const Descriptor& connection) {
  if (Descriptor process = listener_process(connection)) {
    return PinnedProcess(0, std::move(process)).has_ended();
  }
  const pid_t pid = listener_pid(connection);
  return pid > 0 && PinnedProcess(pid).has_ended();
}

// True if a process is behind `name`; `id` signs the ping. A node killed a moment ago may seem
// alive until its monitor has closed the inherited sockets. So a listener that closes without a
// reply gets another ping, and more, even if it is silent, if its process has ended. Any other
// silent listener counts as a process, stopped or foreign.
bool is_served(const std::string& name, NodeId id) {
  const Time until = monotonic_now() + monitor_patience;
  for (int attempt = 1;; ++attempt) {
    const Connection connection = connect_to(name);
    if (connection.reach != Reach::reached) return connection.reach != Reach::gone;
    send_question(connection.descriptor, encode(Message{.type = messages::ping, .from = id}));
    pollfd polled{connection.descriptor.get(), POLLIN, 0};
    char reply = 0;
    const bool is_silent = poll(&polled, 1, ask_patience_ms) != 1;
    if (!is_silent && recv(polled.fd, &reply, sizeof reply, MSG_DONTWAIT) > 0) return true;
    const bool may_end = is_orphaned(connection.descriptor) && monotonic_now() < until;
    if (!may_end && (is_silent || attempt >= ask_attempts)) return true;
  }
}

// True if no process has this stream socket. The socket table comes first, as an empty connection
// would count at a live process as a dropped message.
bool is_dead(const std::string& name) {
  return !SocketTable().may_be_node(name) && connect_to(name).reach == Reach::gone;
}

// False where nothing can be beside the directory, or its path is too long for a socket's address.
bool may_be_socket(const std::string& place) {
  return !place.empty() && place.size() <= max_socket_path();
}

// REQUIRES: the lock is held. So a killed process left a socket there, unless the socket is foreign
// or listens.
void remove_leftover(const std::string& place) {
  if (!may_be_socket(place)) return;
  struct stat status {};
  const bool is_own = lstat(place.c_str(), &status) == 0 && status.st_uid == geteuid();
  if (is_own && S_ISSOCK(status.st_mode) && is_dead(place)) unlink(place.c_str());
}

// A listening socket made at `place` and then moved to `name`; none if that is impossible.
Descriptor listen_whole(const std::string& place, const std::string& name) {
  if (!may_be_socket(place)) return {};
  remove_leftover(place);
  try {
    Descriptor listener = listen_at(place);
    if (rename(place.c_str(), name.c_str()) == 0) return listener;
    unlink(place.c_str());
  } catch (const SetupError&) {
    // Another file has that name, or this user may not write the place.
  }
  return {};
}

}  // namespace

Descriptor Registry::publish(NodeId id, Duration for_lock) {
  open(true);  // the directory may have been removed and made again
  const Descriptor locked = lock(for_lock);
  put_names_back(*this);
  const std::string name = socket_path(id);

  struct stat status {};
  if (lstat(name.c_str(), &status) == 0) {
    const auto refuse = [&](int error, Advice advice) {
      throw SetupError(error, "bind " + name, advice);
    };
    if (!S_ISSOCK(status.st_mode)) refuse(EEXIST, Advice::name_in_the_way);
    if (is_served(own_socket(*this, id), id)) refuse(EADDRINUSE, Advice::id_in_use);
  }
  Descriptor listener = listen_whole(beside(staging_suffix), name);
  if (!listener) {
    unlink(name.c_str());
    listener = listen_at(name);
  }
  published_ = socket_at(name);
  return listener;
}

bool Registry::is_kept(NodeId id) const {
  const std::string name = socket_path(id);
  if (is_published(name)) return true;
  if (is_published(own_socket(*this, id)) && SocketTable().may_be_node(name)) return true;
  // The socket must not move now.
  const Descriptor locked = lock_for_proxies(*this, brief_lock_patience);
  if (locked) put_names_back(*this);
  return is_published(own_socket(*this, id));
}

void Registry::withdraw(NodeId id) {
  const Descriptor locked = lock_for_proxies(*this);
  if (is_published(own_socket(*this, id))) remove_names(*this, id);
}

bool Registry::sweep(NodeId id) {
  const Descriptor locked = try_lock(path());
  if (!locked) return is_absence(errno);  // a directory that is gone has no names
  put_names_back(*this);
  const std::string name = socket_path(id);
  if (!socket_at(name) || !is_dead(name)) return true;
  if (!is_dead(own_socket(*this, id))) return false;
  // By the wall clock: if it is set meanwhile, a young name may lose its grace, or a dead one seem
  // young for a moment. A name from the future is not young.
  std::error_code error;
  const auto now = std::filesystem::file_time_type::clock::now();
  const auto made = std::filesystem::last_write_time(name, error);
  if (!error && made <= now && now < made + min_age_to_sweep) return false;
  remove_names(*this, id);
  return true;
}

void Registry::sweep_up_to_a_live_one() {
  if (const Descriptor locked = try_lock(path())) {
    remove_leftover(beside(staging_suffix));
    put_names_back(*this);
  }
  const SocketTable sockets;
  for (int attempt = 0; attempt < sweep_attempts; ++attempt) {
    bool done = true;  // until the first live process
    for (const NodeId id : ids()) {
      if (sockets.may_be_node(socket_path(id))) break;
      done = sweep(id) && done;
    }
    if (done) return;
    poll(nullptr, 0, sweep_pause_ms);
  }
}

}  // namespace bully
