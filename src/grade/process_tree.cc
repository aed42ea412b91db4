// process_tree.cc: finds descendants by their parents, again and again until none is left.
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <set>

#include "grade/process_tree.h"

namespace bully {

namespace {

// New forks appear in the next round; when a round shows no new process, all are stopped.
constexpr int max_rounds = 100;
constexpr Duration until_given_up = std::chrono::seconds(5);

// `root` and its descendants.
std::set<pid_t> tree_of(pid_t root, const std::vector<ProcessState>& all) {
  std::set<pid_t> found = {root};
  // A child may come before its parent in the list: PIDs wrap round.
  for (std::size_t before = 0; before != found.size();) {
    before = found.size();
    for (const ProcessState& process : all) {
      if (found.contains(process.parent)) found.insert(process.pid);
    }
  }
  return found;
}

}  // namespace

// These, and with each its children.
static std::vector<ProcessState> walked(const std::set<pid_t>& children) {
  std::vector<pid_t> pids(children.begin(), children.end());
  std::vector<ProcessState> found;
  for (std::size_t i = 0; i < pids.size(); ++i) {
    if (const auto state = process_state(pids[i])) found.push_back(*state);
    const std::set<pid_t> its = listed_children(pids[i]).value_or(std::set<pid_t>());
    pids.insert(pids.end(), its.begin(), its.end());
  }
  return found;
}

std::vector<ProcessState> processes_below_us() {
  if (const auto children = listed_children(getpid())) return walked(*children);
  std::vector<ProcessState> all = listed_processes();
  const std::set<pid_t> tree = tree_of(getpid(), all);
  std::erase_if(
      all, [&](const ProcessState& one) { return one.pid == getpid() || !tree.contains(one.pid); });
  return all;
}

std::vector<ProcessState> processes_of(pid_t root) {
  std::vector<ProcessState> ours = processes_below_us();
  const std::set<pid_t> tree = tree_of(root, ours);
  std::erase_if(ours, [&](const ProcessState& one) {
    return !tree.contains(one.pid) && one.session != root;
  });
  return ours;
}

void signal_process(const ProcessState& process, int number) {
  // Pinned first, and then looked up again: so no other process has got the PID meanwhile.
  const PinnedProcess pinned(process.pid);
  const auto now = process_state(process.pid);
  const bool is_same = now && (now->parent == process.parent || now->parent == getpid());
  if (is_same) pinned.signal(number);
}

void end_all_below_us(const std::vector<pid_t>& roots) {
  for (const pid_t root : roots) kill(-root, SIGSTOP);
  std::set<pid_t> stopped;
  for (int round = 0; round < max_rounds; ++round) {
    const std::size_t before = stopped.size();
    for (const ProcessState& process : processes_below_us()) {
      if (stopped.insert(process.pid).second) signal_process(process, SIGSTOP);
    }
    if (stopped.size() == before) break;
  }
  for (const ProcessState& process : processes_below_us()) signal_process(process, SIGKILL);
  for (const pid_t root : roots) kill(-root, SIGKILL);
  const Time deadline = monotonic_now() + until_given_up;
  while (monotonic_now() < deadline) {
    const pid_t reaped = waitpid(-1, nullptr, WNOHANG);
    if (reaped < 0) return;  // no child is left
    if (reaped > 0) continue;
    // Forks of a process that no round had seen.
    for (const ProcessState& process : processes_below_us()) signal_process(process, SIGKILL);
    poll(nullptr, 0, 2);
  }
}

}  // namespace bully
