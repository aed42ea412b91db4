#include "node/registry.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>

#include "node/aside.h"

namespace bully {

namespace {

constexpr std::string_view staging_suffix = ".starting";

// How long, and how often, a process that seems to serve a name is asked whether it does.
constexpr int ask_patience_ms = 100;
constexpr int ask_attempts = 2;
// A process that leaves is not kept as long: for a young socket's grace, and the time for which one
// that has the lock may have to wait for the processor.
constexpr int sweep_attempts = 60;
constexpr int sweep_pause_ms = 10;

// A program that publishes as the example does binds first and listens later: for that moment its
// socket refuses connections like a dead one. A socket this young is not swept.
constexpr Duration min_age_to_sweep = std::chrono::milliseconds(100);

// Whether a process is behind `name`; `id` signs the ping that asks. A node killed a moment ago may
// seem to be there until its monitor has closed what it inherited. So one that closes without a
// word is asked again; one that stays silent is there, only stopped, or no node of ours.
bool is_served(const std::string& name, NodeId id) {
  for (int attempt = 0; attempt < ask_attempts; ++attempt) {
    const Connection connection = connect_to(name);
    if (connection.reach != Reach::reached) return connection.reach != Reach::gone;
    send_once(connection.descriptor, encode(Message{.type = messages::ping, .from = id}));
    shutdown(connection.descriptor.get(), SHUT_WR);
    pollfd polled{connection.descriptor.get(), POLLIN, 0};
    char reply = 0;
    const bool is_silent = poll(&polled, 1, ask_patience_ms) != 1;
    if (is_silent || recv(polled.fd, &reply, sizeof reply, MSG_DONTWAIT) > 0) break;
  }
  return true;
}

// Whether no process has this stream socket. A process that has it does not hear of the question: a
// connection that says nothing would count there as a message dropped.
bool is_dead(const std::string& name) {
  return !SocketTable().may_be_node(name) && connect_to(name).reach == Reach::gone;
}

// REQUIRES: the lock is held. So a socket there was left by a process that was killed, unless it is
// somebody else's, or one that listens.
void remove_leftover(const std::string& place) {
  struct stat status {};
  const bool is_own = lstat(place.c_str(), &status) == 0 && status.st_uid == geteuid();
  if (is_own && S_ISSOCK(status.st_mode) && is_dead(place)) unlink(place.c_str());
}

// A listening socket made at `place` and then moved to `name`; none if that cannot be: nothing can
// be beside the directory, or it is too far down for a socket's address.
Descriptor listen_whole(const std::string& place, const std::string& name) {
  if (place.empty() || place.size() > max_socket_path()) return {};
  remove_leftover(place);
  try {
    Descriptor listener = listen_at(place);
    if (rename(place.c_str(), name.c_str()) == 0) return listener;
    unlink(place.c_str());
  } catch (const SetupError&) {
    // Something else has that name, or the place is not ours to write.
  }
  return {};
}

}  // namespace

Descriptor Registry::publish(NodeId id) {
  open(true);  // the directory may have been removed and made again
  const Descriptor locked = lock();
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
  if (has_published(name)) return true;
  if (has_published(own_socket(*this, id)) && SocketTable().may_be_node(name)) return true;
  const Descriptor locked = lock_for_stand_ins(*this);  // so that it is not moved meanwhile
  if (locked) put_names_back(*this);
  return has_published(own_socket(*this, id));
}

void Registry::withdraw(NodeId id) {
  const Descriptor locked = lock_for_stand_ins(*this);
  if (has_published(own_socket(*this, id))) remove_names(*this, id);
}

bool Registry::sweep(NodeId id) {
  const Descriptor locked = try_lock(path());
  if (!locked) return errno != EWOULDBLOCK;
  put_names_back(*this);
  const std::string name = socket_path(id);
  if (!socket_at(name) || !is_dead(name)) return true;
  if (!is_dead(own_socket(*this, id))) return false;
  // By the wall clock: if that is set meanwhile, a young name may lose its grace, or a dead one
  // seem young for a moment. One from the future is not young.
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
    bool told = true;  // of all up to the first that is alive
    for (const NodeId id : ids()) {
      if (sockets.may_be_node(socket_path(id))) break;
      told = sweep(id) && told;
    }
    if (told) return;
    poll(nullptr, 0, sweep_pause_ms);
  }
}

}  // namespace bully
