#include "support/stranger.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "node/system.h"

namespace bully {

Descriptor connect_in_time(const Cluster& cluster, NodeId id) {
  Connection connection;
  REQUIRE(wait_until([&] {
    connection = connect_to(cluster.socket_path(id));
    return connection.reach == Reach::reached;
  }));
  return std::move(connection.descriptor);
}

void say(const Cluster& cluster, NodeId id, std::string_view bytes) {
  const Descriptor connection = connect_in_time(cluster, id);
  // All of it need not be taken: a node may close when it has read too much.
  if (!bytes.empty()) send(connection.get(), bytes.data(), bytes.size(), 0);
}

std::uint64_t dropped(const Cluster& cluster, NodeId id) {
  std::uint64_t count = 0;
  REQUIRE(wait_until([&] {
    const auto status = cluster.status_of(id);
    if (status) count = status->dropped;
    return status.has_value();
  }));
  return count;
}

std::int64_t election_ns(const std::vector<TraceLine>& trace, std::size_t first) {
  std::int64_t suspected = 0;
  std::int64_t followed = 0;
  for (std::size_t i = first; i < trace.size(); ++i) {
    if (trace[i].event == "suspect" && suspected == 0) suspected = trace[i].t_ns;
    if (trace[i].event == "coordinator") followed = trace[i].t_ns;
  }
  return followed - suspected;
}

namespace {

// Waits for room in the backlog. Both: whether it was said.
bool say_waiting(const std::string& path, const std::string& bytes) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const Descriptor connection(socket(AF_UNIX, SOCK_STREAM, 0));
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (connect(connection.get(), generic, sizeof address) != 0) return false;
  send_once(connection, bytes);
  return true;
}

// Gives up at once if the backlog has no room.
bool say_at_once(const std::string& path, const std::string& bytes) {
  const Connection connection = connect_to(path);
  if (connection.reach != Reach::reached) return false;
  send_once(connection.descriptor, bytes);
  return true;
}

}  // namespace

Flood::Flood(const Cluster& cluster, std::vector<NodeId> to, std::size_t processes, Manner manner,
             const std::function<std::string(std::size_t)>& bytes_of) {
  void* shared = mmap(nullptr, sizeof(std::atomic<std::uint64_t>), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(shared != MAP_FAILED);
  said_ = new (shared) std::atomic<std::uint64_t>(0);
  const pid_t test = getpid();
  for (std::size_t process = 0; process < processes; ++process) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child > 0) {
      pids_.push_back(child);
      continue;
    }
    signal(SIGPIPE, SIG_IGN);
    for (std::size_t i = process; getppid() == test; ++i) {
      const std::string path = cluster.socket_path(to[i % to.size()]);
      const auto say = manner == Manner::waiting ? say_waiting : say_at_once;
      if (say(path, bytes_of(i))) ++*said_;
    }
    _exit(0);
  }
}

Flood::~Flood() {
  for (const pid_t pid : pids_) ::kill(pid, SIGKILL);
  for (const pid_t pid : pids_) wait_for_end(pid);
  munmap(said_, sizeof *said_);
}

}  // namespace bully
