// controlled_nodes.h: real processes as the simulated network sees them: a person or a script
// releases their messages and timers.
//
// The network, its clock and its faults are the simulator's (../sim/world.h). The messages of the
// processes wait in the proxies of ../wire/link_proxy.h until the simulated network delivers them.
// Each process gets one event at a time, and has finished its reaction when that call returns.
// real_backend.cc and ../terminal/hold_session.h start and end the processes.
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
#include "node/status_reply.h"
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
    bool is_posted = false;  // in the simulated network as well
  };

  // Takes the names of all processes in `directory`. `patience`: the time for a process to reply.
  // `other`, which outlives this object, observes all messages except pings and queries. Throws
  // SetupError.
  ControlledNodes(Directory directory, Duration patience, LinkObserver& other);

  // Makes the process handle the event, and adds its reaction to `actions`. Throws a Problem if the
  // process did anything that no script can have meant.
  void handle(NodeId id, const Event& event, Actions& actions);
  // A message that the simulated network has lost waits no longer.
  void record(const Record& record) override;

  const Snapshot& snapshot(NodeId id) const { return nodes_.at(id).snapshot; }
  std::optional<NodeId> watched(NodeId id) const { return nodes_.at(id).controlled.watched; }
  // Such a process as a protocol, for the simulator. This object outlives it.
  std::unique_ptr<Protocol> make(NodeId id);

  const Directory& directory() const { return directory_; }
  LinkProxy& proxy() { return proxy_; }
  const std::vector<Sent>& waiting() const { return waiting_; }
  void drop(Ticket ticket);
  // Another program has stopped it; or it has ended.
  void on_stopped(NodeId id) { nodes_.at(id).snapshot.condition = Condition::stopped; }
  void on_ended(NodeId id) { begin_incarnation(id, crashed_snapshot(id)); }
  // The next process that continues does so by this act, if any, when the messages that have come
  // meanwhile wait for it.
  void continue_by(std::function<void()> act) { continue_ = std::move(act); }

 protected:
  // A process as the simulated network knows it: its latest replies, and how much of them, and of
  // its messages, the network has already.
  struct Node {
    Snapshot snapshot = {};
    Controlled controlled = {};
    std::int64_t pid = 0;
    std::array<Controlled::RunningTimer, timer_count> timers_reported = {};
    std::multiset<NodeId> unreported_gone = {};  // gone receivers, for its next events
    // All messages that it has sent in all incarnations, by the simulator's number, counted from 1.
    std::vector<Sent> sent = {};
  };

  void on_start(NodeId id) override { observer_.on_start(id); }
  void on_end(NodeId id, bool has_left) override { observer_.on_end(id, has_left); }
  void on_pinged(NodeId from, NodeId to, const std::optional<PingReply>& reply) override {
    observer_.on_pinged(from, to, reply);
  }
  void on_message(const Message& message, NodeId to, Way way, Ticket ticket) override;

  // It starts, or another program has started it; it continues after a stop.
  virtual void start(NodeId id) { query(id); }
  virtual void resume(NodeId id);
  // The messages that it has sent since the last time, in that order. REQUIRES: it has replied
  // since.
  virtual std::vector<Sent> take_sent(NodeId id);
  // Reads the processes' records.
  virtual void read_records() {}
  // Throws if the process has sent more than its records show.
  virtual void require_recorded(NodeId /*id*/, const MessageCounts& /*sent*/) {}
  // Throws a Problem if it has ended by itself.
  virtual void require_running(NodeId id);
  // The simulated network has lost a message, which its sender cannot know. This is the line for
  // its trace.
  virtual void on_lost(const Record&) {}

  // Makes the process handle its messages and the event in `question`.
  void query(NodeId id, const Message& question = {.type = messages::status});
  void wait_until(NodeId id, const std::function<bool()>& condition);
  void receive_all();
  // Delivers the messages that wait, and the messages that result.
  void deliver_all();
  // Forgets the earlier incarnation, except its messages.
  Node& begin_incarnation(NodeId id, const Snapshot& snapshot);
  bool has_proxy(NodeId id);

  Directory directory_;
  Duration patience_;
  LinkObserver& observer_;
  std::map<NodeId, Node> nodes_;
  std::vector<Sent> waiting_;
  LinkProxy proxy_;  // last member: it must end first

 private:
  void leave_event(NodeId id, const Event& event);
  void report(NodeId id, Actions& actions);

  bool has_come_ = false;
  std::function<void()> continue_ = nullptr;
};

}  // namespace bully
