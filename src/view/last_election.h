// last_election.h: the messages of an election among live processes, while it goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "election/message.h"
#include "election/record.h"

namespace bully {

// The number of messages of the last election so far. It goes on while a node's state belongs to an
// election, and for a moment afterwards. The next one begins when a node joins, or with the first
// message after a silence, except an ANSWER, which belongs to an earlier ELECTION. For a finished
// run see ../trace/elections.h, which knows more.
class LastElection {
 public:
  void join() {
    if (electing_.empty() && !goes_on_) begin();
  }
  void enter(NodeId node, std::string_view state, std::int64_t t_ns);
  // This message was sent. A reply to a message from before this election does not belong to it: a
  // node that was stopped handles the older election's messages when it continues.
  void send(const Record& message);
  // `count` messages of this type were sent. Pings are no part of an election.
  void send(MessageType type, std::uint64_t count, std::int64_t t_ns);
  // All other nodes are dead or stopped.
  void keep(const std::function<bool(NodeId)>& takes_part) {
    std::erase_if(electing_, std::not_fn(takes_part));
  }

  // While messages wait for a person, only this ends an election: a silence does not.
  void end() { goes_on_ = false; }
  void await_end() { awaits_end_ = true; }

  bool is_any() const { return any_; }
  std::uint64_t sent(MessageType type) const { return sent_.of(type); }

 private:
  void go_on(std::int64_t t_ns);
  void begin();

  MessageCounts sent_;
  std::set<std::pair<NodeId, NodeId>> spoken_;  // sender and receiver of the messages sent in it
  std::set<NodeId> electing_;                   // the nodes in an election
  std::int64_t last_ns_ = 0;
  bool any_ = false;
  bool awaits_end_ = false;  // an election goes on until end()
  bool goes_on_ = false;
};

}  // namespace bully
