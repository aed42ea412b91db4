// The other half of real_stage.h: what the processes do, as the trace tells it and as they say.

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "node/clock.h"
#include "node/query.h"
#include "stage/real_stage.h"
#include "trace/reader.h"

namespace bully {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Far beyond what a loaded machine needs, like those in real_stage.cc.
constexpr nanoseconds reply_deadline = std::chrono::seconds(10);
constexpr int moments_for_expectation = 300;
constexpr milliseconds moment(50);

constexpr milliseconds look_interval(5);
// Nothing is on its way, nobody waits, and nothing new was heard for so long: it is over.
constexpr nanoseconds silence = milliseconds(250);
constexpr nanoseconds patience = milliseconds(100);

std::string named(NodeId id) {
  return "node " + std::to_string(id);
}

}  // namespace

void RealStage::look(milliseconds time) {
  pollfd entry{signals_.fd(), POLLIN, 0};
  if (time.count() > 0) poll(&entry, 1, static_cast<int>(time.count()));
  bool any = false;
  for (const Record& record : tail_.next()) {
    learn(record);
    sink_.record(record);
    any = true;
  }
  // Its own nodes alone write there.
  if (!tail_.damage().empty()) throw TraceError(tail_.damage());
  if (any) last_record_at_ = monotonic_now();
  if (!any) sink_.flush();
  obey_signals();
}

void RealStage::learn(const Record& record) {
  const auto key = std::pair(record.from, record.number.value_or(0));
  if (record.event == TraceEvent::send) {
    ++sent_[static_cast<std::size_t>(record.type)];
    in_flight_[key] = record.to;
  }
  if (record.event == TraceEvent::receive || record.event == TraceEvent::lost) {
    in_flight_.erase(key);
  }
  const auto found = nodes_.find(record.node);
  // Said by one that has left or been killed since.
  if (found == nodes_.end() || found->second.pid != record.pid) return;
  Node& node = found->second;
  ++node.records;
  if (record.event == TraceEvent::start) node.started = true;
  if (record.event == TraceEvent::state) {
    node.state = record.state;
    node.variables = record.variables;
    // In any other state it follows nobody, and does not say so: see Protocol::state_name.
    if (node.state != "follower" && node.state != "coordinator") node.coordinator.reset();
  }
  if (record.event == TraceEvent::coordinator) node.coordinator = record.coordinator;
}

void RealStage::obey_signals() {
  while (const std::optional<int> number = signals_.next()) {
    if (*number == SIGCHLD) {
      bury();
    } else if (*number != SIGCONT) {
      throw Interrupted{*number};
    }
  }
}

// Children of ours that have ended although nobody told them to.
void RealStage::bury() {
  for (auto& [id, node] : nodes_) {
    int status = 0;
    if (node.pid != 0 && waitpid(node.pid, &status, WNOHANG) == node.pid) bury(id, node, status);
  }
}

// It has been reaped: from now on its PID may be anybody's.
void RealStage::bury(NodeId id, Node& node, int status) {
  node = {.state = "down"};
  trouble_ = named(id) + " ended by itself, " +
             (WIFEXITED(status) ? "with status " + std::to_string(WEXITSTATUS(status))
                                : "by signal " + std::to_string(WTERMSIG(status)));
}

std::optional<std::string> RealStage::wait_until(const std::function<bool()>& condition,
                                                 nanoseconds at_most, const char* awaited) {
  const auto deadline = monotonic_now() + at_most;
  look(milliseconds(0));
  while (!condition()) {
    if (trouble_) return std::exchange(trouble_, std::nullopt);
    if (monotonic_now() > deadline) return std::string("waited in vain for ") + awaited;
    look(look_interval);
  }
  return std::nullopt;
}

bool RealStage::wait_for_more(int times) {
  if (times > moments_for_expectation) return false;
  const auto end = monotonic_now() + moment;
  while (monotonic_now() < end) look(look_interval);
  return true;
}

// Nothing is on its way, no timer runs, and, where monitors look, they have nothing to find.
bool RealStage::settled() const {
  for (const auto& [id, node] : nodes_) {
    if (!reachable(id)) continue;
    if (!node.started || (node.state != "follower" && node.state != "coordinator")) return false;
  }
  for (const auto& [sender, to] : in_flight_) {
    if (reachable(sender.first) && reachable(to)) return false;
  }
  if (options_.detection != Detection::off && !agreed()) return false;
  return monotonic_now() - last_record_at_ > silence;
}

bool RealStage::agreed() const {
  const std::optional<NodeId> coordinator = highest();
  return std::all_of(nodes_.begin(), nodes_.end(), [&](const auto& entry) {
    return !reachable(entry.first) || entry.second.coordinator == coordinator;
  });
}

bool RealStage::reachable(NodeId id) const {
  const Node& node = nodes_.at(id);
  return node.pid != 0 && !node.paused;
}

std::optional<NodeId> RealStage::highest() const {
  const auto found = std::find_if(nodes_.rbegin(), nodes_.rend(),
                                  [this](const auto& entry) { return reachable(entry.first); });
  return found == nodes_.rend() ? std::nullopt : std::optional(found->first);
}

// Whoever can reply says himself what he believes. A stopped process still believes what it last
// said.
std::vector<Actor> RealStage::cast() const {
  std::map<NodeId, NodeStatus> replies;
  const auto all_replied = [&] {
    return std::all_of(nodes_.begin(), nodes_.end(), [&](const auto& entry) {
      return !reachable(entry.first) || replies.contains(entry.first);
    });
  };
  const auto deadline = monotonic_now() + reply_deadline;
  while (!all_replied() && monotonic_now() < deadline) {
    for (const PeerStatus& peer : query_status(directory_, patience)) {
      if (peer.kind == PeerStatus::Kind::ok) replies[peer.status.id] = peer.status;
    }
  }
  std::vector<Actor> actors;
  for (const auto& [id, node] : nodes_) {
    Actor actor{.id = id, .life = Actor::Life::crashed, .state = "down"};
    if (node.pid != 0) {
      actor.life = node.paused ? Actor::Life::paused : Actor::Life::running;
      const auto reply = replies.find(id);
      actor.state = reply == replies.end() ? node.state : reply->second.state;
      actor.coordinator = reply == replies.end() ? node.coordinator : reply->second.coordinator;
      actor.variables = node.variables;
    }
    actors.push_back(actor);
  }
  return actors;
}

}  // namespace bully
