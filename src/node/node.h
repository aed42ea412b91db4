// node.h: one process of the election, as a real process.
//
// What comes in by the inbox, the monitor, a timer or a signal becomes an event for the protocol;
// what the protocol wants done goes out by the outbox, the monitor and the timers. One thread, one
// poll(2), nothing that waits for a peer. All decisions about an election are taken in ../election.
//
// Read next: node.cc, then links.h, monitor.h, directory.h.
#pragma once

#include <array>
#include <deque>
#include <random>
#include <set>
#include <vector>

#include "election/algorithm.h"
#include "election/participant.h"
#include "election/ring_order.h"
#include "node/links.h"
#include "node/monitor.h"
#include "node/own_name.h"
#include "node/system.h"
#include "trace/status.h"

namespace bully {

// What a node tells that is no record of the trace.
enum class Notice : std::uint8_t {
  monitor_replaced,  // value: the new monitor's PID
  monitor_missing,   // it died, and another cannot be forked just now
  published_again,   // somebody had removed the socket
  cannot_publish,    // it cannot be made again just now; value: errno
  foreign,           // a message of another algorithm came in; value: its sender's id
};

class NodeObserver : public Sink {
 public:
  virtual void notice(Notice notice, std::int64_t value) = 0;
};

class Node : private Recipient, private Carrier, private Peers {
 public:
  // Publishes the node, which takes part in elections by `algorithm`.
  // Throws SetupError. The observer outlives the node.
  Node(NodeOptions options, const Algorithm& algorithm, NodeObserver& observer);

  // Takes part in elections until SIGINT, SIGTERM or SIGHUP; then leaves, and returns.
  void run();

 private:
  struct Wait {
    Time until = never;
    bool counts_others = false;  // `until` leaves time for them
    ByHand::RunningTimer told = {};
  };

  // What comes in.
  void on_message(const Message& message, Descriptor connection) override;
  void on_dropped(std::string_view reason) override;
  void on_lost(NodeId to, const Message& message, Loss loss);
  void read_reports();
  void expire_timers();
  void expire(Timer timer);
  void expire_first();
  void obey(const Message& question);
  void handle_paced();
  void reply_to_ping(const Message& message, Descriptor connection);
  NodeStatus status() const;

  // The participant, what it asks, and what it wants done.
  void handle(const Event& event);
  std::span<const NodeId> ids() const override;
  NodeId next_of(NodeId id, Direction way) const override;
  const Protocol& protocol() const { return participant_.protocol(); }
  Loss send(NodeId to, const Message& message) override;
  void start_timer(const StartTimer& action) override;
  void stop_timer(Timer timer) override { timers_[static_cast<std::size_t>(timer)] = {}; }
  void watch(const WatchTarget& watch) override { wanted_ = watch; }
  void record(Record record) override;
  void flush() override { observer_.flush(); }
  void tell_monitor();

  // Whether it is over, now that it leaves time for all others as well.
  bool is_over(Wait& wait, std::size_t rounds) const;

  void housekeep();
  void sweep_later(NodeId dead);
  void start_monitor(bool is_replaced);
  void publish_again();
  void leave();

  Time next_deadline() const;

  NodeOptions options_;
  const Algorithm& algorithm_;
  Participant participant_;
  NodeObserver& observer_;
  pid_t pid_;
  Time started_at_;
  Time now_;  // when poll last returned

  SignalPipe signals_;
  Directory directory_;
  OwnName name_;
  Inbox inbox_;
  Outbox outbox_;
  Monitor monitor_;
  std::vector<pollfd> polled_;

  mutable std::vector<NodeId> listed_;  // the directory, when it was last listed for the protocol
  mutable bool is_listed_ = false;      // during this event
  std::deque<Message> paced_;           // arrived, and not yet handled
  Time next_paced_ = never;
  std::array<Wait, timer_count> timers_{};
  std::uint64_t timers_started_ = 0;
  std::minstd_rand random_;
  WatchTarget wanted_;
  Wait watch_wait_;  // until the monitor is told of it

  std::set<NodeId> to_sweep_;  // found dead; their names are removed when the election is over
  Time housekeeping_at_ = never;

  MessageCounts sent_;
  MessageCounts received_;
  std::uint64_t dropped_ = 0;
};

}  // namespace bully
