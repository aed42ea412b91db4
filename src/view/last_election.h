// last_election.h: how many messages an election among live processes has taken, while it goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "election/record.h"

namespace bully {

// How many messages the last election has taken so far. It goes on while a node's state says that
// it holds one, and for a moment afterwards. The next one begins when a node joins, or with what is
// sent after a silence; but for an ANSWER, which is about an ELECTION that came before. For a
// finished run see ../trace/elections.h, which knows more.
class LastElection {
 public:
  void join() {
    if (electing_.empty()) begin();
  }
  void enter(NodeId node, std::string_view state, std::int64_t t_ns);
  // This message was sent. An answer to what was sent before this election is not of it: a node
  // that was stopped hears the older election's messages when it goes on.
  void send(const Record& message);
  // `count` messages of this type were sent. Pings are no part of an election.
  void send(MessageType type, std::uint64_t count, std::int64_t t_ns);
  // The other nodes are dead or stopped.
  void keep(const std::function<bool(NodeId)>& takes_part) {
    std::erase_if(electing_, std::not_fn(takes_part));
  }

  bool is_any() const { return any_; }
  std::uint64_t sent(MessageType type) const { return sent_.of(type); }

 private:
  void go_on(std::int64_t t_ns);
  void begin();

  MessageCounts sent_;
  std::set<std::pair<NodeId, NodeId>> spoken_;  // from whom to whom something was sent in it
  std::set<NodeId> electing_;                   // those that hold an election
  std::int64_t last_ns_ = 0;
  bool any_ = false;
};

}  // namespace bully
