// monitor.h: the forked child that pings the coordinator, as its parent sees it.
//
//   parent ── whom to watch ──► child        (one pipe; its end tells the child to end)
//   parent ◄── what it found ── child        (another pipe)
//
// The child never takes part in an election: it reports, and the parent acts. It lives exactly as
// long as its parent. Killed by itself, it is replaced; stopped, it is continued, since a node
// whose monitor does not run would follow the dead for ever.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "election/algorithm.h"
#include "election/participant.h"
#include "node/registry.h"
#include "node/system.h"

namespace bully {

enum class Detector : std::uint8_t {
  ping,  // a ping each interval
  eof,   // and a connection held open, whose end the kernel reports at once
};

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
  // Led by hand: no timer runs out and no ping goes out by itself. SIGUSR1 lets the timer that runs
  // run out, or the wait for a ping's reply; SIGUSR2 sends a ping; a question for the status may
  // order more (peer_process.h).
  bool by_hand = false;
  std::string ring = {};             // a file with the order of the ring; empty: by id
  const Variant* variant = nullptr;  // of the algorithm; null: the algorithm as it should be
};

// What a monitor works with. All of it outlives the monitor.
struct MonitorSetup {
  const NodeOptions& options;
  const Algorithm& algorithm;
  const Registry& directory;
  Sink& trace;  // of pings, if the options want them recorded
};

// What the child found, and what it is told. Both structs cross a pipe as they are, in one write.
struct MonitorReport {
  std::optional<Suspicion> reason = std::nullopt;  // nothing: see to the own name, unless is_found
  NodeId watched = 0;
  // Not `watched`, but another of which a coordinator has found what it looks for.
  bool is_found = false;
};
struct WatchCommand {
  enum class Kind : std::uint8_t { watch, ping, give_up };
  WatchTarget watch = {};
  Kind kind = Kind::watch;
};

using PingCounter = std::atomic<std::uint64_t>;

class Monitor {
 public:
  // `in_child` runs first in every child: it closes what the child must not hold.
  Monitor(const MonitorSetup& setup, std::function<void()> in_child);
  ~Monitor();

  // Forks the child. Throws SetupError if the system refuses.
  void start();
  // From now on watch this one; if that is the node itself, the processes above it; or nobody.
  void watch(const WatchTarget& watch);
  // Led by hand: pings the watched process; takes it for hung if it gave no sign of life since.
  void ping() { tell(WatchCommand::Kind::ping); }
  void give_up() { tell(WatchCommand::Kind::give_up); }
  // What it watches: nobody any more after it has reported that one.
  const WatchTarget& watched() const { return watch_; }
  // Where reports come in, or -1.
  int report_fd() const { return child_.reports.get(); }
  std::optional<MonitorReport> next_report();
  // To be asked after each SIGCHLD: continues a child that has been stopped. Whether it has died by
  // itself; then it has been reaped, and start() should be called again.
  bool has_died();

  // 0: there is none.
  pid_t pid() const { return child_.pid; }
  std::uint64_t pings_sent() const { return *pings_sent_; }

 private:
  struct Child {
    pid_t pid = 0;
    Descriptor commands;
    Descriptor reports;
  };
  void tell(WatchCommand::Kind kind);
  void end_child();

  MonitorSetup setup_;
  std::function<void()> in_child_;
  PingCounter* pings_sent_;  // shared between the node and its monitors, one after the other
  WatchTarget watch_;
  Child child_;
};

[[noreturn]] void run_monitor(const MonitorSetup& setup, PingCounter& pings_sent, pid_t parent,
                              Descriptor commands, Descriptor reports);

}  // namespace bully
