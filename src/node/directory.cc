// directory.cc: makes a directory safe, lists it, and names its sockets.
#include "node/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "node/beyond_posix.h"

namespace bully {

namespace {

// A waiting process tries again after one millisecond, then two, up to this: a thousand processes
// that start at once must leave the processor to the lock's holder.
constexpr int max_lock_pause_ms = 20;

// The name of the user, or the number if this machine's own list has no name for it. getpwuid would
// load libraries, which a static program lacks.
std::string owner_name(uid_t user) {
  std::string number = std::to_string(user);
  std::ifstream list("/etc/passwd");
  for (std::string line; std::getline(list, line);) {
    std::istringstream text(line);
    std::array<std::string, 3> fields;  // name, password, number
    for (std::string& field : fields) std::getline(text, field, ':');
    if (fields[2] == number) return fields[0];
  }
  return number;
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
  if (path_.empty()) throw SetupError(ENOENT, "directory \"\"", Advice::choose_directory);
  if (socket_path(highest_id).size() > max_socket_path()) {
    throw SetupError(ENAMETOOLONG, "socket in " + path_, Advice::shorten_directory);
  }

  struct stat link {};
  if (lstat(path_.c_str(), &link) != 0 && errno == ENOENT && make) {
    if (mkdir(path_.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
      throw SetupError(errno, "mkdir " + path_,
                       errno == ENOENT ? Advice::make_parent : Advice::choose_directory);
    }
  } else if (S_ISLNK(link.st_mode) && link.st_uid != geteuid()) {
    throw SetupError(EPERM, "symbolic link of " + owner_name(link.st_uid) + " at " + path_,
                     Advice::choose_directory);
  }
  struct stat status {};
  if (stat(path_.c_str(), &status) != 0) {
    throw SetupError(errno, "stat " + path_, Advice::choose_directory);
  }
  if (!S_ISDIR(status.st_mode))
    throw SetupError(ENOTDIR, "open " + path_, Advice::choose_directory);
  if (status.st_uid != geteuid())
    throw SetupError(EPERM, "owner of " + path_ + " (" + owner_name(status.st_uid) + ")",
                     Advice::choose_directory);
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    // A shared place, such as /tmp, should keep its mode.
    const bool is_shared = (status.st_mode & S_ISVTX) != 0;
    throw SetupError(EPERM, "mode of " + path_,
                     is_shared ? Advice::choose_directory : Advice::tighten_directory);
  }

  if (faccessat(AT_FDCWD, path_.c_str(), R_OK | X_OK, AT_EACCESS) != 0) {
    throw SetupError(errno, "list " + path_, Advice::choose_directory);
  }
  std::error_code error;
  real_ = std::filesystem::canonical(path_, error);
  // An inode's number is used again, and so may be a path. A number in JSON has 53 bits.
  const std::string identity =
      real_ + ' ' + std::to_string(status.st_dev) + ' ' + std::to_string(status.st_ino);
  identity_ = std::hash<std::string>()(identity) >> 11;
  if (error || real_ == "/") real_.clear();
}

std::string Directory::beside(std::string_view suffix) const {
  return real_.empty() ? std::string() : real_ + std::string(suffix);
}

// After a look that failed at this call, which has set errno.
std::vector<NodeId> Directory::latest_ids(const char* failed_call) const {
  if (!latest_) throw SetupError(errno, failed_call + path_, Advice::choose_directory);
  return *latest_;
}

std::vector<NodeId> Directory::ids() const {
  const auto close = [](DIR* entries) { closedir(entries); };
  const std::unique_ptr<DIR, decltype(close)> entries(opendir(path_.c_str()));
  if (!entries) return is_absence(errno) ? std::vector<NodeId>() : latest_ids("opendir ");
  std::vector<NodeId> ids;
  errno = 0;
  while (const dirent* entry = readdir(entries.get())) {
    const std::optional<NodeId> id = parse_id(entry->d_name);
    if (id && !is_no_socket(*entry)) ids.push_back(*id);
  }
  if (errno != 0) return latest_ids("readdir ");
  std::ranges::sort(ids);
  latest_ = ids;
  return ids;
}

std::vector<NodeId> Directory::living() const {
  const SocketTable sockets;
  std::vector<NodeId> living = ids();
  std::erase_if(living, [&](NodeId id) { return !sockets.may_be_node(socket_path(id)); });
  return living;
}

// Waits while the line moves: each process that has had the lock has changed the directory.
Descriptor Directory::lock(Duration least) const {
  std::filesystem::file_time_type last_change;
  Time deadline = monotonic_now() + least;
  for (int pause_ms = 1;; pause_ms = std::min(pause_ms + 1, max_lock_pause_ms)) {
    Descriptor lock = try_lock(path_);
    if (!lock && errno != EWOULDBLOCK && errno != EINTR) {
      throw SetupError(errno, "lock " + path_, Advice::choose_directory);
    }
    struct stat status {};
    struct stat locked {};
    // Another process may have put another directory in its place meanwhile.
    if (lock && stat(path_.c_str(), &status) == 0 && fstat(lock.get(), &locked) == 0 &&
        locked.st_dev == status.st_dev && locked.st_ino == status.st_ino) {
      return lock;
    }
    std::error_code gone;
    const auto change = std::filesystem::last_write_time(path_, gone);
    if (std::exchange(last_change, change) != change) deadline = monotonic_now() + least;
    if (monotonic_now() >= deadline)
      throw SetupError(EWOULDBLOCK, "lock " + path_, Advice::try_again);
    poll(nullptr, 0, pause_ms);
  }
}

}  // namespace bully
