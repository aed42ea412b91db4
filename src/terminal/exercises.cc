// exercises.cc: the list of exercises, and conclusions from two looks.
#include "terminal/exercises.h"

#include <algorithm>
#include <array>

#include "base/list.h"

namespace bully {

namespace {

using NodeIds = std::vector<NodeId>;

bool is_running(const NodeStatus& node) {
  return node.condition == Condition::running;
}

// Another process may have come under the same id.
bool is_another(const NodeStatus& a, const NodeStatus& b) {
  return is_running(a) && is_running(b) && a.pid != b.pid;
}

bool is_same_status(const NodeStatus& a, const NodeStatus& b) {
  return a.id == b.id && a.condition == b.condition && a.pid == b.pid && a.state == b.state &&
         a.coordinator == b.coordinator && election_total(a.sent) == election_total(b.sent) &&
         election_total(a.received) == election_total(b.received);
}

std::uint64_t coordinator_now(const ClusterStatus& /*before*/, const ClusterStatus& now) {
  return now.coordinator()->id;
}

std::uint64_t count_believers(const ClusterStatus& before, const ClusterStatus& now) {
  return believers(before, now).size();
}

std::uint64_t first_messages_of_newcomer(const ClusterStatus& before, const ClusterStatus& now) {
  const NodeId newcomer = Change(before, now).started.front();
  return now.find(newcomer)->sent.of(first_type(now.algorithm()));
}

std::uint64_t all_messages(const ClusterStatus& before, const ClusterStatus& now) {
  return election_total(Exchanged(before, now).sent);
}

}  // namespace

std::span<const Exercise> exercises() {
  using enum Text;
  static constexpr auto all = std::to_array<Exercise>({
      {lab_title_1, lab_predict_1, lab_do_kill, lab_outcome_coordinator, "lab_why_1",
       Act::kill_coordinator, coordinator_now},
      {lab_title_2, lab_predict_2, lab_do_kill, lab_outcome_messages, "lab_why_2",
       Act::kill_coordinator, first_messages},
      {lab_title_3, lab_predict_3, lab_do_stop, lab_outcome_believers, "lab_why_3",
       Act::stop_coordinator, count_believers},
      {lab_title_4, lab_predict_4, lab_do_resume, lab_outcome_coordinator, "lab_why_4",
       Act::resume_stopped, coordinator_now},
      {lab_title_5, lab_predict_5, lab_do_start, lab_outcome_newcomer, "lab_why_5",
       Act::start_highest, first_messages_of_newcomer},
      {lab_title_6, lab_predict_6, lab_do_kill, lab_outcome_all, "lab_why_6", Act::kill_other,
       all_messages},
  });
  return all;
}

// --- Conclusions from looks ---

NodeIds ClusterStatus::ids(Condition condition) const {
  const auto is_so = [condition](const NodeStatus& node) { return node.condition == condition; };
  return list_of(nodes, is_so, &NodeStatus::id);
}

const NodeStatus* ClusterStatus::find(NodeId id) const {
  const auto found = std::ranges::find(nodes, id, &NodeStatus::id);
  return found == nodes.end() ? nullptr : &*found;
}

const NodeStatus* ClusterStatus::coordinator() const {
  const auto first = std::ranges::find_if(nodes, is_running);
  if (first == nodes.end() || !first->coordinator) return nullptr;
  const bool agree = std::ranges::all_of(nodes, [&](const NodeStatus& node) {
    const bool follows = is_settled(node.state) && node.coordinator == first->coordinator;
    return !is_running(node) || (follows && node.is_coordinator() == (node.id == node.coordinator));
  });
  const NodeStatus* found = find(*first->coordinator);
  return agree && found != nullptr && is_running(*found) ? found : nullptr;
}

std::string_view ClusterStatus::algorithm_name() const {
  const auto first = std::ranges::find_if(nodes, is_running);
  return first == nodes.end() ? std::string_view() : first->algorithm;
}

const Algorithm& ClusterStatus::algorithm() const {
  return algorithm_named(algorithm_name());
}

bool ClusterStatus::follows_outside_rules() const {
  return !algorithm_name().empty() && find_algorithm(algorithm_name()) == nullptr;
}

bool ClusterStatus::is_same(const ClusterStatus& other) const {
  return std::ranges::equal(nodes, other.nodes, is_same_status);
}

Change::Change(const ClusterStatus& before, const ClusterStatus& now) {
  for (const NodeStatus& node : before.nodes) {
    const NodeStatus* later = now.find(node.id);
    if (later == nullptr || is_another(node, *later)) {
      gone.push_back(node.id);
    } else if (is_running(node) && !is_running(*later)) {
      silenced.push_back(node.id);
    }
  }
  for (const NodeStatus& node : now.nodes) {
    const NodeStatus* earlier = before.find(node.id);
    const bool was_there =
        earlier != nullptr && is_running(*earlier) && !is_another(*earlier, node);
    if (is_running(node) && !was_there) started.push_back(node.id);
  }
}

Exchanged::Exchanged(const ClusterStatus& before, const ClusterStatus& now) {
  for (const NodeStatus& node : before.nodes) {
    const NodeStatus* later = now.find(node.id);
    if (later == nullptr || !is_running(*later)) unseen_now.push_back(node.id);
  }
  for (const NodeStatus& node : now.nodes) {
    if (!is_running(node)) continue;
    const NodeStatus* earlier = before.find(node.id);
    if (earlier != nullptr && !is_running(*earlier)) {
      unseen_before.push_back(node.id);
      continue;
    }
    counted.push_back(node.id);
    const bool is_new = earlier == nullptr || is_another(*earlier, node);
    for (const MessageType type : now.algorithm().messages) {
      sent[type] += node.sent.of(type) - (is_new ? 0 : earlier->sent.of(type));
      received[type] += node.received.of(type) - (is_new ? 0 : earlier->received.of(type));
    }
  }
}

NodeIds believers(const ClusterStatus& before, const ClusterStatus& now) {
  NodeIds ids;
  for (const NodeStatus& node : now.nodes) {
    const NodeStatus* latest = is_running(node) ? &node : before.find(node.id);
    if (latest != nullptr && latest->is_coordinator()) ids.push_back(node.id);
  }
  return ids;
}

MessageType first_type(const Algorithm& algorithm) {
  const auto found = std::ranges::find_if(algorithm.messages, [](MessageType type) {
    return type->role == Role::asks || type->role == Role::claims;
  });
  return found == algorithm.messages.end() ? algorithm.messages.front() : *found;
}

std::uint64_t first_messages(const ClusterStatus& before, const ClusterStatus& now) {
  const Exchanged exchanged(before, now);
  const Algorithm& algorithm = now.algorithm();
  return (algorithm.counts_lost ? exchanged.sent : exchanged.received).of(first_type(algorithm));
}

std::vector<std::uint64_t> textbook_numbers(const Algorithm& algorithm, const NodeIds& survivors) {
  const MessageType type = first_type(algorithm);
  const auto count = [&](NodeId detector) {
    return algorithm.count({.processes = survivors, .detector = detector, .lost_coordinator = true})
        .of(type);
  };
  std::vector<std::uint64_t> numbers = list_of(survivors, count);
  numbers.push_back(algorithm.bound_after_crash(survivors.size() + 1).of(type));
  std::ranges::sort(numbers);
  return numbers;
}

// --- The student's acts ---

NodeId subject_of(Act act, const ClusterStatus& before) {
  const NodeIds running = before.running();
  const NodeId coordinator = before.coordinator()->id;
  if (act == Act::resume_stopped) return before.silent().front();
  if (act == Act::kill_other) return running[0] == coordinator ? running[1] : running[0];
  if (act != Act::start_highest) return coordinator;
  const Algorithm& algorithm = before.algorithm();
  const NodeId best = algorithm.preferred_of(running);
  return algorithm.prefers(best + 1, best) ? best + 1 : best - 1;
}

bool is_done(Act act, const ClusterStatus& before, const Change& change) {
  const NodeIds coordinator = {before.coordinator()->id};
  if (change.count() != 1) return false;
  if (act == Act::kill_coordinator) return change.gone == coordinator;
  if (act == Act::kill_other) return !change.gone.empty() && change.gone != coordinator;
  if (act == Act::stop_coordinator) return change.silenced == coordinator;
  if (act == Act::resume_stopped) return change.started == before.silent();
  const Algorithm& algorithm = before.algorithm();
  return !change.started.empty() &&
         algorithm.prefers(change.started[0], algorithm.preferred_of(before.running()));
}

}  // namespace bully
