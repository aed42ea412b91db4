// monitor.h: the forked child that pings the coordinator, as its parent sees it.
//
//   parent ── whom to watch ──► child        (one pipe; its end tells the child to end)
//   parent ◄── what it found ── child        (another pipe)
//
// The child never takes part in an election: it reports, and the parent acts. It lives exactly as
// long as its parent, however that ends; killed by itself, it is replaced; stopped, it is
// continued, since a node whose monitor does not run would follow the dead for ever. Read next:
// monitor_child.h.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "election/protocol.h"
#include "election/record.h"
#include "node/clock.h"
#include "node/descriptor.h"
#include "node/directory.h"

namespace bully {

enum class Detector : std::uint8_t {
  ping,  // a ping each interval
  eof,   // and a connection held open, whose end the kernel reports at once
};

struct MonitorOptions {
  NodeId self = 0;
  Detector detector = Detector::ping;
  Duration ping_interval{};
  Duration ping_timeout{};
  bool looks_ahead = false;  // on a ring: asks whom the watched one's place would fall to, as well
  Sink* ping_trace = nullptr;  // where each ping is recorded, if anywhere
};

// What the child found. Both structs cross a pipe as they are, in one write.
struct MonitorReport {
  enum class Kind : std::uint8_t { suspicion, unpublished } kind = Kind::suspicion;
  Suspicion reason = Suspicion::down;
  NodeId watched = 0;
};
struct WatchCommand {
  bool watch = false;
  bool is_coordinator = false;
  NodeId target = 0;
};

// Shared between a node and its monitors, one after the other.
struct MonitorCounters {
  std::atomic<std::uint64_t> pings_sent = 0;
};

class Monitor {
 public:
  // `in_child` runs first in every child: it closes what the child must not hold.
  Monitor(const MonitorOptions& options, const Directory& directory,
          std::function<void()> in_child);
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  // Forks the child. Throws SetupError where the system refuses.
  void start();
  // From now on watch `target`; the processes above it, where it is the node itself; or nobody.
  // Only of one that is the node's coordinator it matters whom it follows.
  void watch(std::optional<NodeId> target, bool is_coordinator);
  // Where reports come in, or -1.
  int report_fd() const { return reports_.get(); }
  // The next report, if one has come.
  std::optional<MonitorReport> next_report();
  // To be asked after each SIGCHLD: continues a child that has been stopped. Whether it has died by
  // itself; then it has been reaped, and wants start() again.
  bool has_died();

  pid_t pid() const { return pid_; }
  std::uint64_t pings_sent() const { return counters_->pings_sent; }

 private:
  [[noreturn]] void live_as_child(pid_t parent, Descriptor commands, Descriptor reports);
  void end_child();

  MonitorOptions options_;
  const Directory& directory_;
  std::function<void()> in_child_;
  MonitorCounters* counters_;
  std::optional<NodeId> target_;
  bool is_coordinator_ = false;
  pid_t pid_ = 0;  // 0: there is none
  Descriptor commands_;
  Descriptor reports_;
};

}  // namespace bully
