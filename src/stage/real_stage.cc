#include "stage/real_stage.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "node/clock.h"
#include "sim/overloaded.h"
#include "stage/program.h"

namespace bully {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// How long to wait at most. All are far beyond what a loaded machine needs: they end a play that
// has gone wrong, and decide nothing else.
constexpr nanoseconds start_deadline = std::chrono::seconds(20);
constexpr nanoseconds settle_deadline = std::chrono::seconds(90);

constexpr milliseconds look_interval(5);
// Without a detector: no ping is sent before this, and no play lasts so long.
constexpr nanoseconds no_pings = std::chrono::hours(1);

std::string option(const char* name, nanoseconds value) {
  const auto ms = std::max<std::int64_t>(1, value / milliseconds(1));
  return std::string(name) + "=" + std::to_string(ms) + "ms";
}

std::string named(NodeId id) {
  return "node " + std::to_string(id);
}

// Whether this is how real processes stand on a ring, whoever is named first.
bool is_by_id(std::vector<NodeId> ring) {
  std::rotate(ring.begin(), std::min_element(ring.begin(), ring.end()), ring.end());
  return std::is_sorted(ring.begin(), ring.end());
}

}  // namespace

RealStage::RealStage(const Scenario& scenario, std::string program, Sink& sink)
    : options_(scenario.options),
      algorithm_(scenario.algorithm->name),
      naive_(scenario.naive),
      program_(std::move(program)),
      sink_(sink),
      root_(guard_.make_directory(temporary_directory() + "/bully-stage.")),
      directory_(root_ + "/nodes", true),
      trace_path_(root_ + "/trace"),
      tail_(trace_path_),
      last_record_at_(monotonic_now()) {}

RealStage::~RealStage() {
  for (auto& [id, node] : nodes_) {
    if (node.pid == 0) continue;
    kill(node.pid, SIGKILL);
    while (waitpid(node.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

// --- What the script wants ---

bool RealStage::can(const Deed& deed) const {
  return std::visit(Overloaded{
                        [](const step::Slow&) { return false; },
                        [](const step::Partition&) { return false; },
                        [](const step::Cut&) { return false; },
                        [](const step::Heal&) { return false; },
                        [](const step::Loss&) { return false; },
                        [](const step::Hold&) { return false; },
                        [](const step::Deliver&) { return false; },
                        [](const step::Drop&) { return false; },
                        [](const step::Expire&) { return false; },
                        [](const step::Ring& s) { return is_by_id(s.ids); },
                        // Real processes follow the right rule: they do not cost what the naive one
                        // does. Nor does their ring cost what another would.
                        [this](const step::ExpectMessages&) { return !naive_ && !other_ring_; },
                        [](const auto&) { return true; },
                    },
                    deed);
}

void RealStage::passed_over(const Deed& deed) {
  out_of_step_ = true;
  other_ring_ = other_ring_ || std::holds_alternative<step::Ring>(deed);
}

std::optional<std::string> RealStage::perform(const Deed& deed) {
  return std::visit(Overloaded{
                        [&](const step::Nodes& s) { return found(s.ids); },
                        [&](const step::Start& s) { return start(s.id); },
                        [&](const step::Crash& s) { return crash(s.id); },
                        [&](const step::Leave& s) { return leave(s.ids); },
                        [&](const step::Ring&) -> Problem {
                          other_ring_ = false;
                          return std::nullopt;
                        },
                        [&](const step::Pause& s) { return pause(s.id); },
                        [&](const step::Resume& s) { return resume(s.id); },
                        [&](const step::Suspect& s) { return suspect(s); },
                        [&](const step::Run& s) { return run(s); },
                        [&](const step::Count&) -> Problem { return sent_ = {}, std::nullopt; },
                        [&](const auto&) -> Problem { return "not a step for the stage"; },
                    },
                    deed);
}

// The highest first: so it is coordinator when the others come, and none has to win in vain.
std::optional<std::string> RealStage::found(const std::vector<NodeId>& ids) {
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    nodes_[*id].pid = spawn(*id);
    if (id != ids.rbegin()) continue;
    if (Problem problem = wait_until([&] { return nodes_[*id].coordinator == *id; }, start_deadline,
                                     "the highest to be coordinator")) {
      return problem;
    }
  }
  const auto agreement = [this] { return settled() && agreed(); };
  Problem problem = wait_until(agreement, settle_deadline, "all to follow the highest");
  sent_ = {};
  return problem;
}

std::optional<std::string> RealStage::start(NodeId id) {
  if (nodes_[id].pid != 0) return std::nullopt;
  nodes_[id] = {.pid = spawn(id)};
  return wait_until([&] { return nodes_[id].started; }, start_deadline, "a node to start");
}

std::optional<std::string> RealStage::crash(NodeId id) {
  if (Problem problem = missing(id)) return problem;
  Node& node = nodes_[id];
  if (node.pid == 0) return std::nullopt;
  look(milliseconds(0));
  leaderless_ = leaderless_ || node.coordinator == id;
  kill(node.pid, SIGKILL);
  while (waitpid(node.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  node = {.state = "down"};
  forget_flights(id);
  return std::nullopt;
}

void RealStage::forget_flights(NodeId id) {
  std::erase_if(in_flight_, [id](const auto& flight) {
    return flight.second == id || flight.first.first == id;
  });
}

// All are told at once, and none is waited for that nobody told.
std::optional<std::string> RealStage::leave(const std::vector<NodeId>& ids) {
  std::vector<pid_t> leaving;
  look(milliseconds(0));
  for (const NodeId id : ids) {
    if (Problem problem = missing(id)) return problem;
    const Node& node = nodes_[id];
    leaderless_ = leaderless_ || node.coordinator == id;
    if (node.pid != 0) leaving.push_back(node.pid);
    nodes_.erase(id);  // that its process ends is no trouble
  }
  for (const pid_t pid : leaving) {
    kill(pid, SIGTERM);
    kill(pid, SIGCONT);  // a stopped process would not hear of it
  }
  const auto all_gone = [&] {
    std::erase_if(leaving, [&](pid_t pid) {
      if (waitpid(pid, nullptr, WNOHANG) != pid) return false;
      return true;
    });
    return leaving.empty();
  };
  Problem problem = wait_until(all_gone, start_deadline, "a node to leave");
  for (const pid_t pid : leaving) kill(pid, SIGKILL);
  for (const NodeId id : ids) forget_flights(id);
  return problem;
}

std::optional<std::string> RealStage::pause(NodeId id) {
  if (Problem problem = missing(id)) return problem;
  Node& node = nodes_[id];
  if (node.pid == 0 || node.paused) return std::nullopt;
  kill(node.pid, SIGSTOP);
  int status = 0;
  while (waitpid(node.pid, &status, WUNTRACED) < 0 && errno == EINTR) {
  }
  if (!WIFSTOPPED(status)) {
    bury(id, node, status);
    return std::exchange(trouble_, std::nullopt);
  }
  node.paused = true;
  return std::nullopt;
}

std::optional<std::string> RealStage::resume(NodeId id) {
  if (Problem problem = missing(id)) return problem;
  if (!nodes_[id].paused) return std::nullopt;
  nodes_[id].paused = false;
  return make_all_start_over({id});
}

std::optional<std::string> RealStage::suspect(const step::Suspect& step) {
  if (step.id) {
    if (Problem problem = missing(*step.id)) return problem;
    if (!reachable(*step.id)) return named(*step.id) + " is not running";
  }
  if (options_.detection != Detection::off && step.reason == Suspicion::down && leaderless_) {
    return wait_until([this] { return misled().empty(); }, settle_deadline,
                      "the coordinator's loss to be noticed");
  }
  std::vector<NodeId> suspicious;
  for (const auto& [id, node] : nodes_) {
    const bool meant = step.id ? id == *step.id : reachable(id);
    if (meant && node.coordinator != id) suspicious.push_back(id);
  }
  return make_all_start_over(suspicious);
}

// All are told at once: the first could be through with its election before the last begins its
// own. When the last of them has begun, all have.
std::optional<std::string> RealStage::make_all_start_over(const std::vector<NodeId>& ids) {
  std::map<NodeId, std::uint64_t> before;
  for (const NodeId id : ids) before[id] = nodes_[id].records;
  for (const NodeId id : ids) kill(nodes_[id].pid, SIGCONT);
  const auto begun = [&] {
    return std::all_of(ids.begin(), ids.end(),
                       [&](NodeId id) { return nodes_[id].records > before[id]; });
  };
  return wait_until(begun, start_deadline, "a continued node to start over");
}

std::optional<std::string> RealStage::run(const step::Run& step) {
  if (step.time) {
    const auto end = monotonic_now() + *step.time;
    while (monotonic_now() < end && !trouble_) look(look_interval);
    return std::exchange(trouble_, std::nullopt);
  }
  leaderless_ = false;
  Problem problem = wait_until_settled();
  if (!std::exchange(out_of_step_, false) || problem) return problem;
  // The script relied on moments that have not been. Without a detector, whoever has ended up with
  // a dead coordinator would never learn it.
  if (misled().empty()) return std::nullopt;
  problem = make_all_start_over(misled());
  return problem ? problem : wait_until_settled();
}

std::vector<NodeId> RealStage::misled() const {
  std::vector<NodeId> ids;
  for (const auto& [id, node] : nodes_) {
    if (reachable(id) && node.coordinator && !runs(*node.coordinator)) ids.push_back(id);
  }
  return ids;
}

bool RealStage::runs(NodeId id) const {
  const auto found = nodes_.find(id);
  return found != nodes_.end() && found->second.pid != 0;
}

std::optional<std::string> RealStage::wait_until_settled() {
  return wait_until([this] { return settled(); }, settle_deadline, "nothing more to happen");
}

std::optional<std::string> RealStage::missing(NodeId id) const {
  if (nodes_.contains(id)) return std::nullopt;
  return "no " + named(id) + " ever started";
}

// --- Processes ---

std::vector<std::string> RealStage::command_line(NodeId id) const {
  const bool off = options_.detection == Detection::off;
  return {program_,
          std::to_string(id),
          "--quiet",
          "--dir=" + directory_.path(),
          "--trace=" + trace_path_,
          "--algorithm=" + std::string(algorithm_),
          std::string("--detector=") + (options_.detection == Detection::eof ? "eof" : "ping"),
          option("--ping-interval", off ? no_pings : options_.ping_interval),
          option("--ping-timeout", options_.ping_timeout),
          option("--answer-timeout", options_.answer_timeout),
          option("--coordinator-timeout", options_.coordinator_timeout)};
}

pid_t RealStage::spawn(NodeId id) {
  return start_program(command_line(id), [this] {
    guard_.add_this_process();
    signals_.close_inherited();
  });
}

}  // namespace bully
