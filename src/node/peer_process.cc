#include "node/peer_process.h"

#include <dirent.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <sstream>

#include "node/query.h"
#include "node/unix_socket.h"

namespace bully {

namespace {

constexpr pid_t init_pid = 1;
constexpr std::string_view program_name = "bully";
constexpr int busy_pause_ms = 5;
constexpr int inode_column = 6;  // of /proc/net/unix

// To kill(2), 0 and -1 mean a great many processes.
bool may_be_signalled(std::int64_t pid) {
  return pid > init_pid && pid <= std::numeric_limits<pid_t>::max() && pid != getpid();
}

// --- What the system tells of a process ---

// The name of its program, as the kernel knows it.
std::string program_of(pid_t pid) {
  std::string name;
  if (std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/comm"), name)) return name;
  FILE* ps = popen(("ps -o comm= -p " + std::to_string(pid) + " 2>/dev/null").c_str(), "r");
  if (ps == nullptr) return "";
  for (int c = std::getc(ps); c != EOF && c != '\n'; c = std::getc(ps)) {
    name += static_cast<char>(c);
  }
  pclose(ps);
  return name.substr(name.rfind('/') + 1);
}

// The listening sockets that were bound to a path with this end, as /proc/PID/fd names them.
std::optional<std::set<std::string>> listening_sockets(pid_t pid, std::string_view end) {
  std::ifstream table("/proc/" + std::to_string(pid) + "/net/unix");
  if (!table) return std::nullopt;
  constexpr std::string_view accepts_connections = " 00010000 ";
  std::set<std::string> sockets;
  for (std::string line; std::getline(table, line);) {
    if (line.find(accepts_connections) == std::string::npos || !line.ends_with(end)) continue;
    std::istringstream words(line);
    std::string word;
    for (int column = 0; column <= inode_column; ++column) words >> word;
    sockets.insert("socket:[" + word + "]");
  }
  return sockets;
}

// Whether it holds such a socket. Only Linux tells, and only of processes of one's own.
std::optional<bool> holds_listening_socket(pid_t pid, std::string_view end) {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd";
  const auto sockets = listening_sockets(pid, end);
  DIR* const descriptors = opendir(path.c_str());
  if (!sockets || descriptors == nullptr) {
    if (descriptors != nullptr) closedir(descriptors);
    return std::nullopt;
  }
  bool held = false;
  while (const dirent* const entry = readdir(descriptors)) {
    std::array<char, 64> target{};  // "socket:[INODE]"
    if (readlinkat(dirfd(descriptors), entry->d_name, target.data(), target.size() - 1) < 0)
      continue;
    held = held || sockets->contains(target.data());
  }
  closedir(descriptors);
  return held;
}

// Whether it may be the one that listens under this name: nothing speaks against it.
bool holds_name(pid_t pid, NodeId id) {
  return holds_listening_socket(pid, '/' + std::to_string(id)).value_or(true);
}

// --- The socket ---

// A backlog may be full for a moment.
Connection connect_in_time(const std::string& path, Time deadline) {
  while (true) {
    Connection connection = connect_to(path);
    if (connection.reach != Reach::busy || monotonic_now() >= deadline) return connection;
    poll(nullptr, 0, busy_pause_ms);
  }
}

bool has_name(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

}  // namespace

std::variant<Proven, Refused> judge(const PeerStatus& peer, bool force) {
  using Why = Refused::Why;
  if (peer.kind == PeerStatus::Kind::stale) return Refused{Why::dead};
  const bool replied = peer.kind == PeerStatus::Kind::ok;
  const std::int64_t claimed = replied ? peer.status.pid : 0;
  std::int64_t pid = peer.listener;
  Proof proof = Proof::replied;
  if (replied && pid == 0) {
    if (kernel_tells_listener) return Refused{Why::foreign, 0, claimed};
    pid = claimed;
  } else if (replied && pid != claimed) {
    return Refused{Why::contradicted, pid, claimed};
  } else if (!replied && pid != 0 && may_be_signalled(pid) &&
             program_of(static_cast<pid_t>(pid)) == program_name) {
    proof = Proof::named;
  } else if (!replied) {
    if (!force) return Refused{Why::silent, pid};
    proof = Proof::forced;
    if (pid == 0) {  // the system does not tell: its backlog is full, say
      const NodeId id = peer.status.id;
      if (id > static_cast<NodeId>(std::numeric_limits<pid_t>::max())) {
        return Refused{Why::unidentified};
      }
      pid = static_cast<std::int64_t>(id);
    }
  }
  if (!may_be_signalled(pid)) return Refused{Why::reserved, pid, claimed};
  const Proven proven{static_cast<pid_t>(pid), proof};
  if (peer.listener == 0 && !replied && !holds_name(proven.pid, peer.status.id)) {
    return Refused{Why::unidentified};
  }
  return proven;
}

std::variant<PeerProcess, Refused> identify(const Directory& directory, NodeId id,
                                            Duration patience, bool force) {
  const std::string path = directory.socket_path(id);
  const Time deadline = monotonic_now() + patience;
  Connection connection = connect_in_time(path, deadline);
  if (connection.reach == Reach::gone) {
    return Refused{has_name(path) ? Refused::Why::dead : Refused::Why::unknown};
  }
  PeerStatus peer{.kind = PeerStatus::Kind::no_answer, .status = {.id = id}};
  std::optional<PinnedProcess> process;
  if (connection.reach == Reach::reached) {
    peer.listener = listener_pid(connection.descriptor);
    if (may_be_signalled(peer.listener)) process.emplace(static_cast<pid_t>(peer.listener));
    if (const auto status =
            ask_over(std::move(connection.descriptor), id, deadline - monotonic_now())) {
      peer.kind = PeerStatus::Kind::ok;
      peer.status = *status;
    }
  }
  auto verdict = judge(peer, force);
  const Proven* proven = std::get_if<Proven>(&verdict);
  if (proven != nullptr && !process) {  // the kernel does not say who listens
    process.emplace(proven->pid);
    verdict = judge(peer, force);
    proven = std::get_if<Proven>(&verdict);
  }
  if (proven == nullptr) return std::get<Refused>(verdict);
  // The kernel remembers who listened first. A child may have kept the socket of a process that is
  // gone, whose PID may be another's by now; that one does not listen, as far as the system tells.
  if (process->has_ended() || !holds_listening_socket(proven->pid, "").value_or(true)) {
    return Refused{Refused::Why::dead};
  }
  return PeerProcess(std::move(*process), proven->proof, path);
}

int PeerProcess::signal(int number) const {
  return process_.is_pinned() || is_still_there() ? process_.signal(number) : ESRCH;
}

bool PeerProcess::is_still_there() const {
  const Connection again = connect_to(socket_);
  if (again.reach == Reach::gone || again.reach == Reach::foreign) return false;
  return again.reach == Reach::busy || !kernel_tells_listener ||
         listener_pid(again.descriptor) == pid();
}

}  // namespace bully
