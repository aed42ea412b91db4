// failure_detector.h: the decisions of a process's monitor, as a pure machine: which processes it
// pings and when, and the meaning of replies and silence. Times and replies go in; pings, findings
// and the time of the next act come out. It has no clock, no socket and no randomness, so the
// monitor of a real process (../node/monitor_child.cc) and that of a simulated one
// (../sim/world_monitors.cc) are this one.
//
// It watches the coordinator, or the process that has answered and has not announced itself yet. It
// pings it each interval and reports, once, that it is
//   down:    no process is behind its name any more;
//   hung:    for a whole ping timeout there was no sign of life: neither a reply nor, from a peer
//            that speaks only the example's protocol, the close of any ping that is still open;
//   deposed: its reply names another coordinator. For a neighbour on a ring that is no news. With a
//            pace, all replies do so for the time that the news takes.
// With a pace, one process's monitor reports a death at once (Algorithm::first_to_report), and the
// others give that one the time of an election (../node/README.md).
//
// The example closes a connection only after it has accepted the next one [PyBully]. So if a ping
// has no echo after half its timeout, the monitor sends a second one, and it keeps the last ping
// open until the next.
//
// The monitor of a coordinator watches the processes above it instead: if one replies, it is alive,
// and so the coordinator is deposed. In this way two coordinators detect each other. If the
// algorithm has a condition Algorithm::finds, the monitor also pings some of the processes below
// each interval, in turn, and reports a process that meets the condition. A monitor that may open
// few connections begins each time with the processes that it could not ping before, and every
// other time with the processes below. If a process above is alive but does not take over, or a
// found one is found again, the waits between reports grow: each report costs an election.
//
// On a ring the monitor would find several hung processes one after the other, each as the
// neighbour of the last. So, at the first doubt about one, it also pings the next processes
// clockwise, all at once, and reports all hung processes together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/time.h"
#include "election/algorithm.h"
#include "election/participant.h"
#include "trace/environment.h"

namespace bully {

using DetectorReport = std::variant<Suspected, PeerFound>;

struct Ping {
  enum class Kind : std::uint8_t {
    plain,  // to the watched process, or to processes that a coordinator checks
    held,   // kept open to learn of the coordinator's death
    ahead,  // to a process ahead clockwise, without a sign of life since
  };
  std::uint64_t number = 0;  // its own, among all pings of this monitor
  NodeId to = 0;
  Kind kind = Kind::plain;
};

enum class PingOutcome : std::uint8_t {
  sent,
  gone,    // no process is behind the name
  busy,    // it could not be sent just now; a process for which this lasts is hung
  unable,  // no descriptor or memory is left here: that says nothing about any process
};

// The machine, or the simulated world, around a monitor. No function calls the detector back.
class PingNetwork {
 public:
  virtual ~PingNetwork() = default;
  virtual PingOutcome send(const Ping& ping) = 0;
  // Its reply does not matter any more.
  virtual void close(const Ping& ping) = 0;
  virtual void report(const DetectorReport& finding) = 0;
  // All that have names now.
  virtual const Peers& peers() = 0;
  // The live processes among them, as far as can be seen without disturbing any.
  virtual std::vector<NodeId> living() = 0;
  // How much longer than its timeout a reply may take among so many processes.
  virtual Duration extra_patience() = 0;
};

class FailureDetector {
 public:
  struct Options {
    NodeId id = 0;
    const Algorithm* algorithm = nullptr;
    Detector detector = Detector::ping;  // eof: it holds a connection to the coordinator
    Duration ping_interval{};
    Duration ping_timeout{};
    Duration pace{};
  };
  // The network outlives the detector.
  FailureDetector(const Options& options, PingNetwork& network)
      : options_(options), network_(network) {}

  // From now on watches this process, from `first_ping` on; or none. Nothing happens if it does so
  // already.
  void watch(const WatchTarget& target, Time first_ping);
  const std::optional<NodeId>& target() const { return target_; }
  // True if a ping to this target should leave at once, not at some moment of the interval.
  bool is_urgent(const WatchTarget& target) const;

  // The time has come to next_deadline(), or beyond. True if a new round of pings began.
  bool tick(Time now);
  Time next_deadline() const { return std::min({next_ping_, hung_at_, second_ping_at_}); }

  // The fate of an open ping. After that it is not open any more, unless it is held.
  void on_reply(std::uint64_t number, const PingReply& reply, Time now);
  void on_closed(std::uint64_t number);            // without a reply, after it was read
  void on_broken(std::uint64_t number, Time now);  // without having been read; or a held one ended
  // The kernel reports that the watched process has ended: it is pinged now.
  void on_ended(Time now) { next_ping_ = std::min(next_ping_, now); }

 private:
  struct Doubt {
    Duration lasted;
    Time shown_at;
  };

  void ping_watched(Time now);
  bool ping_target(bool hold, Time now);
  void ping_others();
  std::size_t ping_some(std::span<const NodeId> ids, Ping::Kind kind);
  PingOutcome send(NodeId to, Ping::Kind kind);
  void look_ahead(Time now);
  bool may_report(NodeId id, Time now);
  void on_sign_of_life();
  bool is_certain(NodeId id, Time now);
  bool leaves_to_another(Time now);
  void suspect(Suspicion reason, Time now);
  void report_those_ahead(Time now);
  Time hung_when_silent_since(Time since);
  std::optional<Ping> take(std::uint64_t number);
  void close_where(const std::function<bool(const Ping&)>& matches);
  void close_pings(bool ahead);
  // The reply that its own process would give.
  PingReply own() const { return {options_.id, watches_coordinator_ ? target_ : std::nullopt}; }

  Options options_;
  PingNetwork& network_;
  std::optional<NodeId> target_;      // the watched process, until it is suspected
  bool watches_coordinator_ = false;  // not a process that has answered
  std::vector<Ping> open_;
  std::uint64_t pings_ = 0;  // so far

  Time next_ping_ = never;
  Time next_hold_{0};  // no other connection is held before this
  // For a ping without a sign of life since: the times of sending, of suspicion and of the second
  // ping.
  Time waits_since_ = never;
  Time hung_at_ = never;
  Time second_ping_at_ = never;
  Time ahead_since_ = never;  // when the processes ahead were pinged

  // When a process was reported as down: not again within an interval, whatever others say of it.
  std::map<NodeId, Time> reported_down_;
  // By the process whose replies show that this node's coordinator is deposed, or that it is found:
  // for how long, and when they showed it last.
  std::map<NodeId, Doubt> doubts_;
  // With a pace: when it found the coordinator gone, while it leaves the report to another.
  Time left_since_ = never;

  // For a coordinator's monitor: the last process pinged that is not above, the rounds in which all
  // of these have their turn, and which come first in this round; the processes that it has
  // reported, while nothing has changed about them; and when to report again.
  NodeId looked_at_ = 0;
  int rounds_ = 1;
  bool is_above_first_ = false;
  std::vector<NodeId> reported_;
  Duration report_again_after_{};
  Time report_again_at_{0};
};

}  // namespace bully
