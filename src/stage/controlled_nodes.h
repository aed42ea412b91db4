// controlled_nodes.h: real processes that are led by hand, as the simulated network sees them.
//
// The network, its clock and its faults are the simulator's (../sim/world.h). The messages of the
// processes wait in the proxies of ../wire/link_proxy.h until the simulated network delivers them.
// Each process gets one event at a time, and has finished its reaction when that call returns.
// real_backend.cc and ../terminal/hold.h start and end the processes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "election/algorithm.h"
#include "node/directory.h"
#include "values/status.h"
#include "wire/link_proxy.h"

namespace bully {

class ControlledNodes : public Sink, public LinkObserver {
 public:
  using Ticket = std::uint64_t;
  // A message of an election that a process has sent, with its own number.
  struct Sent {
    Message message;
    NodeId to = 0;
    Ticket ticket = 0;  // in the proxy where it waits; none: it was refused
    std::int64_t pid = 0;
    bool is_told = false;  // to the simulated network
  };

  // Takes the names of all processes in `directory`. `patience`: the time for a process to reply.
  // `other`, which outlives this object, observes all messages except pings and queries. Throws
  // SetupError.
  ControlledNodes(Directory directory, Duration patience, LinkObserver& other);

  // Makes the process handle the event, and adds its reaction to `actions`. Throws a Problem if the
  // process did anything that no script can have meant.
  void handle(NodeId id, const Event& event, Actions& actions);
  // A message that the simulated network has lost waits no longer.
  void record(const Record& told) override;

  const Snapshot& snapshot(NodeId id) const { return nodes_.at(id).snapshot; }
  std::optional<NodeId> watched(NodeId id) const { return nodes_.at(id).by_hand.watched; }
  // Such a process as a protocol, for the simulator. This object outlives it.
  std::unique_ptr<Protocol> make(NodeId id);

  const Directory& directory() const { return directory_; }
  LinkProxy& relay() { return relay_; }
  const std::vector<Sent>& waiting() const { return waiting_; }
  void drop(Ticket ticket);
  // Another program has stopped it; or it has ended.
  void on_stopped(NodeId id) { nodes_.at(id).snapshot.condition = Condition::stopped; }
  void on_ended(NodeId id) { begin_life(id, crashed_snapshot(id)); }

 protected:
  struct Node {
    pid_t pid = 0;  // 0: it does not run, or another program has started it
    Snapshot snapshot = {};
    ByHand by_hand = {};
    std::array<ByHand::RunningTimer, timer_count> timers_told = {};
    std::vector<Record> news = {};      // its records that take_sent() has not read yet
    std::multiset<NodeId> untold = {};  // gone receivers, for its next events
    // All messages that it has sent in all incarnations, by the simulator's number, counted from 1.
    std::vector<Sent> said = {};
  };

  void on_start(NodeId id) override { other_.on_start(id); }
  void on_end(NodeId id, bool has_left) override { other_.on_end(id, has_left); }
  void on_pinged(NodeId from, NodeId to, const std::optional<PingReply>& reply) override {
    other_.on_pinged(from, to, reply);
  }
  void on_message(const Message& message, NodeId to, Way way, Ticket ticket) override;

  // It starts, or another program has started it; it continues after a stop.
  virtual void start(NodeId id) { meet(id); }
  virtual void go_on(NodeId id);
  // The messages that it has sent since the last time, in that order. REQUIRES: it has replied
  // since.
  virtual std::vector<Sent> take_sent(NodeId id);
  // Reads the processes' records.
  virtual void look() {}
  // Throws a Problem if it has ended without an order.
  virtual void check(NodeId id);
  // The simulated network has lost this message.
  virtual void on_lost(const Record&, const Sent&) {}

  // Makes the process handle its messages and the order in `question`.
  void meet(NodeId id, const Message& question = {.type = messages::status});
  void wait_until(NodeId id, const std::function<bool()>& condition);
  void take_in();
  // Delivers the messages that wait, and the messages that result.
  void carry_all();
  // Forgets the earlier incarnation, except its messages.
  Node& begin_life(NodeId id, const Snapshot& snapshot);
  bool stands_for(NodeId id);

  Directory directory_;
  Duration patience_;
  LinkObserver& other_;
  std::map<NodeId, Node> nodes_;
  std::vector<Sent> waiting_;
  LinkProxy relay_;  // last member: it must end first

 private:
  void leave_order(NodeId id, const Event& event);
  void tell(NodeId id, Actions& actions);

  bool has_come_ = false;
};

}  // namespace bully
