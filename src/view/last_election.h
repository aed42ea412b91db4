// last_election.h: how many messages the last election has taken so far.
//
// An election goes on while a node's state says that it holds one, however long its messages take,
// and for a moment afterwards. The next one begins where a node joins, or with what is sent after a
// silence; but for an ANSWER, which is always about an ELECTION that came before.
// It shows nothing: see watch.h. For a finished run see ../trace/elections.h, which knows more.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string_view>

#include "trace/status.h"

namespace bully {

class LastElection {
 public:
  // A node joins, or comes back.
  void join() {
    if (electing_.empty()) sent_ = {};
  }
  // The node is in this state from now on.
  void enter(NodeId node, std::string_view state, std::int64_t t_ns);
  // So many messages of this type were sent. Pings are no part of an election.
  void send(MessageType type, std::uint64_t count, std::int64_t t_ns);
  // Only of these nodes is it still known that they take part: the others are dead or stopped.
  void keep(const std::function<bool(NodeId)>& takes_part);

  bool is_any() const { return any_; }
  std::uint64_t sent(MessageType type) const { return sent_[static_cast<std::size_t>(type)]; }

 private:
  void go_on(std::int64_t t_ns);

  MessageCounts sent_{};
  std::set<NodeId> electing_;  // those that hold an election
  std::int64_t last_ns_ = 0;
  bool any_ = false;
};

}  // namespace bully
