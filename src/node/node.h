// node.h: one process of the election, as a real process.
//
// The node turns messages, the monitor's reports, expired timers and signals into events for the
// protocol; the protocol's actions go out by the outbox, the monitor and the timers. The node has
// one thread and one poll(2), and never waits for a peer. ../election makes all decisions about an
// election.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "election/algorithm.h"
#include "election/participant.h"
#include "election/ring_order.h"
#include "node/links.h"
#include "node/monitor.h"
#include "node/registry.h"
#include "node/system.h"
#include "trace/status.h"

namespace bully {

// A node's news that is no record of the trace.
enum class Notice : std::uint8_t {
  monitor_replaced,  // value: the new monitor's PID
  monitor_missing,   // it died, and another cannot be forked just now
  published_again,   // another process had removed the socket
  cannot_publish,    // it cannot be made again just now; value: errno
  foreign,           // a message of another algorithm came in; value: its sender's id
};

class NodeObserver : public Sink {
 public:
  virtual void notice(Notice notice, std::int64_t value) = 0;
};

class Node : private Recipient, private Environment, private Peers, private Meanwhile {
 public:
  // Publishes the node. Throws SetupError. The observer outlives the node.
  Node(NodeOptions options, const Algorithm& algorithm, NodeObserver& observer);
  ~Node() override { go_on_meanwhile(nullptr); }

  // Takes part in elections until SIGINT, SIGTERM or SIGHUP; then leaves, and returns. It leaves as
  // well if its protocol throws.
  void run();

 private:
  struct Wait {
    Time until = never;
    bool counts_others = false;  // `until` leaves time for them
    ByHand::RunningTimer told = {};
  };

  void on_message(const Message& message, Descriptor connection) override;
  void on_dropped(std::string_view reason) override;
  void on_lost(NodeId to, const Message& message, Loss loss);
  void read_reports();
  void expire_timers();
  void take_part();
  void handle_paced();
  void settle_doubt();
  void reply_to_ping(const Message& message, Descriptor connection);
  NodeStatus status() const;

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
  bool is_paced() const override { return options_.pace > Duration(0) && !options_.by_hand; }
  void await_turn() override;
  void wait_for(std::span<pollfd> awaited, Time end) override;
  bool suspects_by(const std::set<int>& signals);
  bool is_time_to_watch();

  // A node led by hand overrides these.
  friend class NodeByHand;
  virtual Time end_of(Duration wait) const { return now_ + wait; }
  // A stopped process records nothing, and neither may the process that stopped it: Ctrl-Z, say.
  virtual void on_continued() { record({.node = options_.id, .event = TraceEvent::resume}); }
  virtual NodeStatus reply_to(const Message& /*question*/) { return status(); }
  virtual void tell_monitor();
  // The last node to leave removes the names of the dead.
  virtual void sweep_for_all() { directory_.sweep_up_to_a_live_one(); }

  // True if the wait has expired, with the extension for crowds.
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
  Registry directory_;
  Inbox inbox_;
  Outbox outbox_;
  Monitor monitor_;
  std::vector<pollfd> polled_;

  mutable std::vector<NodeId> listed_;  // the directory, as last listed for the protocol
  mutable bool is_listed_ = false;      // during this event
  std::deque<Message> paced_;           // arrived, and not yet handled
  Time next_paced_ = never;
  // A process believed coordinator that denies it in its replies.
  std::optional<std::pair<NodeId, Wait>> doubt_;
  std::array<Wait, timer_count> timers_{};
  std::uint64_t timers_started_ = 0;
  std::minstd_rand random_;
  WatchTarget wanted_;
  Wait watch_wait_;  // until the monitor learns of it

  std::set<NodeId> to_sweep_;  // found dead; their names are removed when the election is over
  Time housekeeping_at_ = never;

  MessageCounts sent_;
  MessageCounts received_;
  std::uint64_t dropped_ = 0;
};

// Led by hand (NodeOptions::by_hand): no wait ends by itself, no monitor reports, questions are
// orders, and no name goes by itself, since the script decides which processes are known.
class NodeByHand : public Node {
 public:
  using Node::Node;
  static constexpr Duration without_end = std::chrono::hours(1'000'000);

 private:
  Time end_of(Duration wait) const override { return Node::end_of(without_end + wait); }
  void on_continued() override {}
  NodeStatus reply_to(const Message& question) override;
  void tell_monitor() override {}
  void sweep_for_all() override {}
};

}  // namespace bully
