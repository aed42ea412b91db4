// taken_names.cc: moves a name into a second directory and back, whatever happens in between.
#include "node/taken_names.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "node/beyond_posix.h"

namespace bully {

namespace {

constexpr std::string_view place_suffix = ".aside";
constexpr std::string_view stand_in_suffix = ".stand-in";
constexpr std::string_view made_as = "/new";
// How often a process may move while a peer connects to it.
constexpr int max_moves = 8;
// While a proxy waits for the lock, it passes no message on.
constexpr Duration soon = std::chrono::milliseconds(10);

struct Names {
  Names(const Directory& directory, const std::string& place, NodeId id)
      : name(directory.socket_path(id)),
        own(place + '/' + std::to_string(id)),
        stand_in(own + std::string(stand_in_suffix)) {}

  // The socket that has the name is never freed, so no other socket can get its identity.
  bool are_exchanged() const {
    const auto named = socket_at(name);
    return named && named == socket_at(stand_in);
  }
  // Clears the place. If interrupted, it can be done again.
  void settle() const {
    if (are_exchanged()) rename(own.c_str(), name.c_str());
    unlink(own.c_str());  // a second name of the process's socket, or of a socket that is gone
    unlink(stand_in.c_str());
  }

  std::string name;      // in the directory
  std::string own;       // of the process's own socket
  std::string stand_in;  // the second name of the proxy's socket
};

// Empty unless only this user can write there: if others could add sockets, it would prove nothing.
std::string place_of(const Directory& directory) {
  const std::string place = directory.beside(place_suffix);
  struct stat status {};
  const bool is_ours_alone = lstat(place.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                             status.st_uid == geteuid() &&
                             (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  return is_ours_alone ? place : std::string();
}

void settle_all(const Directory& directory, const std::string& place) {
  std::vector<NodeId> ids;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(place, error), end; entry != end;
       entry.increment(error)) {
    const std::string file = entry->path().filename();
    if (const auto id = parse_id(file.substr(0, file.find('.')))) ids.push_back(*id);
  }
  for (const NodeId id : ids) Names(directory, place, id).settle();
  unlink((place + std::string(made_as)).c_str());
}

}  // namespace

std::string own_socket(const Directory& directory, NodeId id) {
  const std::string place = place_of(directory);
  if (place.empty()) return directory.socket_path(id);
  const Names names(directory, place, id);
  return names.are_exchanged() && socket_at(names.own) ? names.own : names.name;
}

Connection connect_to_process(const Directory& directory, NodeId id) {
  for (int move = 0;; ++move) {
    const std::string path = own_socket(directory, id);
    Connection connection = connect_to(path);
    // Otherwise a proxy may have come meanwhile; or that path is gone now.
    if (move == max_moves || own_socket(directory, id) == path) return connection;
  }
}

bool put_names_back(const Directory& directory) {
  const std::string place = place_of(directory);
  if (place.empty()) return true;
  const Descriptor lock = try_lock(place);
  if (!lock) return false;
  settle_all(directory, place);
  rmdir(place.c_str());
  return true;
}

void remove_names(const Directory& directory, NodeId id) {
  unlink(directory.socket_path(id).c_str());
  const std::string place = place_of(directory);
  if (!place.empty()) Names(directory, place, id).settle();
}

Descriptor lock_for_proxies(const Directory& directory, Duration least) {
  try {
    return place_of(directory).empty() ? Descriptor() : directory.lock(least);
  } catch (const SetupError&) {
    return {};
  }
}

TakenNames::TakenNames(const Directory& directory)
    : directory_(directory), place_(directory.beside(place_suffix)) {
  const std::string longest = own_socket(highest_id);
  if (longest.size() > max_socket_path()) {
    throw SetupError(ENAMETOOLONG, "socket in " + place_, Advice::shorten_directory);
  }
  const Descriptor locked = directory.lock();
  if (mkdir(place_.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    throw SetupError(errno, "mkdir " + place_, Advice::choose_parent);
  }
  check_place();
  lock_ = try_lock(place_);
  if (!lock_ && errno == EWOULDBLOCK) {
    const std::optional<pid_t> holder = lock_holder(place_);
    const std::string pid = holder ? " (PID " + std::to_string(*holder) + ')' : "";
    throw SetupError(EBUSY, "lock " + place_ + pid, Advice::proxy_at_work);
  }
  if (!lock_) throw SetupError(errno, "lock " + place_, Advice::choose_parent);
  // This rename always fails, but its error first shows if the two are on different file systems.
  if (rename((directory.path() + "/.").c_str(), (place_ + "/.").c_str()) != 0 && errno == EXDEV) {
    rmdir(place_.c_str());
    throw SetupError(EXDEV, "rename from " + directory.path() + " to " + place_,
                     Advice::choose_parent);
  }
  settle_all(directory, place_);
}

void TakenNames::check_place() const {
  if (!place_of(directory_).empty()) return;
  struct stat status {};
  const bool is_there = lstat(place_.c_str(), &status) == 0;
  const std::string what = is_there ? "owner and mode of " : "directory ";
  throw SetupError(is_there ? EPERM : ENOENT, what + place_, Advice::leave_place);
}

Descriptor TakenNames::stand_in(NodeId id, bool for_dead) {
  const Descriptor locked = directory_.lock(soon);
  const Names names(directory_, place_, id);
  names.settle();
  if (!socket_at(names.name)) return {};
  if (!for_dead && !SocketTable().may_be_node(names.name)) return {};
  const std::string made = place_ + std::string(made_as);
  unlink(made.c_str());
  Descriptor listener = listen_at(made);
  if (link(names.name.c_str(), names.own.c_str()) == 0 &&
      link(made.c_str(), names.stand_in.c_str()) == 0 &&
      rename(made.c_str(), names.name.c_str()) == 0) {
    return listener;
  }
  const int error = errno;
  names.settle();
  unlink(made.c_str());
  if (is_absence(error)) return {};
  throw SetupError(error, "move " + names.name + " to " + place_, Advice::choose_parent);
}

bool TakenNames::has_name(NodeId id) const {
  return Names(directory_, place_, id).are_exchanged();
}

void TakenNames::remove(NodeId id) {
  const Descriptor locked = directory_.lock(soon);
  if (has_name(id)) unlink(directory_.socket_path(id).c_str());
  Names(directory_, place_, id).settle();
}

void TakenNames::put_all_back() {
  if (!lock_) return;
  const Descriptor locked = lock_for_proxies(directory_);
  settle_all(directory_, place_);
  rmdir(place_.c_str());
  lock_.reset();
}

}  // namespace bully
