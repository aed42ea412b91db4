// led.h: real processes that are led by hand (`--by-hand`), as the simulated network sees them.
//
// The network, its clock and its faults are the simulator's (../sim/world.h). What the processes
// say to one another waits in the stand-ins of ../wire/link_proxy.h until the simulated network
// delivers it. Each process is told of one event at a time, and has done all that it does about it
// when that call returns. Whoever starts and ends them: see real_backend.cc and ../commands/hold.h.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "election/algorithm.h"
#include "node/directory.h"
#include "trace/status.h"
#include "trace/trace.h"
#include "wire/link_proxy.h"

namespace bully {

class Led : public Sink, public LinkObserver {
 public:
  // A message of an election that waits in a stand-in.
  struct Waiting {
    Message message;
    NodeId to = 0;
    std::uint64_t ticket = 0;
    bool is_told = false;  // to the simulated network
  };

  // Stands in for all that are in `directory`. `patience`: how long a process may take to reply.
  // `other` sees all but pings and questions. Throws SetupError. All outlive this.
  Led(const Directory& directory, Duration patience, LinkObserver* other = nullptr);

  // Makes the process meet it, and adds to `actions` what it has done about that. Throws a Problem
  // where the process did what no script can have meant.
  void handle(NodeId id, const Event& event, Actions& actions);
  // What the simulated network has lost waits for nobody any more.
  void record(const Record& told) override;

  const Snapshot& snapshot(NodeId id) const { return nodes_.at(id).snapshot; }
  std::optional<NodeId> watched(NodeId id) const { return nodes_.at(id).watched; }
  // Such a process, for the simulator. This outlives it.
  std::unique_ptr<Protocol> make(NodeId id);

  // What only time brings, among processes that are alive: the first finds all others, and timers
  // run out; its own before theirs. REQUIRES: messages are held.
  void let_time_pass(std::span<const NodeId> ids);

  LinkProxy& relay() { return relay_; }
  const std::vector<Waiting>& waiting() const { return waiting_; }
  void drop(std::uint64_t ticket);
  // Others have stopped it; or it has ended.
  void on_stopped(NodeId id) { nodes_.at(id).snapshot.condition = Condition::stopped; }
  void on_ended(NodeId id) { begin_life(id, crashed_snapshot(id)); }

 protected:
  using Ticket = std::uint64_t;
  // What a process has sent, with its own number.
  struct Said {
    Message message;
    NodeId to = 0;
    Ticket ticket = 0;  // none: it was refused
    std::int64_t pid = 0;
  };
  struct Node {
    pid_t pid = 0;  // 0: it does not run, or others have started it
    Snapshot snapshot = {};
    std::optional<NodeId> watched = {};
    std::array<ByHand::RunningTimer, timer_count> timers = {};
    std::array<ByHand::RunningTimer, timer_count> timers_told = {};
    std::vector<Record> news = {};      // which it has recorded, and take_sent() has not read yet
    std::multiset<NodeId> untold = {};  // the dead to whom it wrote, as its next events will say
    // What it has sent in all its lives, by the simulator's number, which are counted from 1.
    std::vector<Said> said = {};
  };

  void on_start(NodeId id) override;
  void on_end(NodeId id, bool has_left) override;
  void on_pinged(NodeId from, NodeId to, const std::optional<PingReply>& reply) override;
  void on_message(const Message& message, NodeId to, Way way, Ticket ticket) override;

  // It starts, or has been started; it goes on after a stop.
  virtual void start(NodeId id) { meet(id); }
  virtual void go_on(NodeId id);
  // What it has sent since the last time, in that order. REQUIRES: it has replied since.
  virtual std::vector<Said> take_sent(NodeId id);
  // What those record is read.
  virtual void look() {}
  // Delivers what waits among these, and what they say about that.
  virtual void carry_all(std::span<const NodeId> ids);
  // Throws a Problem if it has ended, although nobody told it to.
  virtual void check(NodeId id);
  virtual void rest();
  // The simulated network has lost this.
  virtual void on_lost(const Record&, const Said&) {}

  // It meets what has come to it, and what `question` orders.
  void meet(NodeId id, const Message& question = {.type = messages::status});
  void wait_until(NodeId id, const std::function<bool()>& condition);
  void take_in();
  // The message, which is now told, that has this number: 0 if there is none. Each is found once,
  // since a process that returns numbers its messages from 1 again.
  Ticket ticket_of(NodeId from, NodeId to, std::uint64_t number);
  // Nothing is left of the one before but what it has said.
  Node& begin_life(NodeId id, const Snapshot& snapshot);
  bool stands_for(NodeId id);

  const Directory& directory_;
  Duration patience_;
  LinkObserver* other_;
  std::map<NodeId, Node> nodes_;
  std::vector<Waiting> waiting_;
  LinkProxy relay_;  // last: its end is the first

 private:
  void leave_order(NodeId id, const Event& event);
  void tell(NodeId id, Actions& actions);

  bool has_come_ = false;
};

}  // namespace bully
