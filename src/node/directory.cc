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
constexpr std::string_view staging_suffix = ".XXXXXX";  // for mkdtemp
constexpr std::string_view staging_socket = "/s";

// How long one process may keep the lock while others wait. It needs well under a millisecond,
// unless it is stopped just then.
constexpr Duration lock_patience = std::chrono::seconds(3);
// Whoever waits tries again after one millisecond, then two, up to so many: a thousand who start at
// once must leave the processor to the one that has the lock.
constexpr int max_lock_pause_ms = 20;
// How long, and how often, a process that seems to serve a name is asked whether it does.
constexpr int ask_patience_ms = 100;
constexpr int ask_attempts = 2;
// Whoever leaves is not kept as long: a young socket's grace, twice.
constexpr int sweep_attempts = 20;
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

// A private place beside the directory, on the same file system, for a socket that is being made.
// Whatever happens, it is gone afterwards.
class Staging {
 public:
  explicit Staging(const std::string& beside) : path_(beside + std::string(staging_suffix)) {
    if (mkdtemp(path_.data()) == nullptr) fail(errno, "mkdtemp " + path_, Advice::choose_directory);
  }
  ~Staging() {
    unlink(socket().c_str());
    rmdir(path_.c_str());
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  std::string socket() const { return path_ + std::string(staging_socket); }

 private:
  std::string path_;
};

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
  const std::size_t room = max_socket_path();
  const std::size_t needed =
      path_.size() + std::max(1 + max_id_digits, staging_suffix.size() + staging_socket.size());
  if (path_.empty()) fail(ENOENT, "directory \"\"", Advice::choose_directory);
  if (needed > room) fail(ENAMETOOLONG, "socket in " + path_, Advice::shorten_directory);

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
    if (std::optional<Descriptor> lock = try_lock(path_)) return std::move(*lock);
    if (errno != EWOULDBLOCK && errno != EINTR)
      fail(errno, "lock " + path_, Advice::choose_directory);

    struct stat status {};
    const timespec change = stat(path_.c_str(), &status) == 0 ? modified(status) : last_change;
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
  const Staging staging(path_);
  Descriptor listener = listen_at(staging.socket());
  const Descriptor lock = lock_or_throw();
  const std::string name = socket_path(id);

  struct stat status {};
  if (lstat(name.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode)) fail(EEXIST, "bind " + name, Advice::name_in_the_way);
    if (is_served(name, id)) fail(EADDRINUSE, "bind " + name, Advice::id_in_use);
  }
  if (rename(staging.socket().c_str(), name.c_str()) != 0) {
    fail(errno, "rename a socket to " + name, Advice::choose_directory);
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
  if (!is_socket(name, status) || connect_to(name).reach != Reach::gone) return true;
  const std::chrono::nanoseconds since_made = age(status);
  if (since_made >= since_made.zero() && since_made < min_age_to_sweep) return false;
  unlink(name.c_str());
  return true;
}

void Directory::sweep_up_to_a_live_one(NodeId self) {
  const auto present = ids();
  int attempts = sweep_attempts;
  for (const NodeId id : std::vector<NodeId>(present.begin(), present.end())) {
    const Connection connection = connect_to(socket_path(id));
    if (connection.reach == Reach::reached) {
      send_once(connection.descriptor, encode(Message{.type = MessageType::ping, .from = self}));
    }
    if (connection.reach == Reach::reached || connection.reach == Reach::busy) return;
    while (!sweep(id) && attempts-- > 0) poll(nullptr, 0, sweep_pause_ms);
  }
}

}  // namespace bully
