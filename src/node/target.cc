#include "node/target.h"

#include <algorithm>

namespace bully {

namespace {

using Outcome = Choice::Outcome;

bool is_dead(const Candidate& candidate) {
  return candidate.peer.kind == PeerStatus::Kind::stale;
}

// The one that says that it is coordinator: the highest, if there are two for a while. If nobody
// says so, it may be stopped: then the one whom the others still follow. Only a node whose process
// is proven has a say; a fake has none.
std::optional<NodeId> coordinator_of(const std::vector<Candidate>& candidates) {
  std::optional<NodeId> holds;
  std::optional<NodeId> followed;
  for (const Candidate& candidate : candidates) {
    const NodeStatus& status = candidate.peer.status;
    if (candidate.peer.kind != PeerStatus::Kind::ok || !candidate.proven) continue;
    if (status.state == "coordinator") holds = status.id;
    followed = std::max(followed, status.coordinator);
  }
  return holds ? holds : followed;
}

Choice choose_coordinator(const std::vector<Candidate>& candidates) {
  const std::optional<NodeId> id = coordinator_of(candidates);
  if (!id) return {Outcome::no_coordinator};
  const auto is_it = [id](const Candidate& candidate) { return candidate.peer.status.id == *id; };
  const auto found = std::find_if(candidates.begin(), candidates.end(), is_it);
  const bool is_gone = found == candidates.end() || is_dead(*found);
  return {is_gone ? Outcome::coordinator_gone : Outcome::chosen, {*id}, 1};
}

}  // namespace

Choice choose(Target target, const std::vector<Candidate>& candidates,
              const std::function<std::size_t(std::size_t)>& draw) {
  std::vector<NodeId> proven;
  std::vector<NodeId> listening;
  for (const Candidate& candidate : candidates) {
    if (candidate.proven) proven.push_back(candidate.peer.status.id);
    if (!is_dead(candidate)) listening.push_back(candidate.peer.status.id);
  }
  const std::vector<NodeId>& eligible = target == Target::all ? listening : proven;
  if (eligible.empty()) return {Outcome::nobody};
  switch (target) {
    case Target::coordinator:
      return choose_coordinator(candidates);
    case Target::lowest:
      return {Outcome::chosen, {eligible.front()}, eligible.size()};
    case Target::random:
      return {Outcome::chosen, {eligible.at(draw(eligible.size()))}, eligible.size()};
    case Target::all:
      break;
  }
  return {Outcome::chosen, eligible, eligible.size()};
}

}  // namespace bully
