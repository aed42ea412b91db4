// peer_process.cc: asks many names at once, and pins the processes behind them.
#include "node/peer_process.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <limits>
#include <span>

#include "base/list.h"
#include "election/algorithm.h"
#include "node/status_reply.h"
#include "node/taken_names.h"

namespace bully {

namespace {

// The number of nodes queried at a time: a process's descriptors are limited.
constexpr std::size_t max_asked_at_once = 200;
constexpr std::size_t max_reply_bytes = 4096;
// When to try a peer with a full backlog again: no event reports when there is room.
constexpr Duration busy_interval = std::chrono::milliseconds(5);

// A process that sleeps in the kernel outlives SIGKILL for a while.
constexpr Duration until_killed = std::chrono::seconds(1);

// For a query to one node alone: the time to wait for it, twice; the number of silent nodes to try
// in turn; the number of tries for a node that dies and returns meanwhile. A silent node that is
// not stopped is asked until this time has passed: a machine under load may not let it reply
// sooner.
constexpr Duration one_patience = std::chrono::milliseconds(50);
constexpr int max_silent = 3;
constexpr int max_lives = 2;
constexpr Duration busy_patience = std::chrono::seconds(2);

// kill(2) takes 0 and -1 for a great many processes; 1 is init.
bool may_be_signalled(std::int64_t pid) {
  return pid > 1 && pid <= std::numeric_limits<pid_t>::max() && pid != getpid();
}

// --- The system's view of a process ---

std::string program_of(pid_t pid) {
  const std::string name = std::filesystem::path(program_path(pid)).filename();
  return name.substr(0, name.find(" (deleted)"));  // compiled again since
}

// True if another process runs here that may still reply.
bool is_held_up(const NodeStatus& peer) {
  if (peer.condition != Condition::stopped || !may_be_signalled(peer.listener)) return false;
  const auto state = process_state(static_cast<pid_t>(peer.listener));
  return state && !state->is_stopped() && state->letter != 'Z';
}

// True for a node, false for another command of this program, which begins with a word and may
// listen under a node's name.
bool is_stopped_node(pid_t pid) {
  const auto state = process_state(pid);
  if (!state || !state->is_stopped()) return false;
  const std::string program = program_of(pid);
  if (program.empty() || program != program_of(getpid())) return false;
  const std::vector<std::string> words = arguments_of(pid);
  if (words.empty()) return false;
  const std::string first = words.size() > 1 ? words[1] : "";
  return first.empty() || first.starts_with('-') || std::isdigit(first.front()) != 0;
}

// --- Queries ---

struct Request {
  const Directory& directory;
  NodeStatus& peer;
  Message question = {.type = messages::status};
  std::optional<Time> made = {};  // of a process to pin: when its socket was, before the question
  Descriptor process = {};
  Descriptor connection = {};
  std::string reply = {};
  bool done = false;
  bool reset = false;  // closed by a process that had not read the question
};

// Connects and asks, if the peer's backlog has room now.
void ask(Request& request) {
  Connection connection = connect_to_process(request.directory, request.peer.id);
  const bool is_gone = connection.reach == Reach::gone;
  request.done = is_gone || connection.reach == Reach::foreign;
  request.peer.condition = is_gone ? Condition::crashed : Condition::stopped;
  if (connection.reach != Reach::reached) return;
  request.peer.listener = request.peer.pid = listener_pid(connection.descriptor);
  if (request.made) request.process = listener_process(connection.descriptor);
  request.question.from = static_cast<NodeId>(getpid());
  send_question(connection.descriptor, encode(request.question));
  request.connection = std::move(connection.descriptor);
}

void read_reply(Request& request) {
  const Incoming incoming = read_some(request.connection, request.reply);
  if (incoming == Incoming::nothing) return;
  if (incoming == Incoming::some && request.reply.size() <= max_reply_bytes) return;
  request.done = true;
  request.reset = incoming == Incoming::failed;
  request.connection.reset();
  auto status = decode_status(request.reply);
  if (!status || status->id != request.peer.id) return;
  status->listener = request.peer.listener;
  request.peer = *status;
}

void wait_for_all(std::span<Request> requests, Time deadline) {
  std::vector<pollfd> polled;  // no more than the process may have descriptors
  std::vector<Request*> asked;
  for (Time now = monotonic_now(); now < deadline; now = monotonic_now()) {
    polled.clear();
    asked.clear();
    Time wake = deadline;
    for (Request& request : requests) {
      if (!request.done && !request.connection) ask(request);
      if (request.connection) {
        polled.push_back({request.connection.get(), POLLIN, 0});
        asked.push_back(&request);
      } else if (!request.done) {
        wake = std::min(deadline, now + busy_interval);
      }
    }
    if (std::ranges::all_of(requests, &Request::done)) return;
    if (poll_for(polled, poll_timeout(wake, now)) <= 0) continue;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (polled[i].revents != 0) read_reply(*asked[i]);
    }
  }
}

// Leaves `stopped` if the peer stays silent, and `crashed` if no process is there.
void ask_alone(const Directory& directory, NodeStatus& peer) {
  const auto replies = [](Request& request) {
    wait_for_all({&request, 1}, monotonic_now() + one_patience);
    return !request.reply.empty();
  };
  for (int incarnation = 0; incarnation < max_lives; ++incarnation) {
    Request first{directory, peer};
    ask(first);
    if (!first.connection) return;
    const std::int64_t asked = peer.pid;
    if (replies(first)) return;

    // The example closes a connection, without a reply, when it has accepted another one [PyBully].
    // A dying process closes its connections as well. But it may not have read the question, and no
    // process accepts another connection; and if it has returned, the new process accepts one, and
    // replies.
    Request second{directory, peer};
    ask(second);
    if (!second.connection || replies(first) || !first.done || replies(second)) return;

    // Closed as well: then another process has connected to the example, or it has died with both.
    Request third{directory, peer};
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

// Queries all, a limited number at a time.
void query_all(std::span<Request> requests, Duration patience) {
  while (!requests.empty()) {
    const auto asked = requests.first(std::min(requests.size(), max_asked_at_once));
    wait_for_all(asked, monotonic_now() + patience);
    for (Request& request : asked) request.connection.reset();
    requests = requests.subspan(asked.size());
  }
}

// --- The identity of a process ---

// In the system clock's time; nothing if there is no socket.
std::optional<Time> socket_made(const std::string& path) {
  std::error_code error;
  const auto made = std::filesystem::last_write_time(path, error);
  if (error || !socket_at(path)) return std::nullopt;
  return std::chrono::file_clock::to_sys(made).time_since_epoch();
}

void pin(Asked& asked, Request& request) {
  if (!request.made) return;
  const std::optional<Refused> refused = refusal_of(asked.status);
  const auto pid = static_cast<pid_t>(asked.status.pid);
  std::optional<PinnedProcess> process;
  if (request.process) {
    process.emplace(pid, std::move(request.process));
  } else if (!refused) {
    process = pin_if_older(pid, *request.made);
  }
  // A child has kept its socket: any process with that PID now is another.
  const bool is_dead = process ? process->has_ended() : !refused;
  asked.refused = is_dead ? Refused{Refused::Why::dead} : refused.value_or(Refused());
  if (!is_dead && !refused) asked.process = std::move(process);
}

// --- The targets of a signal ---

using Outcome = Choice::Outcome;

NodeId id_of(const Asked& one) {
  return one.status.id;
}

// The process that says that it is coordinator; if two do for a while, the right one. If none does,
// the coordinator may be stopped: then the process that the others still follow. Only proven nodes
// count; fakes do not.
Choice choose_coordinator(const std::vector<Asked>& asked) {
  std::optional<NodeId> holds;
  std::optional<NodeId> followed;
  for (const auto& [status, process, refused] : asked) {
    if (status.condition != Condition::running || !process) continue;
    const auto prefers = algorithm_named(status.algorithm).prefers;
    const auto take = [&](std::optional<NodeId>& best, NodeId id) {
      if (!best || prefers(id, *best)) best = id;
    };
    if (is_coordinating(status.state)) take(holds, status.id);
    if (status.coordinator) take(followed, *status.coordinator);
  }
  const std::optional<NodeId> id = holds ? holds : followed;
  if (!id) return {Outcome::no_coordinator};
  const bool is_there = std::ranges::any_of(
      asked, [id](const Asked& one) { return one.status.id == *id && one.status.is_alive(); });
  return {is_there ? Outcome::chosen : Outcome::coordinator_gone, {*id}, 1};
}

// The highest silent process: the stopped coordinator, if it is among them.
Choice choose_stopped(const std::vector<Asked>& asked) {
  const auto is_stopped = [](const Asked& one) { return one.may_be_stopped() && one.process; };
  const std::vector<NodeId> stopped = list_of(asked, is_stopped, id_of);
  if (stopped.empty()) return {Outcome::none_stopped};
  return {Outcome::chosen, {stopped.back()}, stopped.size()};
}

}  // namespace

std::optional<NodeStatus> ask_one_node(const Directory& directory, NodeId self) {
  std::vector<NodeId> ids = directory.ids();
  std::erase(ids, self);
  if (ids.empty()) return std::nullopt;
  // If many start at once, this spreads their queries.
  std::rotate(ids.begin(), ids.begin() + getpid() % std::ssize(ids), ids.end());
  const Time deadline = monotonic_now() + busy_patience;
  int silent = 0;
  for (const NodeId id : ids) {
    NodeStatus peer;
    do {
      peer = NodeStatus{{.id = id}};
      ask_alone(directory, peer);
    } while (is_held_up(peer) && monotonic_now() < deadline);
    if (peer.condition == Condition::running) {
      // The Python example names no algorithm, and speaks the messages of this one.
      if (peer.algorithm.empty()) peer.algorithm = default_algorithm().name;
      return peer;
    }
    if (peer.condition == Condition::stopped && ++silent == max_silent) break;
  }
  return std::nullopt;
}

std::vector<NodeStatus> query_status(const Directory& directory, Duration patience,
                                     const std::vector<NodeId>& unasked) {
  std::vector<NodeStatus> peers = list_of(directory.ids(), [](NodeId id) {
    return NodeStatus{{.id = id, .condition = Condition::stopped}};
  });
  std::vector<Request> requests;
  for (NodeStatus& peer : peers) {
    if (std::ranges::count(unasked, peer.id) == 0) requests.push_back({directory, peer});
  }
  query_all(requests, patience);
  for (NodeStatus& peer : peers) {
    peer.is_halted = peer.condition == Condition::stopped && peer.listener != 0 &&
                     is_stopped_node(static_cast<pid_t>(peer.listener));
  }
  return peers;
}

NodeStatus query_node(const Directory& directory, NodeId id, Duration patience,
                      const Message& question) {
  NodeStatus peer{{.id = id, .condition = Condition::stopped}};
  Request request{directory, peer, question};
  query_all({&request, 1}, patience);
  return peer;
}

std::optional<Refused> refusal_of(const NodeStatus& peer) {
  using Why = Refused::Why;
  if (peer.condition == Condition::crashed) return Refused{Why::dead};
  const bool replied = peer.condition == Condition::running;
  const std::int64_t claimed = replied ? peer.pid : 0;
  std::int64_t pid = peer.listener;
  if (pid == 0 && replied && kernel_tells_listener) return Refused{Why::foreign, 0, claimed};
  if (pid == 0 && !replied) return Refused{Why::unidentified};
  if (pid == 0) pid = claimed;
  if (replied && pid != claimed) return Refused{Why::contradicted, pid, claimed};
  if (!may_be_signalled(pid)) return Refused{Why::reserved, pid, claimed};
  if (replied || is_stopped_node(static_cast<pid_t>(pid))) return std::nullopt;
  return Refused{Why::silent, pid};
}

std::vector<Asked> identify(const Directory& directory, const std::vector<NodeId>& ids,
                            Duration patience) {
  std::vector<Asked> asked(ids.size());
  std::vector<Request> requests;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    asked[i].status = {{.id = ids[i], .condition = Condition::stopped}};
    requests.push_back({.directory = directory,
                        .peer = asked[i].status,
                        .made = socket_made(own_socket(directory, ids[i]))});
  }
  query_all(requests, patience);
  for (std::size_t i = 0; i < ids.size(); ++i) pin(asked[i], requests[i]);
  return asked;
}

// The record of a process's end comes after all its records, and the record of its return before
// them.
int Asked::act_on(int number, Sink* acts) const {
  Record act{.t_ns = monotonic_now().count(), .node = status.id, .pid = process->pid()};
  const bool changes_nothing = number == SIGSTOP && is_stopped_node(process->pid());
  const int error = process->signal(number);
  if (error != 0 || acts == nullptr || number == SIGTERM || changes_nothing) return error;
  if (number == SIGKILL) process->ends_within(until_killed);
  if (number != SIGCONT) act.t_ns = monotonic_now().count();
  act.event = number == SIGKILL   ? TraceEvent::crash
              : number == SIGSTOP ? TraceEvent::pause
                                  : TraceEvent::resume;
  acts->record(act);
  return 0;
}

Choice choose(Target target, const std::vector<Asked>& asked,
              const std::function<std::size_t(std::size_t)>& draw, bool only_stopped) {
  const auto is_eligible = [target](const Asked& one) {
    return target == Target::all ? one.status.is_alive() : one.process.has_value();
  };
  std::vector<NodeId> eligible = list_of(asked, is_eligible, id_of);
  if (eligible.empty()) return {Outcome::nobody};
  if (target == Target::coordinator) return choose_coordinator(asked);
  if (target == Target::stopped) return choose_stopped(asked);
  const auto needs_it = [&](const Asked& one) { return is_eligible(one) && one.may_be_stopped(); };
  if (only_stopped) eligible = list_of(asked, needs_it, id_of);
  if (eligible.empty()) return {Outcome::none_stopped};
  const std::size_t of = eligible.size();
  if (target == Target::lowest) eligible.resize(1);
  if (target == Target::random) eligible = {eligible.at(draw(of))};
  return {Outcome::chosen, eligible, of};
}

}  // namespace bully
