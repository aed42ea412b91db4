// last_election.cc: the messages of an election among live processes, while it goes on.
#include "view/last_election.h"

#include <algorithm>

#include "election/algorithm.h"

namespace bully {

// Messages after such a silence belong to another election.
constexpr std::int64_t silence_ns = 1'000'000'000;

void LastElection::go_on(std::int64_t t_ns) {
  if (electing_.empty() && !goes_on_ && t_ns - last_ns_ > silence_ns) begin();
  last_ns_ = std::max(last_ns_, t_ns);
  goes_on_ = awaits_end_;
}

void LastElection::begin() {
  sent_ = {};
  spoken_.clear();
}

void LastElection::send(const Record& message) {
  const bool answers = message.type->role == Role::answers;
  if (answers && !spoken_.contains({message.to, message.from})) return;
  send(message.type, 1, message.t_ns);
  spoken_.emplace(message.from, message.to);
}

void LastElection::enter(NodeId node, std::string_view state, std::int64_t t_ns) {
  if (is_in_election(state) == electing_.contains(node)) return;
  go_on(t_ns);
  if (electing_.erase(node) == 0) electing_.insert(node);
}

void LastElection::send(MessageType type, std::uint64_t count, std::int64_t t_ns) {
  if (count == 0 || !type.is_of_election()) return;
  if (type->role != Role::answers) go_on(t_ns);
  any_ = true;
  sent_[type] += count;
}

}  // namespace bully
