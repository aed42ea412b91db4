// monitor.h: the forked child that pings the coordinator, as its parent sees it.
//
//   parent ── target ──────► child        (one pipe; its end tells the child to end)
//   parent ◄── findings ───── child        (another pipe)
//
// The child never takes part in an election: it reports, and the parent acts. It lives exactly as
// long as its parent. The parent replaces a killed child and continues a stopped one, since a node
// whose monitor does not run would follow a dead coordinator forever.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <variant>

#include "election/algorithm.h"
#include "election/participant.h"
#include "node/listing.h"
#include "node/node_options.h"
#include "node/registry.h"
#include "node/system.h"

namespace bully {

// The parts that a monitor works with. All of them outlive the monitor.
struct MonitorSetup {
  const NodeOptions& options;
  const Algorithm& algorithm;
  const Registry& directory;
  Listing& peers;
  Sink& trace;  // of pings, if the options want them recorded
  pid_t parent = getpid();
};

// The child's findings. They cross a pipe unchanged, each in one write, as its targets do.
struct NameLost {};  // probably: the parent checks its name
using MonitorReport = std::variant<Suspected, PeerFound, NameLost>;
static_assert(std::is_trivially_copyable_v<MonitorReport>);

// In memory that the node shares with its monitors, one after the other.
struct MonitorPage {
  std::atomic<std::uint64_t> pings_sent;
  std::atomic<pid_t> ready;  // the latest that cannot outlive the node, even if it is stopped
};

class Monitor {
 public:
  // `in_child` runs first in every child: it closes the descriptors that the child must not keep.
  Monitor(const MonitorSetup& setup, std::function<void()> in_child);
  ~Monitor();

  // Forks the child. Throws SetupError if the system refuses.
  void start();
  // From now on watches this process; if it is the node itself, the processes above it; or none.
  void watch(const WatchTarget& watch);
  // The watched process; none after the child has reported it.
  const WatchTarget& watched() const { return watch_; }
  // Where reports come in, or -1.
  int report_fd() const { return child_.reports.get(); }
  // Nothing: none is there; or the child has ended, or can report nothing more: then pid() is 0.
  std::optional<MonitorReport> next_report();
  // Call it after each SIGCHLD: it continues a stopped child, and reaps a dead one.
  void reap();

  // 0: there is no child; the caller should call start() again.
  pid_t pid() const { return child_.pid; }
  bool is_ready() const { return page_->ready == child_.pid; }
  std::uint64_t pings_sent() const { return page_->pings_sent; }

 private:
  struct Child {
    pid_t pid = 0;
    Descriptor targets;
    Descriptor reports;
  };
  void end_child();

  MonitorSetup setup_;
  std::function<void()> in_child_;
  MonitorPage* page_;
  WatchTarget watch_;
  Child child_;
};

[[noreturn]] void run_monitor(const MonitorSetup& setup, MonitorPage& page, Descriptor targets,
                              Descriptor reports);

}  // namespace bully
