#include "node/directory.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "node/aside.h"

namespace bully {

namespace {

constexpr std::size_t max_id_digits = 20;
constexpr std::string_view staging_suffix = ".starting";

// A process that waits tries again after one millisecond, then two, up to this: a thousand that
// start at once must leave the processor to the one that has the lock.
constexpr int max_lock_pause_ms = 20;
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

[[noreturn]] void fail(int error, const std::string& what, Advice advice) {
  throw SetupError(error, what, advice);
}

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
  return !Lookout().may_be_node(name) && connect_to(name).reach == Reach::gone;
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

std::string default_directory() {
  const char* named = std::getenv("BULLY_DIR");
  return named != nullptr && *named != '\0' ? named : std::string(standard_directory);
}

Directory::Directory(std::string path, bool make) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
  open(make);
}

std::optional<Directory> Directory::existing(const std::string& path) {
  try {
    return std::optional<Directory>(std::in_place, path, false);
  } catch (const SetupError& error) {
    if (error.code().value() == ENOENT) return std::nullopt;
    throw;
  }
}

void Directory::open(bool make) {
  if (path_.empty()) fail(ENOENT, "directory \"\"", Advice::choose_directory);
  if (path_.size() + 1 + max_id_digits > max_socket_path()) {
    fail(ENAMETOOLONG, "socket in " + path_, Advice::shorten_directory);
  }

  struct stat link {};
  if (lstat(path_.c_str(), &link) != 0 && errno == ENOENT && make) {
    if (mkdir(path_.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
      fail(errno, "mkdir " + path_,
           errno == ENOENT ? Advice::make_parent : Advice::choose_directory);
    }
  } else if (S_ISLNK(link.st_mode) && link.st_uid != geteuid()) {
    fail(EPERM, "symbolic link of another user at " + path_, Advice::choose_directory);
  }
  struct stat status {};
  if (stat(path_.c_str(), &status) != 0) {
    fail(errno, "stat " + path_, Advice::choose_directory);
  }
  if (!S_ISDIR(status.st_mode)) fail(ENOTDIR, "open " + path_, Advice::choose_directory);
  if (status.st_uid != geteuid()) fail(EPERM, "owner of " + path_, Advice::choose_directory);
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    fail(EPERM, "mode of " + path_, Advice::tighten_directory);
  }

  // If it cannot be opened now, what was open stays: permission may only be away for a while.
  DIR* const opened = opendir(path_.c_str());
  if (opened == nullptr) fail(errno, "opendir " + path_, Advice::choose_directory);
  handle_.reset(opened);
  std::error_code error;
  real_ = std::filesystem::canonical(path_, error);
  if (error || real_ == "/") real_.clear();
}

std::string Directory::beside(std::string_view suffix) const {
  return real_.empty() ? std::string() : real_ + std::string(suffix);
}

std::vector<NodeId> Directory::ids() const {
  std::vector<NodeId> ids;
  if (!handle_) return ids;
  rewinddir(handle_.get());
  while (const dirent* entry = readdir(handle_.get())) {
    const std::optional<NodeId> id = parse_id(entry->d_name);
    if (!id) continue;
#ifdef DT_SOCK
    if (entry->d_type != DT_SOCK && entry->d_type != DT_UNKNOWN) continue;
#endif
    ids.push_back(*id);
  }
  std::ranges::sort(ids);
  return ids;
}

std::size_t Directory::living_count() const {
  const Lookout lookout;
  return static_cast<std::size_t>(std::ranges::count_if(
      ids(), [&](NodeId id) { return lookout.may_be_node(socket_path(id)); }));
}

// Waits as long as the line moves: each process that has had the lock has changed the directory.
Descriptor Directory::lock(Duration least) const {
  std::filesystem::file_time_type last_change;
  Time deadline = monotonic_now() + least;
  for (int pause_ms = 1;; pause_ms = std::min(pause_ms + 1, max_lock_pause_ms)) {
    Descriptor lock = try_lock(path_);
    if (!lock && errno != EWOULDBLOCK && errno != EINTR) {
      fail(errno, "lock " + path_, Advice::choose_directory);
    }
    struct stat status {};
    struct stat locked {};
    // Somebody may have put another directory in its place meanwhile.
    if (lock && stat(path_.c_str(), &status) == 0 && fstat(lock.get(), &locked) == 0 &&
        locked.st_dev == status.st_dev && locked.st_ino == status.st_ino) {
      return lock;
    }
    std::error_code gone;
    const auto change = std::filesystem::last_write_time(path_, gone);
    if (std::exchange(last_change, change) != change) deadline = monotonic_now() + least;
    if (monotonic_now() >= deadline) fail(EWOULDBLOCK, "lock " + path_, Advice::try_again);
    poll(nullptr, 0, pause_ms);
  }
}

Descriptor Directory::publish(NodeId id) {
  open(true);  // the directory may have been removed and made again
  const Descriptor locked = lock();
  put_names_back(*this);
  const std::string name = socket_path(id);

  struct stat status {};
  if (lstat(name.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode)) fail(EEXIST, "bind " + name, Advice::name_in_the_way);
    if (is_served(own_socket(*this, id), id)) fail(EADDRINUSE, "bind " + name, Advice::id_in_use);
  }
  Descriptor listener = listen_whole(beside(staging_suffix), name);
  if (!listener) {
    unlink(name.c_str());
    listener = listen_at(name);
  }
  published_ = socket_at(name);
  return listener;
}

bool Directory::is_kept(NodeId id) const {
  const Descriptor locked = lock_for_stand_ins(*this);  // so that it is not moved meanwhile
  if (locked) put_names_back(*this);
  return has_published(own_socket(*this, id));
}

void Directory::withdraw(NodeId id) {
  const Descriptor locked = lock_for_stand_ins(*this);
  if (has_published(own_socket(*this, id))) remove_names(*this, id);
}

bool Directory::sweep(NodeId id) {
  const Descriptor locked = try_lock(path_);
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

void Directory::sweep_up_to_a_live_one() {
  if (const Descriptor locked = try_lock(path_)) {
    remove_leftover(beside(staging_suffix));
    put_names_back(*this);
  }
  const Lookout lookout;
  for (int attempt = 0; attempt < sweep_attempts; ++attempt) {
    bool told = true;  // of all up to the first that is alive
    for (const NodeId id : ids()) {
      if (lookout.may_be_node(socket_path(id))) break;
      told = sweep(id) && told;
    }
    if (told) return;
    poll(nullptr, 0, sweep_pause_ms);
  }
}

}  // namespace bully
