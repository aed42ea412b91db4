// explorer_model.h: a configuration of all nodes as a value, and the steps that lead from it.
//
// A Configuration, the field's word for a global state, has each node's state and the messages in
// flight. A node's reaction depends on its own state and on the event alone, and the same few cases
// come up millions of times: the model runs the protocol once for each and remembers the reaction.
// A node's state and a message are small numbers here, in the order in which they first appear.
//
// This unit never searches or judges.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "election/participant.h"
#include "election/ring_order.h"
#include "explorer/explorer.h"

namespace bully {

// The largest number of messages in flight to one node. A larger one ends the search, and so do
// more than this many PeerGone in one step: such a protocol does not come to rest.
inline constexpr std::size_t max_inbox = 30;

using LocalId = std::uint16_t;    // a node's state: its words and its running timers
using MessageId = std::uint16_t;  // a message, numbered by receiver
inline constexpr LocalId crashed = 0;
inline constexpr LocalId not_started = 1;  // has not started yet (Beginning::starting)

struct Arrivals {
  std::uint8_t size = 0;
  std::array<MessageId, max_inbox> messages = {};

  std::span<const MessageId> all() const { return {messages.data(), size}; }
};

// All nodes and messages in one state of the search, by numbers: millions of them fit into memory.
// Nodes are counted from 0 here: node i has the id i + 1.
struct Configuration {
  std::uint8_t crashes_left = 0;
  std::uint8_t restarts_left = 0;
  std::uint8_t partitions_left = 0;
  std::uint8_t false_alarms_left = 0;
  std::uint8_t far_side = 0;  // the nodes on one side of a partition, a bit for each; otherwise 0
  std::uint16_t sent = 0;     // counted only if the options limit it
  std::array<LocalId, max_explored_nodes> node = {};
  std::array<Arrivals, max_explored_nodes> inbox = {};
};

// One step, in the model's numbers.
struct Move {
  Verb verb = Verb::deliver;
  std::uint8_t node = 0;
  std::uint16_t detail = 0;  // deliver: the MessageId; expire: the Timer; suspect: see suspicion();
                             // check: the other node; partition: the far side
  bool fault = false;
  std::uint8_t sends = 0;  // if not 0: the node crashes after this number of sends

  auto operator<=>(const Move&) const = default;  // NOLINT(*-use-nullptr): a false alarm
};

inline bool is_of_network(Verb verb) {
  return verb == Verb::partition || verb == Verb::heal;
}

// The number of faults of this kind that are left.
auto& faults_left(auto& now, Verb verb) {
  if (verb == Verb::crash) return now.crashes_left;
  if (verb == Verb::restart) return now.restarts_left;
  return verb == Verb::partition ? now.partitions_left : now.false_alarms_left;
}

// The reason of a suspicion; for `hung` also the suspected node.
inline constexpr std::uint8_t suspicion(Suspicion reason, std::size_t node) {
  const std::size_t hung = reason == Suspicion::hung ? (node + 1) << 2U : 0;
  return static_cast<std::uint8_t>(static_cast<std::size_t>(reason) | hung);
}
inline constexpr Suspicion suspicion_in(std::uint16_t detail) {
  return static_cast<Suspicion>(detail & 3U);
}
inline constexpr NodeId hung_in(std::uint16_t detail) {
  return detail >> 2U;
}

// The search has reached a bound, and ends with the question open: see ExploreResult::bound.
struct BoundReached {
  const char* bound;
};

class Model {
 public:
  // Throws std::invalid_argument for options out of range.
  Model(const ExploreOptions& options, const ProtocolMaker& make);

  Configuration beginning();
  // Replaces `moves` by all possible moves in `now`, except crashes in midst of a move.
  void moves(const Configuration& now, std::vector<Move>& moves) const;
  // Calls `each(move, next)` for each of these moves, and for each crash in midst of one.
  template <typename Function>
  void each_step(const Configuration& now, const std::vector<Move>& moves, Function each) {
    for (Move move : moves) {
      const bool can_crash = now.crashes_left > 0 && move.verb != Verb::crash;
      const unsigned max_sends = can_crash ? max_explored_nodes * max_inbox : 1;
      for (; move.sends < max_sends; ++move.sends) {
        Configuration next = now;
        if (!apply(move, next)) break;
        each(move, next);
      }
    }
  }
  // Applies `move` to `now`. False: it sends no more than Move::sends messages, so a crash cannot
  // cut it short. REQUIRES: moves() gave it, or it differs only in `sends`. Throws BoundReached:
  // more in flight than max_inbox, or more values than numbers.
  bool apply(const Move& move, Configuration& now);

  // True if the node of the latest move has taken a coordinator in it, itself or another.
  bool took_coordinator() const { return took_coordinator_; }
  // True if any node has acted by this rule in any move.
  bool has_fired(const Rule* rule) const { return fired_.contains(rule); }
  // The receipts about which no node has ever done anything: of which none has changed the
  // receiver, or made it send.
  std::vector<Receipt> ignored() const;

  // Encodes a configuration as bytes, equal exactly for equal ones, and decodes it.
  void encode(const Configuration& now, std::vector<std::uint8_t>& bytes) const;
  Configuration decode(std::span<const std::uint8_t> bytes) const;

  bool live(const Configuration& now, std::size_t node) const {
    return now.node[node] > not_started;
  }
  bool connects(const Configuration& now, std::size_t node, std::size_t other) const {
    return ((now.far_side >> node ^ now.far_side >> other) & 1) == 0;
  }
  // False for a coordinator that has left before the run began.
  bool is_node(NodeId id) const { return id > 0 && id <= nodes_.size(); }
  // Why a message from `node` to `id` would not arrive.
  Loss loss(const Configuration& now, std::size_t node, NodeId id) const {
    if (is_node(id) && !connects(now, node, id - 1)) return Loss::partition;
    return is_node(id) && live(now, id - 1) ? Loss::none : Loss::gone;
  }
  // Replaces `nodes` by all nodes in `now`. Valid until the next move.
  void look(const Configuration& now, std::vector<const Snapshot*>& nodes) const;
  const Snapshot& look(const Configuration& now, std::size_t node) const {
    return local(now, node).snapshot;
  }
  const Message& message(std::size_t receiver, MessageId id) const {
    return nodes_[receiver].messages[id];
  }
  // The step that `move` makes, in words of the algorithm.
  Step describe(const Configuration& before, const Move& move) const;
  // The events that the protocol of Move::node gets for it, without the PeerGone that follow from
  // them. REQUIRES: it is no crash, and not of the network.
  std::vector<Event> events_of(const Configuration& before, const Move& move) const;
  // A number for each of these events, which tells it from others of the move's verb.
  std::vector<std::uint16_t> details_of(const Configuration& before, const Move& move) const;
  // Gives them to that protocol once more, and changes nothing.
  void ask_again(const Configuration& before, const Move& move);
  // That protocol's words (Protocol::save), and whether a timer runs.
  std::span<const std::uint64_t> words_of(const Configuration& now, std::size_t node) const {
    return local(now, node).words;
  }
  bool waits(const Configuration& now, std::size_t node) const {
    return local(now, node).timers.any();
  }
  const Peers& peers() const { return peers_; }
  // The memory for the states of nodes and their reactions, about.
  std::uint64_t bytes() const { return bytes_; }

 private:
  // A state of one node, under its LocalId: unlike a snapshot it is whole, so the node can go on
  // from it.
  struct Local {
    std::vector<std::uint64_t> words;
    std::bitset<timer_count> timers;  // the running timers
    std::optional<NodeId> watched;
    std::uint64_t latest_election = 0;  // Protocol::latest_election
    bool waits = false;                 // it has left the election to the process that it watches
    Snapshot snapshot;
    // The numbers of its reactions, by Verb and Move::detail; 0: unknown yet. The crash of a node
    // is an event for the senders of messages to it: PeerGone.
    std::array<std::vector<std::uint32_t>, node_verb_count> reactions;

    bool runs(Timer timer) const { return timers[static_cast<std::size_t>(timer)]; }
  };
  struct PlannedSend {
    std::uint8_t to = 0;
    MessageId message = 0;
  };
  struct Reaction {
    LocalId next = crashed;
    bool takes_coordinator = false;
    std::vector<PlannedSend> sends;
  };
  struct Node {
    bool detects = true;
    std::unique_ptr<Protocol> protocol = nullptr;
    std::vector<Local> locals = {};
    std::map<std::pair<std::vector<std::uint64_t>, unsigned long>, LocalId> local_ids = {};
    std::vector<Message> messages = {};  // to this node
    std::vector<Reaction> reactions = {};
  };
  struct Known final : Peers {
    std::vector<NodeId> nodes;
    std::vector<NodeId> ring;  // clockwise

    std::span<const NodeId> ids() const override { return nodes; }
    NodeId next_of(NodeId id) const override { return next_on_ring(ring, nodes, id); }
  };

  std::size_t place_of(NodeId id) const;
  const Local& local(const Configuration& now, std::size_t node) const {
    return nodes_[node].locals[now.node[node]];
  }
  void add_suspicions(const Configuration& now, std::uint8_t node, std::vector<Move>& moves) const;
  void add_findings(const Configuration& now, std::uint8_t node, std::vector<Move>& moves) const;
  void add_partitions(const Configuration& now, std::vector<Move>& moves) const;
  bool finds(const Configuration& now, std::size_t node, std::size_t other) const;
  bool misses_neighbour(const Configuration& now) const;
  bool is_quiet(const Configuration& now) const;
  bool timeout_is_right(const Configuration& now, std::size_t node, Timer timer) const;
  bool nothing_in_flight(const Configuration& now, std::size_t node) const;

  bool react(Configuration& now, const Move& move);
  Event event_of(std::size_t node, LocalId from, Verb verb, std::uint16_t detail) const;
  // The parts of `move` that decide its reaction().
  std::uint16_t detail_of(const Configuration& now, const Move& move) const;
  // Started::incarnation of a node that starts now.
  std::uint64_t next_incarnation(const Configuration& now) const;
  bool handle(Configuration& now, const Move& move, std::uint16_t detail, unsigned& posted);
  const Reaction& reaction(std::size_t node, LocalId from, Verb verb, std::uint16_t detail);
  Reaction ask_protocol(std::size_t node, LocalId from, const Event& event);
  void post(Configuration& now, PlannedSend send) const;
  LocalId intern(std::size_t node, Local local);
  MessageId intern(std::size_t receiver, const Message& message);

  template <typename Some, typename Field>
  void each_field(Some& now, Field field) const;

  ExploreOptions options_;
  Known peers_;
  std::vector<Node> nodes_;
  Actions actions_;  // kept for its memory
  std::uint64_t bytes_ = 0;
  bool took_coordinator_ = false;
  std::set<const Rule*> fired_;
  std::map<Receipt, bool> heeded_;  // false: by no node yet
};

}  // namespace bully
