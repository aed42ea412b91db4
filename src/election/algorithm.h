// algorithm.h: the elections that there are, in one table.
//
// Whoever runs, draws or judges an election asks this table and no protocol by name. A new protocol
// is a file pair beside this one, and a line in algorithm.cc.
//
// Read next: bully.h, ring.h, chang_roberts.h.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "election/protocol.h"

namespace bully {

// A new process's protocol, by its id: an algorithm's own, or a test's that has a fault.
using ProtocolMaker = std::function<std::unique_ptr<Protocol>(NodeId)>;

struct Algorithm {
  std::string_view name;  // as in --algorithm=NAME
  std::unique_ptr<Protocol> (*make)(NodeId self);
  // Each process sends only to its clockwise neighbour, and links are FIFO. Otherwise each sends to
  // every other, in any order.
  bool is_ring = false;
  // Its own messages, in the order in which the textbook speaks of them.
  std::span<const MessageType> messages;
  // How many messages this election takes, those to a lost coordinator not counted in where a ring
  // passes it over.
  MessageCounts (*count)(const CountedElection& election);
  // The most that any election of `n` processes takes, a lost coordinator counted in.
  MessageCounts (*bound)(std::size_t n);
  // Puts these, sorted from the lowest, into an order, clockwise, with which an election takes the
  // most messages. Null: none takes more than another.
  void (*arrange_worst)(std::span<NodeId> processes) = nullptr;
  // Changes a node's words (Protocol::save) to those of one with the same future, so that an
  // exhaustive search has fewer to visit. Null: there is no such reduction.
  void (*forget_idle_words)(std::vector<std::uint64_t>& words) = nullptr;
  // Every word that Protocol::state_name may give.
  std::span<const std::string_view> states = {};
  // How many of the messages that `count` counts arrive. Null: all of them.
  MessageCounts (*delivered)(const CountedElection& election) = nullptr;

  // Whether `type` is one of its own messages.
  bool speaks(MessageType type) const;
};

// All of them; the first is the one that runs where none is named.
std::span<const Algorithm> algorithms();
// The one of this name, or null.
const Algorithm* find_algorithm(std::string_view name);
// The one that runs where none is named: bully.
const Algorithm& default_algorithm();

// All messages of an election together: those of each type but pings and status requests.
std::uint64_t election_total(const MessageCounts& counts);

}  // namespace bully
