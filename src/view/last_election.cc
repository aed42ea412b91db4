#include "view/last_election.h"

#include <algorithm>

#include "view/looks.h"

namespace bully {

namespace {

// What comes after such a silence is about another election.
constexpr std::int64_t silence_ns = 1'000'000'000;

}  // namespace

void LastElection::go_on(std::int64_t t_ns) {
  if (electing_.empty() && t_ns - last_ns_ > silence_ns) sent_ = {};
  last_ns_ = std::max(last_ns_, t_ns);
}

void LastElection::enter(NodeId node, std::string_view state, std::int64_t t_ns) {
  const bool is_electing = look_of_state(state).holds_election;
  if (is_electing == electing_.contains(node)) return;
  go_on(t_ns);
  if (is_electing) {
    electing_.insert(node);
  } else {
    electing_.erase(node);
  }
}

void LastElection::send(MessageType type, std::uint64_t count, std::int64_t t_ns) {
  if (count == 0 || !is_of_election(type)) return;
  if (!look_of(type).answers) go_on(t_ns);
  any_ = true;
  sent_[static_cast<std::size_t>(type)] += count;
}

void LastElection::keep(const std::function<bool(NodeId)>& takes_part) {
  std::erase_if(electing_, [&](NodeId node) { return !takes_part(node); });
}

}  // namespace bully
