#include "support/cluster.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <system_error>

#include "node/peer_process.h"
#include "node/system.h"

namespace bully {

namespace {

// How long one look at all nodes may take; a stopped one costs all of it. Where it was not enough,
// on a busy machine, the next one may take longer.
constexpr Duration look = std::chrono::milliseconds(250);
constexpr Duration longest_look = 8 * look;

TraceLine trace_line_of(const Json& json) {
  return {.t_ns = json["t"].as_signed().value_or(0),
          .node = json["node"].as_unsigned().value_or(0),
          .event = json["event"].text,
          .type = json["type"].text,
          .state = json["state"].text,
          .reason = json["reason"].text,
          .from = json["from"].as_unsigned(),
          .to = json["to"].as_unsigned(),
          .number = json["seq"].as_unsigned(),
          .coordinator = json["coordinator"].as_unsigned()};
}

}  // namespace

Cluster::Cluster(Arguments options, std::function<void()> in_child)
    : options_(std::move(options)), in_child_(std::move(in_child)) {}

Cluster::~Cluster() {
  if (std::uncaught_exceptions() > 0) show_output();
  for (const auto& [id, node] : nodes_) remember_monitors(node.pid);
  for (const auto& [id, node] : nodes_) ::kill(node.pid, SIGKILL);
  for (const auto& [id, node] : nodes_) waitpid(node.pid, nullptr, 0);
  CHECK_MESSAGE(wait_until([this] { return orphan_count() == 0; }), "a monitor outlives its node");
}

void Cluster::show_output() const {
  std::error_code ignored;
  for (const auto& file : std::filesystem::directory_iterator(scratch_.path(), ignored)) {
    if (!file.is_regular_file(ignored)) continue;
    std::cerr << "--- " << file.path().filename().string() << ":\n" << contents(file.path());
  }
}

void Cluster::remember_monitors(pid_t parent) {
  for (const ProcessEntry& child : children_of(parent)) monitors_.push_back(child.pid);
}

NodeId Cluster::launch(std::optional<NodeId> id, const Arguments& options, bool own_group,
                       std::function<void()> in_child) {
  Program program{.arguments = {"--dir=" + directory(), "--trace=" + scratch("trace")},
                  .output = scratch("log"),
                  .errors = scratch("log"),
                  .own_group = own_group,
                  .in_child = in_child ? std::move(in_child) : in_child_};
  Arguments& all = program.arguments;
  all.insert(all.end(), options_.begin(), options_.end());
  all.insert(all.end(), options.begin(), options.end());
  if (id) all.push_back(std::to_string(*id));
  const pid_t pid = spawn(program);
  const NodeId started = id.value_or(static_cast<NodeId>(pid));
  nodes_[started] = {.pid = pid};
  return started;
}

NodeId Cluster::start_limited(NodeId id, unsigned descriptors) {
  return launch(id, {}, false, [descriptors] { limit_descriptors(descriptors); });
}

void Cluster::start_many(std::size_t count, const Arguments& options) {
  for (std::size_t i = 0; i < count; ++i) start(options);
}

void Cluster::start_range(NodeId first, NodeId last, const Arguments& options) {
  for (NodeId id = first; id <= last; ++id) start(id, options);
}

void Cluster::kill(NodeId id) {
  const pid_t pid = pid_of(id);
  remember_monitors(pid);
  ::kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  nodes_.erase(id);
}

Outcome Cluster::end_by(int signal, NodeId id, bool whole_group) {
  const pid_t pid = pid_of(id);
  remember_monitors(pid);
  ::kill(whole_group ? -pid : pid, signal);
  nodes_.erase(id);
  return wait_for_end(pid);
}

void Cluster::end_all() {
  for (const auto& [id, node] : nodes_) remember_monitors(node.pid);
  for (const auto& [id, node] : nodes_) ::kill(node.pid, SIGTERM);
  for (const auto& [id, node] : nodes_) CHECK(wait_for_end(node.pid).exit_code == 0);
  nodes_.clear();
}

void Cluster::stop(NodeId id) {
  ::kill(pid_of(id), SIGSTOP);
  REQUIRE(wait_for_stop(pid_of(id)));
  nodes_.at(id).stopped = true;
}

void Cluster::resume(NodeId id) {
  ::kill(pid_of(id), SIGCONT);
  nodes_.at(id).stopped = false;
}

void Cluster::stop_job(NodeId id) {
  ::kill(-pid_of(id), SIGTSTP);
  REQUIRE(wait_for_stop(pid_of(id)));
  nodes_.at(id).stopped = true;
}

void Cluster::resume_job(NodeId id) {
  ::kill(-pid_of(id), SIGCONT);
  nodes_.at(id).stopped = false;
}

bool Cluster::has_name(NodeId id) const {
  std::error_code ignored;
  return std::filesystem::exists(socket_path(id), ignored);
}

std::size_t Cluster::name_count() const {
  std::error_code ignored;
  const std::filesystem::directory_iterator names(directory(), ignored);
  return static_cast<std::size_t>(
      std::distance(std::filesystem::begin(names), std::filesystem::end(names)));
}

std::vector<NodeId> Cluster::live() const {
  std::vector<NodeId> ids;
  for (const auto& [id, node] : nodes_) {
    if (!node.stopped) ids.push_back(id);
  }
  return ids;
}

std::vector<NodeStatus> Cluster::status() const {
  return status_within(look);
}

std::vector<NodeStatus> Cluster::status_within(Duration time) const {
  try {
    return query_status(Directory(directory(), false), time);
  } catch (const SetupError&) {
    return {};  // the first node has not made it yet
  }
}

std::optional<NodeStatus> Cluster::status_of(NodeId id) const {
  for (const NodeStatus& peer : status()) {
    if (peer.id == id && peer.condition == Condition::running) return peer;
  }
  return std::nullopt;
}

bool Cluster::agrees() const {
  return agree(status());
}

bool Cluster::agree(const std::vector<NodeStatus>& peers) const {
  const std::vector<NodeId> ids = live();
  std::size_t agreeing = 0;
  for (const NodeStatus& peer : peers) {
    if (!std::binary_search(ids.begin(), ids.end(), peer.id)) continue;
    if (peer.condition != Condition::running || peer.coordinator != ids.back()) return false;
    if ((peer.state == "coordinator") != (peer.id == ids.back())) return false;
    if (peer.pid != pid_of(peer.id)) return false;
    ++agreeing;
  }
  return agreeing == ids.size();
}

bool Cluster::agrees_in_time() const {
  std::vector<NodeStatus> seen;
  Duration time = look;
  const auto do_agree = [&] {
    seen = status_within(time);
    time = std::min(2 * time, longest_look);
    return agree(seen);
  };
  if (wait_until(do_agree)) return true;
  std::cerr << "they do not agree: " << encode(seen) << '\n';
  return false;
}

std::vector<TraceLine> Cluster::trace() const {
  std::vector<TraceLine> lines;
  std::istringstream file(contents(scratch("trace")));
  for (std::string line; std::getline(file, line) && !file.eof();) {
    const std::optional<Json> json = parse_json(line);
    if (!json) FAIL("not a line of a trace: " << line);
    lines.push_back(trace_line_of(*json));
  }
  return lines;
}

bool Cluster::trace_follows(NodeId coordinator) const {
  std::map<NodeId, std::optional<NodeId>> followed;
  for (const TraceLine& line : trace()) {
    const bool settled = line.state == "follower" || line.state == "coordinator";
    if (line.event == "state" && !settled) followed[line.node].reset();
    if (line.event == "coordinator") followed[line.node] = line.coordinator;
  }
  const std::vector<NodeId> ids = live();
  return std::all_of(ids.begin(), ids.end(),
                     [&](NodeId id) { return followed[id] == coordinator; });
}

std::size_t Cluster::orphan_count() const {
  if (monitors_.empty()) return 0;
  std::size_t count = 0;
  for (const ProcessEntry& entry : all_processes()) {
    const bool ours = std::count(monitors_.begin(), monitors_.end(), entry.pid) > 0;
    if (ours && entry.state != 'Z' && entry.state != 'X') ++count;
  }
  return count;
}

pid_t monitor_of(const Cluster& cluster, NodeId id) {
  const auto status = cluster.status_of(id);
  return status ? static_cast<pid_t>(status->monitor_pid) : 0;
}

void check_loss_and_return(Cluster& cluster) {
  cluster.start_range(1, 3);
  CHECK(cluster.agrees_in_time());
  cluster.kill(3);
  CHECK(cluster.agrees_in_time());
  cluster.start(3);
  CHECK(cluster.agrees_in_time());
}

std::size_t sent_count(const std::vector<TraceLine>& trace, std::string_view type,
                       std::size_t first) {
  std::size_t count = 0;
  for (std::size_t i = first; i < trace.size(); ++i) {
    if (trace[i].event == "send" && trace[i].type == type) ++count;
  }
  return count;
}

}  // namespace bully
