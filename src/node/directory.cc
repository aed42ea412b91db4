#include "node/directory.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <optional>

#include "node/clock.h"
#include "node/pipe.h"
#include "node/setup_error.h"
#include "node/unix_socket.h"

namespace bully {

namespace {

constexpr std::size_t max_id_digits = 20;
constexpr std::string_view staging_suffix = ".starting";

// How long one process may keep the lock while others wait. It needs well under a millisecond,
// unless it is stopped just then.
constexpr Duration lock_patience = std::chrono::seconds(3);
// Whoever waits tries again after one millisecond, then two, up to so many: a thousand who start at
// once must leave the processor to the one that has the lock.
constexpr int max_lock_pause_ms = 20;
// How long, and how often, a process that seems to serve a name is asked whether it does.
constexpr int ask_patience_ms = 100;
constexpr int ask_attempts = 2;
// Whoever leaves is not kept as long: for a young socket's grace, and the time for which a process
// that has the lock may have to wait for the processor.
constexpr int sweep_attempts = 60;
constexpr int sweep_pause_ms = 10;

// A program that publishes as the example does binds first and listens later: for that moment its
// socket refuses connections like a dead one. A socket this young is not swept.
constexpr auto min_age_to_sweep = std::chrono::milliseconds(100);

[[noreturn]] void fail(int error, const std::string& what, Advice advice) {
  throw SetupError(error, what, advice_for(error, advice));
}

bool is_socket(const std::string& path, struct stat& status) {
  return lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

timespec modified(const struct stat& status) {
#ifdef __APPLE__
  return status.st_mtimespec;
#else
  return status.st_mtim;
#endif
}

// By the wall clock, as the file system keeps it. If that is set meanwhile, a young name may lose
// its grace; or a dead one may seem young, for a moment. One from the future is not.
std::chrono::nanoseconds age(const struct stat& status) {
  const timespec born = modified(status);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::chrono::seconds(now.tv_sec - born.tv_sec) +
         std::chrono::nanoseconds(now.tv_nsec - born.tv_nsec);
}

// An advisory lock on a directory, held until it is destroyed. flock(2) is the one call here that
// POSIX.1-2008 lacks; Linux, macOS and the BSDs have it, and unlike fcntl(2) it can lock a
// directory, so that no lock file is needed which another user could make first.
std::optional<Descriptor> try_lock(const std::string& path) {
  Descriptor directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || flock(directory.get(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  return directory;
}

// Whether a process is behind `name`; `id` signs the ping that asks. A node killed a moment ago may
// seem to be there until its monitor has closed what it inherited. So one that closes without a
// word is asked again; one that stays silent is there, only stopped, or no node of ours.
bool is_served(const std::string& name, NodeId id) {
  for (int attempt = 0; attempt < ask_attempts; ++attempt) {
    const Connection connection = connect_to(name);
    if (connection.reach != Reach::reached) return connection.reach != Reach::gone;
    send_once(connection.descriptor, encode(Message{.type = MessageType::ping, .from = id}));
    shutdown(connection.descriptor.get(), SHUT_WR);
    pollfd polled{connection.descriptor.get(), POLLIN, 0};
    char reply = 0;
    if (poll(&polled, 1, ask_patience_ms) != 1) return true;
    if (recv(polled.fd, &reply, sizeof reply, MSG_DONTWAIT) > 0) return true;
  }
  return true;
}

// Whether no process has this stream socket. A process that has it does not hear of the question: a
// connection that says nothing would count there as a message dropped.
bool is_dead(const std::string& name) {
  return !Lookout().may_be_node(name) && connect_to(name).reach == Reach::gone;
}

// Where a socket is made before it has its name: beside the directory, and not beside a link to it,
// or in it where it was named "." or the like. Empty where nothing is beside it, or too far down
// for a socket's address.
std::string place_beside(const std::string& directory) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(directory.c_str(), nullptr),
                                                         std::free);
  if (!real || real.get() == std::string_view("/")) return {};
  std::string place = real.get() + std::string(staging_suffix);
  return place.size() <= max_socket_path() ? place : std::string();
}

// REQUIRES: the lock is held. So whatever socket is there was left by a process that was killed;
// unless it is somebody else's, or one that listens.
void remove_leftover(const std::string& place) {
  struct stat status {};
  if (is_socket(place, status) && status.st_uid == geteuid() && is_dead(place)) {
    unlink(place.c_str());
  }
}

// A listening socket that was made at `place` and then moved to `name`; none if that cannot be.
Descriptor listen_whole(const std::string& place, const std::string& name) {
  if (place.empty()) return {};
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
  return named != nullptr && *named != '\0' ? named : "/tmp/bully";
}

Directory::Directory(std::string path, bool make) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
  check(make);
  open_handle();
}

void Directory::check(bool make) {
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
}

// Where it cannot be opened now, what was open stays: permission may only be away for a while.
void Directory::open_handle() {
  DIR* opened = opendir(path_.c_str());
  if (opened == nullptr) fail(errno, "opendir " + path_, Advice::choose_directory);
  handle_.reset(opened);
  set_close_on_exec(dirfd(opened));
}

void Directory::open_again() {
  handle_.reset(opendir(path_.c_str()));
  if (handle_) set_close_on_exec(dirfd(handle_.get()));
}

std::span<const NodeId> Directory::ids() const {
  if (look_ == Look::done) return ids_;
  if (look_ == Look::due) look_ = Look::done;
  ids_.clear();
  if (!handle_) return ids_;
  rewinddir(handle_.get());
  while (const dirent* entry = readdir(handle_.get())) {
    const std::optional<NodeId> id = parse_id(entry->d_name);
    if (!id) continue;
#ifdef DT_SOCK
    if (entry->d_type != DT_SOCK && entry->d_type != DT_UNKNOWN) continue;
#endif
    ids_.push_back(*id);
  }
  std::sort(ids_.begin(), ids_.end());
  return ids_;
}

std::size_t Directory::living_count() const {
  const Lookout lookout;
  const auto all = ids();
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [&](NodeId id) { return lookout.may_be_node(socket_path(id)); }));
}

// Waits as long as the line moves: whoever has had the lock has changed the directory.
Descriptor Directory::lock_or_throw() const {
  timespec last_change{};
  Time deadline = monotonic_now() + lock_patience;
  for (int pause_ms = 1;; pause_ms = std::min(pause_ms + 1, max_lock_pause_ms)) {
    std::optional<Descriptor> lock = try_lock(path_);
    if (!lock && errno != EWOULDBLOCK && errno != EINTR) {
      fail(errno, "lock " + path_, Advice::choose_directory);
    }
    struct stat status {};
    struct stat locked {};
    const bool is_there = stat(path_.c_str(), &status) == 0;
    // Somebody may have put another directory in its place meanwhile.
    if (lock && is_there && fstat(lock->get(), &locked) == 0 && locked.st_dev == status.st_dev &&
        locked.st_ino == status.st_ino) {
      return std::move(*lock);
    }
    const timespec change = is_there ? modified(status) : last_change;
    const bool moves = change.tv_sec != last_change.tv_sec || change.tv_nsec != last_change.tv_nsec;
    if (moves) deadline = monotonic_now() + lock_patience;
    if (monotonic_now() >= deadline) fail(EWOULDBLOCK, "lock " + path_, Advice::try_again);
    last_change = change;
    poll(nullptr, 0, pause_ms);
  }
}

Descriptor Directory::publish(NodeId id) {
  check(true);
  open_handle();  // the directory may have been removed and made again
  const Descriptor lock = lock_or_throw();
  const std::string name = socket_path(id);

  struct stat status {};
  if (lstat(name.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode)) fail(EEXIST, "bind " + name, Advice::name_in_the_way);
    if (is_served(name, id)) fail(EADDRINUSE, "bind " + name, Advice::id_in_use);
  }
  Descriptor listener = listen_whole(place_beside(path_), name);
  if (!listener) {
    unlink(name.c_str());
    listener = listen_at(name);
  }
  if (lstat(name.c_str(), &status) == 0) published_ = {status.st_dev, status.st_ino};
  return listener;
}

bool Directory::is_published(NodeId id) const {
  struct stat status {};
  return is_socket(socket_path(id), status) && published_ == Identity{status.st_dev, status.st_ino};
}

void Directory::withdraw(NodeId id) {
  if (is_published(id)) unlink(socket_path(id).c_str());
}

bool Directory::sweep(NodeId id) {
  const std::optional<Descriptor> lock = try_lock(path_);
  if (!lock) return errno != EWOULDBLOCK;
  const std::string name = socket_path(id);
  struct stat status {};
  if (!is_socket(name, status) || !is_dead(name)) return true;
  const std::chrono::nanoseconds since_made = age(status);
  if (since_made >= since_made.zero() && since_made < min_age_to_sweep) return false;
  unlink(name.c_str());
  return true;
}

void Directory::sweep_up_to_a_live_one() {
  if (const std::optional<Descriptor> lock = try_lock(path_)) remove_leftover(place_beside(path_));
  const Lookout lookout;
  for (int attempt = 0; attempt < sweep_attempts; ++attempt) {
    bool told = true;  // of all up to the first that is alive
    const auto present = ids();
    for (const NodeId id : std::vector<NodeId>(present.begin(), present.end())) {
      if (lookout.may_be_node(socket_path(id))) break;
      told = sweep(id) && told;
    }
    if (told) return;
    poll(nullptr, 0, sweep_pause_ms);
  }
}

}  // namespace bully
