#include "support/arena.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "election/algorithm.h"
#include "node/peer_process.h"
#include "node/system.h"
#include "support/pseudo_terminal.h"
#include "trace/trace.h"

namespace bully {

namespace {

// How long one look at all nodes may take.
constexpr Duration look = std::chrono::milliseconds(500);

// And how long one node that was asked may take.
constexpr Duration reply_time = std::chrono::seconds(10);

}  // namespace

Arena::Arena(Arguments options, std::string binary)
    : scratch_("bully-arena"),
      options_(std::move(options)),
      binary_(std::move(binary)),
      tail_(trace()) {}

Arena::~Arena() {
  for (const auto& [id, node] : nodes_) node.signal(SIGKILL);
  nodes_.clear();
  orphans();
  for (const pid_t orphan : stopped_monitors_) ::kill(orphan, SIGKILL);
}

void Arena::start(NodeId id, const Arguments& options, const Surroundings& surroundings) {
  const std::string log = path() + "/log" + (surroundings.has_own_log() ? std::to_string(id) : "");
  Program program{.arguments = Arguments{"--dir=" + directory()} + options_ + options,
                  .binary = binary_,
                  .output = log,
                  .errors = log};
  if (!surroundings.is_unread) program.arguments.emplace_back("--quiet");
  program.arguments.push_back(std::to_string(id));

  TerminalEnds terminal;
  if (surroundings.is_unread) terminal = open_terminal();
  if (surroundings.is_full) fill(terminal.slave);
  program.in_child = [&] {
    if (surroundings.is_unread) take_terminal(terminal.slave.get());
    if (surroundings.descriptors > 0) limit_descriptors(surroundings.descriptors);
    if (surroundings.in_child) surroundings.in_child();
  };
  nodes_[id] = Child(program);
  if (surroundings.is_unread) terminals_[id] = std::move(terminal.master);
}

std::optional<std::string> Arena::refusal(NodeId id) {
  const std::string name = directory() + '/' + std::to_string(id);
  Child& node = nodes_.at(id);
  std::error_code ignored;
  wait_until([&] { return node.has_ended() || std::filesystem::exists(name, ignored); });
  if (!node.has_ended()) return std::nullopt;
  forget(id);
  return said(id);
}

std::optional<Outcome> Arena::outcome(NodeId id) {
  Child& node = nodes_.at(id);
  return node.has_ended() ? std::optional(node.end()) : std::nullopt;
}

void Arena::forget(NodeId id) {
  nodes_.erase(id);
  terminals_.erase(id);
}

void Arena::kill(const std::vector<NodeId>& ids) {
  for (const NodeId id : ids) nodes_.at(id).signal(SIGKILL);
  for (const NodeId id : ids) {
    nodes_.at(id).kill();
    tell(id, TraceEvent::crash);
    forget(id);
  }
}

// The record of a process's end comes after all that it has written. One that was killed before it
// wrote anything has taken no part.
void Arena::tell(NodeId id, TraceEvent act) {
  for (const Record& record : tail_.next()) writers_.insert(record.pid);
  const pid_t pid = pid_of(id);
  if (!writers_.contains(pid)) return;
  TraceFile(trace()).record(
      {.t_ns = monotonic_now().count(), .node = id, .pid = pid, .event = act});
}

// A child of the node is its monitor: a node has no other.
std::vector<pid_t> Arena::monitors_of(NodeId id) const {
  std::vector<pid_t> pids;
  for (const ProcessEntry& child : children_of(pid_of(id))) pids.push_back(child.pid);
  return pids;
}

void Arena::kill_monitor(NodeId id) {
  for (const pid_t monitor : monitors_of(id)) ::kill(monitor, SIGKILL);
}

// One that is stopped before its first step has not asked anybody to end it with its node, and none
// but that node could: so it is stopped when it has begun to wait for something.
void Arena::stop_monitor(NodeId id) {
  std::vector<ProcessEntry> monitors;
  const auto has_begun = [](const ProcessEntry& monitor) {
    return contains("STZ", {&monitor.state, 1});
  };
  const bool all = wait_until(
      [&] {
        monitors = children_of(pid_of(id));
        return std::ranges::all_of(monitors, has_begun);
      },
      look);
  if (!all) return;
  for (const ProcessEntry& monitor : monitors) {
    ::kill(monitor.pid, SIGSTOP);
    stopped_monitors_.insert(monitor.pid);
  }
}

Outcome Arena::leave(NodeId id) {
  const Outcome outcome = nodes_.at(id).end_by(SIGTERM);
  forget(id);
  return outcome;
}

void Arena::stop(NodeId id) {
  nodes_.at(id).signal(SIGSTOP);
  nodes_.at(id).is_stopped_in_time();
  tell(id, TraceEvent::pause);
}

void Arena::resume(NodeId id) {
  tell(id, TraceEvent::resume);
  nodes_.at(id).signal(SIGCONT);
}

std::vector<NodeId> Arena::nodes() const {
  std::vector<NodeId> ids;
  for (const auto& [id, node] : nodes_) ids.push_back(id);
  return ids;
}

std::optional<NodeStatus> Arena::ask(NodeId id) const {
  const auto place = Directory::existing(directory());
  if (!place) return std::nullopt;
  const NodeStatus status = query_node(*place, id, reply_time);
  return status.condition == Condition::running ? std::optional(status) : std::nullopt;
}

std::optional<std::string> Arena::disagreement() const {
  if (nodes_.empty()) return "no node is there";
  std::vector<Snapshot> replied;
  std::string_view algorithm;
  std::string wrong;
  std::string followed;
  try {
    const Directory listing(directory(), false);
    std::vector<NodeId> others;  // names that are not our nodes'
    for (const NodeId id : listing.ids()) {
      if (!has(id)) others.push_back(id);
    }
    for (const NodeStatus& peer : query_status(listing, look, others)) {
      const auto mine = nodes_.find(peer.id);
      if (mine == nodes_.end()) continue;
      const std::string name = std::to_string(peer.id);
      if (peer.condition != Condition::running) {
        wrong += ' ' + name + " does not reply;";
      } else if (peer.pid != mine->second.pid()) {
        wrong += ' ' + name + " is another process;";
      }
      const std::string whom = peer.coordinator ? std::to_string(*peer.coordinator) : "nobody";
      followed += ' ' + name + " follows " + whom + ';';
      algorithm = algorithm_named(peer.algorithm).name;
      replied.push_back(peer);
    }
  } catch (const SetupError& error) {
    return std::string(error.what());
  }
  const bool are_all = wrong.empty() && replied.size() == nodes_.size();
  if (are_all && is_kept(properties::highest_live, algorithm_named(algorithm), replied)) {
    return std::nullopt;
  }
  return std::to_string(replied.size()) + " of " + std::to_string(nodes_.size()) + " reply;" +
         wrong + followed;
}

std::optional<Holdings> Arena::holdings(NodeId id) const {
  if (own_kib(getpid()) == 0) return std::nullopt;
  std::vector<pid_t> pids = {pid_of(id)};
  for (const pid_t monitor : monitors_of(id)) pids.push_back(monitor);
  Holdings held;
  for (const pid_t pid : pids) {
    held.descriptors += descriptor_count(pid);
    held.own_kib += own_kib(pid);
  }
  return held;
}

bool Arena::is_node(pid_t pid) const {
  return std::ranges::any_of(nodes_, [pid](const auto& node) { return node.second.pid() == pid; });
}

bool Arena::is_ours(pid_t pid) const {
  return contains(contents("/proc/" + std::to_string(pid) + "/cmdline"), directory());
}

std::string Arena::orphans() {
  std::string found;
  if (stopped_monitors_.empty()) return found;
  std::set<pid_t> left;
  for (const ProcessEntry& entry : all_processes()) {
    if (!stopped_monitors_.contains(entry.pid) || entry.state == 'Z' || !is_ours(entry.pid)) {
      continue;
    }
    left.insert(entry.pid);
    if (is_node(entry.parent)) continue;
    found += ' ' + std::to_string(entry.pid) + " (state " + entry.state + ", parent " +
             std::to_string(entry.parent) + ')';
  }
  stopped_monitors_ = left;
  return found;
}

std::string Arena::end() {
  std::string left;
  for (const auto& [id, node] : nodes_) node.signal(SIGTERM);
  for (auto& [id, node] : nodes_) {
    if (node.end().exit_code != 0) left += ' ' + std::to_string(id) + " did not leave in peace;";
  }
  nodes_.clear();
  terminals_.clear();
  const auto running = [this] {
    const std::vector<ProcessEntry> all = all_processes();
    return std::ranges::count_if(all,
                                 [this](const ProcessEntry& entry) { return is_ours(entry.pid); });
  };
  if (!wait_until([&] { return running() == 0; })) {
    left += ' ' + std::to_string(running()) + " monitors still run;";
  }
  std::error_code ignored;
  for (const auto& name : std::filesystem::directory_iterator(directory(), ignored)) {
    left += " the name " + name.path().filename().string() + " is left;";
  }
  return left;
}

}  // namespace bully
