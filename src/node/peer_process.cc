#include "node/peer_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <span>
#include <sstream>

#include "election/algorithm.h"
#include "node/aside.h"

namespace bully {

namespace {

constexpr pid_t init_pid = 1;
constexpr int inode_column = 6;  // of /proc/net/unix

// How many nodes are asked at a time: bounded by the descriptors that a process may have.
constexpr std::size_t max_asked_at_once = 200;
constexpr std::size_t max_reply_bytes = 4096;

// A process that sleeps in the kernel outlives SIGKILL for a while.
constexpr Duration until_killed = std::chrono::seconds(1);

// If one node is asked alone: how long to wait for it, twice, for how many silent ones in turn, and
// how often to ask one that dies and returns meanwhile.
constexpr Duration one_patience = std::chrono::milliseconds(50);
constexpr int max_silent = 3;
constexpr int max_lives = 2;

// To kill(2), 0 and -1 mean a great many processes.
bool may_be_signalled(std::int64_t pid) {
  return pid > init_pid && pid <= std::numeric_limits<pid_t>::max() && pid != getpid();
}

// --- What the system tells of a process ---

// The PID of the process that listens at the other end of `connection`, as the kernel remembers it.
// 0 if this system does not tell, or if that process lives in another PID namespace and has no PID
// here. It may be dead if a child of its keeps the socket.
#if defined(SO_PEERCRED) && defined(__linux__)
constexpr bool kernel_tells_listener = true;
pid_t listener_pid(const Descriptor& connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  const int known = getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size);
  return known == 0 ? peer.pid : 0;
}
#elif defined(LOCAL_PEERPID)
constexpr bool kernel_tells_listener = true;
pid_t listener_pid(const Descriptor& connection) {
  pid_t pid = 0;
  socklen_t size = sizeof pid;
  const int known = getsockopt(connection.get(), 0, LOCAL_PEERPID, &pid, &size);
  return known == 0 ? pid : 0;
}
#else
constexpr bool kernel_tells_listener = false;
pid_t listener_pid(const Descriptor&) {
  return 0;
}
#endif

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

// Whether it holds a listening socket that was bound to a path with this end. Only Linux tells, and
// only of processes of one's own.
std::optional<bool> holds_listening_socket(pid_t pid, std::string_view end) {
  const std::string process = "/proc/" + std::to_string(pid);
  std::ifstream table(process + "/net/unix");
  std::error_code error;
  std::filesystem::directory_iterator open(process + "/fd", error);
  if (!table || error) return std::nullopt;

  constexpr std::string_view accepts_connections = " 00010000 ";
  std::set<std::string> sockets;  // as the links in /proc/PID/fd name them
  for (std::string line; std::getline(table, line);) {
    if (line.find(accepts_connections) == std::string::npos || !line.ends_with(end)) continue;
    std::istringstream words(line);
    std::string word;
    for (int column = 0; column <= inode_column; ++column) words >> word;
    sockets.insert("socket:[" + word + "]");
  }
  for (; open != std::filesystem::directory_iterator(); open.increment(error)) {
    if (sockets.contains(std::filesystem::read_symlink(*open, error))) return true;
  }
  return false;
}

// --- Asking ---

// Of a process: it may be done again.
using Connect = std::function<Connection()>;

Connect process_of(const Directory& directory, NodeId id) {
  return [&directory, id] { return connect_to_process(directory, id); };
}

// One request on its way.
struct Request {
  NodeStatus* peer = nullptr;
  Connect connect = {};
  std::optional<PinnedProcess>* pin = nullptr;  // where to keep the process that listens
  Message question = {.type = messages::status};
  Descriptor connection = {};
  std::string reply = {};
  bool done = false;
  bool reset = false;  // closed by a process that had not read the question
};

// Connects and asks, if the peer's backlog has room now: on a connection of its own, half-closed,
// since the example reads until then [PyBully].
void ask(Request& request) {
  Connection connection = request.connect();
  const bool is_gone = connection.reach == Reach::gone;
  request.done = is_gone || connection.reach == Reach::foreign;
  request.peer->condition = is_gone ? Condition::crashed : Condition::stopped;
  if (connection.reach != Reach::reached) return;
  const pid_t listener = listener_pid(connection.descriptor);
  if (request.pin != nullptr && may_be_signalled(listener)) request.pin->emplace(listener);
  request.question.from = static_cast<NodeId>(getpid());
  send_once(connection.descriptor, encode(request.question));
  shutdown(connection.descriptor.get(), SHUT_WR);
  request.peer->listener = listener;
  request.peer->pid = listener;
  request.connection = std::move(connection.descriptor);
}

void read_reply(Request& request) {
  char bytes[max_reply_bytes];
  const ssize_t got = recv(request.connection.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0) request.reply.append(bytes, static_cast<std::size_t>(got));
  if (got > 0 && request.reply.size() <= max_reply_bytes) return;
  request.done = true;
  request.reset = got < 0;
  request.connection.reset();
  auto status = decode_status(request.reply);
  if (!status || status->id != request.peer->id) return;
  status->listener = request.peer->listener;
  *request.peer = *status;
}

// Until all are done with: there was a reply, or the connection was closed.
void wait_for_all(std::span<Request> requests, Time deadline) {
  std::vector<pollfd> polled;
  for (Time now = monotonic_now(); now < deadline; now = monotonic_now()) {
    polled.clear();
    bool busy = false;
    bool open = false;
    for (Request& request : requests) {
      if (!request.done && !request.connection) ask(request);
      busy = busy || (!request.done && !request.connection);
      open = open || !request.done;
      polled.push_back({request.connection.get(), POLLIN, 0});
    }
    if (!open) return;
    const Time wake = busy ? std::min(deadline, now + busy_interval) : deadline;
    if (poll_for(polled, poll_timeout(wake, now)) <= 0) continue;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (polled[i].revents != 0) read_reply(requests[i]);
    }
  }
}

// Asks this peer alone. It is left at `stopped` if it stays silent, and at `crashed` if nobody is
// there.
void ask_alone(NodeStatus& peer, const Connect& connect) {
  const auto replies = [](Request& request) {
    wait_for_all({&request, 1}, monotonic_now() + one_patience);
    return !request.reply.empty();
  };
  for (int life = 0; life < max_lives; ++life) {
    Request first{&peer, connect};
    ask(first);
    if (!first.connection) return;
    const std::int64_t asked = peer.pid;
    if (replies(first)) return;

    // The example closes a connection, without a word, when it has accepted another one [PyBully].
    // So does a process that dies; but that one may not have read what it was asked, nobody accepts
    // another one, and if it has returned, it is another process that does, and replies.
    Request second{&peer, connect};
    ask(second);
    if (!second.connection || replies(first) || !first.done || replies(second)) return;

    // Closed as well: then somebody else has connected to the example, or it has died with both.
    Request third{&peer, connect};
    if (second.done) {
      ask(third);
      if (!third.connection || replies(third)) return;
    }
    if (!first.reset && !second.reset && !third.reset && peer.pid == asked) {
      peer.condition = Condition::running;
      return;
    }
  }
}

NodeStatus query_one(NodeId id, Duration patience, Request request) {
  NodeStatus peer{{.id = id, .condition = Condition::stopped}};
  request.peer = &peer;
  wait_for_all({&request, 1}, monotonic_now() + patience);
  return peer;
}

// --- For whom a signal is meant ---

using Outcome = Choice::Outcome;

// The one that says that it is coordinator: the one that should be, if there are two for a while.
// If nobody says so, it may be stopped: then the one whom the others still follow. Only a node
// whose process is proven has a say; a fake has none.
Choice choose_coordinator(const std::vector<Candidate>& candidates) {
  std::optional<NodeId> holds;
  std::optional<NodeId> followed;
  for (const Candidate& candidate : candidates) {
    const NodeStatus& status = candidate.peer;
    if (status.condition != Condition::running || !candidate.proven) continue;
    const auto prefers = algorithm_named(status.algorithm).prefers;
    const auto take = [&](std::optional<NodeId>& best, NodeId id) {
      if (!best || prefers(id, *best)) best = id;
    };
    if (is_coordinating(status.state)) take(holds, status.id);
    if (status.coordinator) take(followed, *status.coordinator);
  }
  const std::optional<NodeId> id = holds ? holds : followed;
  if (!id) return {Outcome::no_coordinator};
  const bool is_there = std::ranges::any_of(candidates, [id](const Candidate& candidate) {
    return candidate.peer.id == *id && candidate.peer.condition != Condition::crashed;
  });
  return {is_there ? Outcome::chosen : Outcome::coordinator_gone, {*id}, 1};
}

// The highest that does not reply: it is the one that was coordinator, if that is among them.
Choice choose_stopped(const std::vector<Candidate>& candidates) {
  std::vector<NodeId> stopped;
  for (const Candidate& candidate : candidates) {
    const bool is_silent = candidate.peer.condition == Condition::stopped;
    if (is_silent && candidate.proven) stopped.push_back(candidate.peer.id);
  }
  if (stopped.empty()) return {Outcome::none_stopped};
  return {Outcome::chosen, {stopped.back()}, stopped.size()};
}

}  // namespace

std::optional<NodeStatus> ask_one_node(const Directory& directory, NodeId self) {
  std::vector<NodeId> ids = directory.ids();
  std::erase(ids, self);
  if (ids.empty()) return std::nullopt;
  // When many start at once, not all ask the same one.
  std::rotate(ids.begin(), ids.begin() + getpid() % static_cast<std::ptrdiff_t>(ids.size()),
              ids.end());
  int silent = 0;
  for (const NodeId id : ids) {
    NodeStatus peer{{.id = id}};
    ask_alone(peer, process_of(directory, id));
    if (peer.condition == Condition::running) {
      // A node that names no algorithm is older than the choice.
      if (peer.algorithm.empty()) peer.algorithm = default_algorithm().name;
      return peer;
    }
    if (peer.condition == Condition::stopped && ++silent == max_silent) break;
  }
  return std::nullopt;
}

std::vector<NodeStatus> query_status(const Directory& directory, Duration patience,
                                     const std::vector<NodeId>& unasked) {
  std::vector<NodeStatus> peers;
  for (const NodeId id : directory.ids()) {
    peers.push_back({{.id = id, .condition = Condition::stopped}});
  }
  for (std::size_t first = 0; first < peers.size(); first += max_asked_at_once) {
    const std::size_t last = std::min(peers.size(), first + max_asked_at_once);
    std::vector<Request> requests;
    for (NodeStatus& peer : std::span(peers).subspan(first, last - first)) {
      if (std::ranges::find(unasked, peer.id) != unasked.end()) continue;
      requests.push_back({&peer, process_of(directory, peer.id)});
    }
    wait_for_all(requests, monotonic_now() + patience);
  }
  return peers;
}

NodeStatus query_node(const std::string& path, NodeId id, Duration patience,
                      const Message& question) {
  return query_one(id, patience,
                   {.connect = [&path] { return connect_to(path); }, .question = question});
}

std::variant<Proven, Refused> judge(const NodeStatus& peer, bool force) {
  using Why = Refused::Why;
  if (peer.condition == Condition::crashed) return Refused{Why::dead};
  const bool replied = peer.condition == Condition::running;
  const std::int64_t claimed = replied ? peer.pid : 0;
  std::int64_t pid = peer.listener;
  Proof proof = Proof::replied;
  if (replied && pid == 0) {
    if (kernel_tells_listener) return Refused{Why::foreign, 0, claimed};
    pid = claimed;
  } else if (replied && pid != claimed) {
    return Refused{Why::contradicted, pid, claimed};
  } else if (!replied && may_be_signalled(pid) &&
             program_of(static_cast<pid_t>(pid)) == program_of(getpid())) {
    proof = Proof::named;
  } else if (!replied) {
    if (!force) return Refused{Why::silent, pid};
    proof = Proof::forced;
    if (pid == 0) {  // the system does not tell: its backlog is full, say
      if (!std::in_range<pid_t>(peer.id)) return Refused{Why::unidentified};
      pid = static_cast<std::int64_t>(peer.id);
    }
  }
  if (!may_be_signalled(pid)) return Refused{Why::reserved, pid, claimed};
  const Proven proven{static_cast<pid_t>(pid), proof};
  // It may be the one that listens under this name, unless something speaks against it.
  if (peer.listener == 0 && !replied &&
      !holds_listening_socket(proven.pid, '/' + std::to_string(peer.id)).value_or(true)) {
    return Refused{Why::unidentified};
  }
  return proven;
}

std::variant<PeerProcess, Refused> identify(const Directory& directory, NodeId id,
                                            Duration patience, bool force) {
  const Connect connect = process_of(directory, id);
  std::optional<PinnedProcess> process;
  const NodeStatus peer = query_one(id, patience, {.connect = connect, .pin = &process});
  struct stat name {};
  if (peer.condition == Condition::crashed &&
      lstat(directory.socket_path(id).c_str(), &name) != 0) {
    return Refused{Refused::Why::unknown};
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
  return PeerProcess{std::move(*process), proven->proof, connect};
}

int PeerProcess::signal(int number) const {
  if (process.is_pinned()) return process.signal(number);
  const Connection again = connect();
  const bool is_still_there = again.reach == Reach::busy ||
                              (again.reach == Reach::reached &&
                               (!kernel_tells_listener || listener_pid(again.descriptor) == pid()));
  return is_still_there ? process.signal(number) : ESRCH;
}

// The record of a process's end comes after all that it did, and that of its return before.
int PeerProcess::act_on(NodeId id, int number, Sink* acts) const {
  Record act{.t_ns = monotonic_now().count(), .node = id, .pid = pid()};
  const int error = signal(number);
  if (error != 0 || acts == nullptr || number == SIGTERM) return error;
  if (number == SIGKILL) process.ends_within(until_killed);
  if (number != SIGCONT) act.t_ns = monotonic_now().count();
  act.event = number == SIGKILL   ? TraceEvent::crash
              : number == SIGSTOP ? TraceEvent::pause
                                  : TraceEvent::resume;
  acts->record(act);
  return 0;
}

Choice choose(Target target, const std::vector<Candidate>& candidates,
              const std::function<std::size_t(std::size_t)>& draw) {
  std::vector<NodeId> eligible;
  for (const Candidate& candidate : candidates) {
    if (target == Target::all ? candidate.peer.condition != Condition::crashed : candidate.proven) {
      eligible.push_back(candidate.peer.id);
    }
  }
  if (eligible.empty()) return {Outcome::nobody};
  if (target == Target::coordinator) return choose_coordinator(candidates);
  if (target == Target::stopped) return choose_stopped(candidates);
  const std::size_t of = eligible.size();
  if (target == Target::lowest) eligible.resize(1);
  if (target == Target::random) eligible = {eligible.at(draw(of))};
  return {Outcome::chosen, eligible, of};
}

}  // namespace bully
