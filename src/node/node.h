// node.h: one process of the election, as a real process.
//
// It joins the parts: what comes in by the inbox, the monitor, a timer or a signal becomes an event
// for the protocol; what the protocol wants done goes out by the outbox, the monitor and the
// timers. One thread, one poll(2), nothing that waits for a peer. No decision about an election is
// taken here: they are all in ../election.
//
// Read next: node.cc, node_housekeeping.cc, then inbox.h, outbox.h, monitor.h, directory.h.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "election/algorithm.h"
#include "election/participant.h"
#include "election/record.h"
#include "node/clock.h"
#include "node/directory.h"
#include "node/inbox.h"
#include "node/monitor.h"
#include "node/outbox.h"
#include "node/signals.h"
#include "node/watchers.h"
#include "trace/status.h"

namespace bully {

struct NodeOptions {
  NodeId id = 0;
  std::string directory;
  Detector detector = Detector::ping;
  Duration ping_interval = std::chrono::milliseconds(1000);
  Duration ping_timeout = std::chrono::milliseconds(1000);
  Duration answer_timeout = std::chrono::milliseconds(500);
  Duration coordinator_timeout = std::chrono::milliseconds(1000);
  Duration pace{};           // a pause before each message is handled
  bool trace_pings = false;  // record pings too
};

// What a node tells that is no record of the trace.
enum class Notice : std::uint8_t {
  monitor_replaced,  // value: the new monitor's PID
  monitor_missing,   // it died, and another cannot be forked just now
  published_again,   // somebody had removed the socket
  cannot_publish,    // it cannot be made again just now; value: errno
  foreign,           // a message of another algorithm came in; value: its sender's id
};

// How many descriptors a node spends on connections that others have opened.
struct DescriptorShares {
  std::size_t unfinished = 0;  // that have not said everything yet
  std::size_t held = 0;        // kept open for other nodes' monitors
};

class NodeObserver : public Sink {
 public:
  virtual void notice(Notice notice, std::int64_t value) = 0;
};

class Node : private Recipient, private SendObserver, private Carrier {
 public:
  // Publishes the node, which takes part in elections by `algorithm`.
  // Throws SetupError. The observer outlives the node.
  Node(NodeOptions options, const Algorithm& algorithm, NodeObserver& observer);

  // Takes part in elections until SIGINT, SIGTERM or SIGHUP; then leaves, and returns.
  void run();

 private:
  struct SignalsSeen {
    bool continued = false;  // by SIGCONT
    bool leave = false;      // asked to, by any other but SIGCHLD
  };
  struct Wait {
    Time until = never;
    bool counts_others = false;  // `until` leaves time for them
  };

  // What comes in.
  void on_message(const Message& message, Descriptor connection) override;
  void on_dropped(std::string_view reason) override;
  void on_lost(NodeId to, const Message& message, Loss loss) override;
  SignalsSeen read_signals();
  void read_reports();
  void expire_timers();
  void handle_paced();
  void reply_to_ping(const Message& message, Descriptor connection);
  NodeStatus status() const;

  // The participant, and what it wants done.
  void handle(const Event& event);
  const Protocol& protocol() const { return participant_.protocol(); }
  Loss send(NodeId to, const Message& message) override;
  void start_timer(const StartTimer& action) override;
  void stop_timer(Timer timer) override;
  // Not at once: see watch().
  void watch(std::optional<NodeId> /*whom*/, bool /*as_coordinator*/) override {}
  void record(Record record) override;
  void flush() override { observer_.flush(); }
  void watch();

  // Whether it is over, now that it leaves time for the others as well, as many as they are.
  bool is_over(Wait& wait, std::size_t rounds) const;

  void housekeep();
  void sweep_later(NodeId dead);
  bool start_monitor();
  void replace_monitor();
  void publish_again();
  void let_go_in_child();
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
  DescriptorShares shares_;
  Inbox inbox_;
  Outbox outbox_;
  Watchers watchers_;
  Monitor monitor_;
  std::vector<pollfd> polled_;

  std::deque<Message> paced_;  // arrived, and not yet handled
  Time next_paced_ = never;
  std::array<Wait, timer_count> timers_{};
  std::minstd_rand random_;
  std::optional<NodeId> watched_;
  bool watches_coordinator_ = false;  // it is watched as such
  Wait watch_wait_;                   // until the monitor is told of another

  std::set<NodeId> to_sweep_;  // found dead; their names are removed when the election is over
  Time housekeeping_at_ = never;
  bool unpublished_ = false;

  MessageCounts sent_{};
  MessageCounts received_{};
  std::uint64_t dropped_ = 0;
};

}  // namespace bully
