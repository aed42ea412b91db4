// node.h: one process of the election, as a real process.
//
// The node turns messages, the monitor's reports, expired timers and signals into events for the
// protocol; the outputs of its steps go out by the outbox, the monitor and the timers. The node has
// one thread and one loop around one poll(2), and never waits for a peer but while it publishes its
// name again. Where an event takes its time, with --pace or with rules from outside, the loop goes
// round meanwhile: pings are answered, and other events wait for their turn. ../election makes all
// decisions about an election.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "election/algorithm.h"
#include "election/pace.h"
#include "election/participant.h"
#include "node/links.h"
#include "node/listing.h"
#include "node/monitor.h"
#include "node/registry.h"
#include "node/system.h"
#include "values/status.h"

namespace bully {

// A node's news that is no record of the trace.
enum class Notice : std::uint8_t {
  monitor_replaced,  // value: the new monitor's PID
  monitor_missing,   // it died, and another cannot be forked just now
  monitor_dies,      // one after the other dies at once; the next ones follow each interval
  published_again,   // another process had removed the socket
  cannot_publish,    // it cannot be made again just now; value: errno
  foreign,           // a message of another algorithm came in; value: its sender's id
};

class NodeObserver : public Sink {
 public:
  virtual void notice(Notice notice, std::int64_t value) = 0;
  // The input that the next record drops.
  virtual void dropping(std::string_view /*bytes*/) {}
};

class Node : private Recipient {
 public:
  // Publishes the node. Throws SetupError. The observer outlives the node.
  Node(NodeOptions options, const Algorithm& algorithm, NodeObserver& observer);

  // Takes part in elections until SIGINT, SIGTERM or SIGHUP; then leaves, and returns. It leaves as
  // well if its protocol throws.
  void run();

 private:
  static constexpr Duration without_end = std::chrono::hours(1'000'000);

  struct Wait {
    Time until = never;
    bool counts_others = false;  // `until` leaves time for them
    Controlled::RunningTimer told = {};
  };
  // An event that waits for its turn. Or a question to a controlled node, perhaps without an
  // event: it is answered when the event has been handled to its end.
  struct Waiting {
    std::optional<Event> event;
    Descriptor asker = {};
  };

  // node.cc: the loop, and what comes in.
  void take_part();
  std::set<int> wait();
  void on_message(const Message& message, Descriptor& connection) override;
  void on_dropped(std::string_view reason, std::string_view bytes) override;
  void drop(Record dropped);
  void on_lost(NodeId to, const Message& message, Loss loss);
  void read_reports();
  void expire_timers();
  bool suspects_after(const std::set<int>& signals);

  // Events wait for their turn; go_on() handles them as far as it can now.
  void add(Event event) { waiting_.push_back({std::move(event)}); }
  void go_on();
  bool take_next();
  // True if nothing of an event is left to do, and none waits.
  bool is_free() const { return !in_hand_ && outputs_.is_done() && !asker_ && waiting_.empty(); }

  // The outputs of its steps.
  void carry_out(const Send& send);
  void carry_out(const StartTimer& start);
  void carry_out(const StopTimer& stop) { timer(stop.timer) = {}; }
  void carry_out(const WatchTarget& target) { wanted_ = target; }
  void carry_out(Flush) { observer_.flush(); }
  void carry_out(Pause) { goes_on_at_ = monotonic_now() + options_.pace; }
  void carry_out(const std::unique_ptr<Record>& made) { record(std::move(*made)); }
  void record(Record record);

  const Protocol& protocol() const { return participant_.protocol(); }
  Wait& timer(Timer which) { return timers_[static_cast<std::size_t>(which)]; }
  bool is_paced() const { return options_.pace > Duration(0) && !options_.controlled; }
  // True if the wait has expired, with the extension for crowds and for slow motion.
  bool is_over(Wait& wait, const StartTimer& kind) const;
  Duration extension_of(const StartTimer& kind, std::size_t processes) const;
  // No wait of a controlled node ends by itself.
  Time end_of(Duration wait) const {
    return now_ + wait + (options_.controlled ? without_end : Duration(0));
  }
  Time next_deadline() const;

  void on_question(const Message& question, Descriptor connection);
  NodeStatus status() const;
  void tell_monitor();

  // node_housekeeping.cc
  void sweep();
  // At once; but if one after the other dies, not within an interval of the start before.
  void replace_monitor();
  bool start_monitor();
  // Each cause once, until all is well again.
  void say_once(Notice notice, std::int64_t value);
  void publish_again();
  void leave();

  NodeOptions options_;
  const Algorithm& algorithm_;
  Participant participant_;
  NodeObserver& observer_;
  pid_t pid_;
  Time started_at_;
  Time now_;  // when poll last returned

  SignalPipe signals_;
  Registry registry_;
  Listing listing_;
  Inbox inbox_;
  Outbox outbox_;
  Monitor monitor_;
  std::vector<pollfd> polled_;

  std::deque<Waiting> waiting_;
  std::optional<Event> in_hand_;     // the event of which the step is still to be taken
  Outputs outputs_;                  // of the step that was taken
  Descriptor asker_;                 // that waits for its end
  Time handled_at_{0};               // when the latest event was
  bool is_in_event_ = false;         // it has the same peers to its end; then its records are shown
  std::uint64_t gone_in_event_ = 0;  // its messages that found nobody
  Time goes_on_at_{0};               // with a pace: the end of a pause
  std::array<Wait, timer_count> timers_{};
  std::uint64_t timers_started_ = 0;
  std::minstd_rand random_;
  WatchTarget wanted_;
  Wait watch_wait_;  // until the monitor learns of it

  std::set<NodeId> to_sweep_;  // found dead; their names are removed when the election is over
  Time sweep_at_ = never;
  Time monitor_started_at_;
  Time monitor_due_ = never;                       // while it lacks one
  int early_deaths_ = 0;                           // of monitors, in a row
  std::map<Notice, std::set<std::int64_t>> said_;  // that holds: not said again

  std::uint64_t lines_ = 0;  // of the trace, so far
  MessageCounts sent_;
  MessageCounts received_;
  std::uint64_t dropped_ = 0;
};

}  // namespace bully
