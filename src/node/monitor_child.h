// monitor_child.h: what the monitor does, in its own process.
//
// It pings the coordinator each interval and reports, once, that it is
//   down:    nobody is behind the coordinator's name any more;
//   hung:    for a whole ping timeout there was no sign of life: neither a reply nor, from a peer
//            that speaks only the example's protocol, the close of any ping that is still held;
//   deposed: its reply names another coordinator. Of a process that is watched for another reason,
//            a neighbour on a ring, that is no news.
// The example closes a connection only after it has accepted the next one [PyBully]. So a ping that
// stays without an echo for half its timeout is followed by a second one before anyone is called
// hung, and the connection of the last ping is kept until the next.
//
// The monitor of a coordinator watches the processes above it instead: one that replies is alive,
// and so the coordinator is deposed. That is how two coordinators find out about each other. One
// that is alive and does not take over, though it was asked, is reported after ever longer waits:
// each report costs an election.
//
// On a ring several that are hung would be found one after the other, each as the neighbour of the
// last. So, when there is reason to doubt one, the monitor pings those that follow its own node
// clockwise as well, at once, and reports with the one that is hung all others that are.
//
// It never sends ELECTION. It ends, with _exit, as soon as its parent's end of the pipe is closed,
// and also if it is stopped when its parent dies.
#pragma once

#include <poll.h>

#include <optional>
#include <random>
#include <vector>

#include "node/monitor.h"

namespace bully {

class MonitorChild {
 public:
  MonitorChild(const MonitorOptions& options, const Directory& directory, MonitorCounters& counters,
               pid_t parent, Descriptor commands, Descriptor reports);
  [[noreturn]] void run();

 private:
  struct Ping {
    NodeId to = 0;
    Descriptor connection;
    bool holds = false;  // kept open to learn of the coordinator's death
  };

  // One that was pinged besides the one that is watched, and has shown no sign of life since.
  struct Ahead {
    NodeId id = 0;
    Descriptor connection;
  };

  void obey_commands();
  void watch(const WatchCommand& command);
  Time next_wake() const;

  void tick(Time now);
  void ping_coordinator(Time now);
  void ping_those_above(Time now);
  bool send_ping(NodeId to, bool hold, Time now);
  bool say_ping(const Descriptor& connection, NodeId to, bool hold, Time now);
  void keep_only_last_ping();

  void look_ahead(Time now);
  void report_those_ahead();
  void read_echo_from(Ahead& ahead);
  Time hung_when_silent_since(Time since) const;

  void read_echo(Ping& ping, Time now);
  void on_reply(const PingReply& reply, NodeId asked, Time now);
  void on_alive_above(NodeId id, Time now);
  void on_sign_of_life();
  void suspect(Suspicion reason);
  void report(const MonitorReport& report);

  MonitorOptions options_;
  const Directory& directory_;
  MonitorCounters& counters_;
  pid_t parent_;
  Descriptor commands_;
  Descriptor reports_;
  std::minstd_rand random_;

  std::optional<NodeId> target_;  // whom it watches, until it has suspected it
  bool is_coordinator_ = false;   // whether the parent follows it
  std::vector<Ping> pings_;       // not yet closed by the peer
  bool holding_ = false;          // one of them is held open
  Time next_hold_ = Time(0);      // not before this is another one held
  Time next_ping_ = never;
  // While no sign of life has come since a ping: when that was sent, when it is too late for one,
  // and when to ask a second time.
  Time waits_since_ = never;
  Time hung_at_ = never;
  Time second_ping_at_ = never;

  std::vector<Ahead> ahead_;
  Time ahead_since_ = never;  // when they were pinged

  // Of a coordinator's monitor: those above that it has reported, as long as their names are there,
  // and when it reports them again.
  std::vector<NodeId> reported_above_;
  Duration report_again_after_{};
  Time report_again_at_ = Time(0);
};

}  // namespace bully
