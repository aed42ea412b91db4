// explorer_model.h: the explorer's world as a value, and the steps that lead from it.
//
// A World says where each node stands and what is in flight. What a node does depends on its own
// state and on the event alone, and the same few cases come up millions of times: the model asks
// the protocol once for each and remembers the reaction. A node's state and a message are small
// numbers here, given in the order in which they first appear.
//
// It has a namespace of its own, for the simulator has a World too, and a real node an Inbox.
//
// It never searches and judges nothing. Read next: explorer_search.cc.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <vector>

#include "sim/explorer.h"
#include "sim/explorer_peers.h"

namespace bully::explorer {

// The most messages in flight to one node. More ends the search, as do more than this many PeerGone
// in one step: a protocol that gets there does not come to rest.
inline constexpr std::size_t max_inbox = 30;

using LocalId = std::uint16_t;   // where one node stands: its words and the timers that run
using MessageId = std::uint8_t;  // a message, among those to one receiver
inline constexpr LocalId crashed = 0;
inline constexpr LocalId unborn = 1;  // has not started yet (Beginning::starting)

struct Inbox {
  std::uint8_t size = 0;
  std::array<MessageId, max_inbox> messages = {};

  std::span<const MessageId> all() const { return {messages.data(), size}; }
};

// Nodes are counted from 0 here: node i has the id i + 1.
struct World {
  std::uint8_t crashes_left = 0;
  std::uint8_t restarts_left = 0;
  std::uint8_t false_alarms_left = 0;
  std::uint16_t sent = 0;  // counted only where the options limit it
  std::array<LocalId, max_explored_nodes> node = {};
  std::array<Inbox, max_explored_nodes> inbox = {};
};

// One step, in the model's numbers.
struct Move {
  StepKind kind = StepKind::deliver;
  std::uint8_t node = 0;
  std::uint8_t detail = 0;  // deliver: the MessageId; expire: the Timer; suspect: the Suspicion
  std::uint8_t sends = 0;   // if not 0: crash when so many have been sent
  bool fault = false;

  bool operator==(const Move&) const = default;
};

// There are more of something than can be numbered.
struct OutOfNumbers : std::length_error {
  using std::length_error::length_error;
};

enum class Outcome : std::uint8_t {
  done,
  sent_less,  // Move::sends: it does not send more than that, so there is nothing to cut short
  overflow,   // more in flight than max_inbox
};

class Model {
 public:
  // Throws std::invalid_argument for options out of range.
  Model(const ExploreOptions& options, const ProtocolMaker& make);

  World beginning();
  // Replaces `moves` by all that are possible in `world`, but for crashes in midst of a move: try
  // those with sends = 1, 2, … until the outcome is sent_less.
  void moves(const World& world, std::vector<Move>& moves) const;
  // Changes `world` as `move` does. REQUIRES: moves() gave it, or it differs only in `sends`.
  // Throws OutOfNumbers.
  Outcome apply(const Move& move, World& world);

  // The world as bytes, equal exactly for equal worlds, and back.
  void encode(const World& world, std::vector<std::uint8_t>& bytes) const;
  World decode(std::span<const std::uint8_t> bytes) const;

  std::size_t nodes() const { return nodes_; }
  bool live(const World& world, std::size_t node) const { return world.node[node] > unborn; }
  // Whom a live node follows, if anybody.
  std::optional<NodeId> coordinator(const World& world, std::size_t node) const {
    return locals_[node][world.node[node]].coordinator;
  }
  bool is_coordinator(const World& world, std::size_t node) const {
    return live(world, node) && coordinator(world, node) == node + 1;
  }
  const Message& message(std::size_t receiver, MessageId id) const {
    return messages_[receiver][id];
  }
  ExploreStep describe(const World& before, const Move& move) const;

 private:
  struct Local {
    std::vector<std::uint64_t> words;
    std::uint8_t timers = 0;  // bit t: Timer t runs
    std::optional<NodeId> coordinator;
    std::optional<NodeId> watched;
    std::vector<std::uint32_t> reactions;  // by event number; 0: not asked yet

    bool runs(Timer timer) const { return (timers >> static_cast<unsigned>(timer) & 1U) != 0; }
  };
  struct PlannedSend {
    std::uint8_t to = 0;
    MessageId message = 0;
  };
  struct Reaction {
    LocalId next = crashed;
    std::vector<PlannedSend> sends;
  };

  // Events are numbers too: numbered() is the event of a number.
  std::size_t event_number(const World& world, const Move& move) const;
  Event numbered(std::size_t node, std::size_t number) const;

  const Reaction& reaction(std::size_t node, LocalId from, std::size_t event);
  Reaction ask_protocol(std::size_t node, LocalId from, const Event& event);
  Outcome react(World& world, std::size_t node, std::size_t event, unsigned cut);
  bool post(World& world, PlannedSend send) const;
  void crash(World& world, std::size_t node) const;
  LocalId intern(std::size_t node, Local local);
  MessageId intern(std::size_t receiver, const Message& message);

  void add_deliveries(const World& world, std::size_t node, std::vector<Move>& moves) const;
  void add_timers(const World& world, std::size_t node, std::vector<Move>& moves) const;
  void add_suspicions(const World& world, std::size_t node, std::vector<Move>& moves) const;
  bool timeout_is_right(const World& world, std::size_t node, Timer timer) const;
  bool nothing_in_flight(const World& world, std::size_t node) const;
  bool highest_live(const World& world, std::size_t node) const;

  std::size_t nodes_;
  ExploreOptions options_;
  std::vector<bool> detects_;
  ExplorerPeers peers_;
  std::vector<std::unique_ptr<Protocol>> protocols_;
  std::vector<std::vector<Local>> locals_;
  std::vector<std::map<std::pair<std::vector<std::uint64_t>, std::uint8_t>, LocalId>> local_ids_;
  std::vector<std::vector<Message>> messages_;  // by receiver
  std::vector<std::vector<Reaction>> reactions_;
  Actions actions_;  // kept for its memory
};

}  // namespace bully::explorer
