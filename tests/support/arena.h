// arena.h: real nodes in a private directory, for faults to be done to.
//
// For what is no test: the driver of chaos, and the benchmarks. Unlike a test's cluster it asserts
// nothing: it does what it is told, and tells what it sees. It signals only processes that it has
// started. Read next: ../chaos/chaos.cc.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "election/message.h"
#include "node/clock.h"
#include "support/process.h"
#include "trace/status.h"

namespace bully {

// What a process holds at one moment.
struct Holdings {
  std::size_t descriptors = 0;
  std::uint64_t resident_kib = 0;
};

class Arena {
 public:
  // `options`: for every node. Throws system_error.
  explicit Arena(Arguments options);
  // Ends all that is left. Removes its files, unless they are to be kept.
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::string directory() const { return path_ + "/nodes"; }
  std::string trace() const { return path_ + "/trace"; }
  const std::string& path() const { return path_; }
  void keep_files() { keeps_files_ = true; }

  void start(NodeId id, const Arguments& options = {});
  // SIGKILL, to all before any is reaped.
  void kill(const std::vector<NodeId>& ids);
  void kill(NodeId id) { kill(std::vector<NodeId>{id}); }
  void kill_monitor(NodeId id);
  void leave(NodeId id);  // SIGTERM, and waits
  void stop(NodeId id);
  void resume(NodeId id);

  // Running or stopped, from the lowest.
  std::vector<NodeId> nodes() const;
  bool has(NodeId id) const { return nodes_.contains(id); }
  pid_t pid_of(NodeId id) const { return nodes_.at(id); }

  // What a node says of itself; nothing where it does not reply within ten seconds.
  std::optional<NodeStatus> ask(NodeId id) const;

  // What is wrong with the nodes' agreement at this moment; nothing where all reply and follow the
  // highest. Stopped nodes count as wrong.
  std::optional<std::string> disagreement() const;

  // Of a node and its monitor together. Only where the system has /proc; else nothing.
  std::optional<Holdings> holdings(NodeId id) const;

  // SIGTERM to all. Returns what is left over when they have gone: processes, names, in words.
  std::string end();

 private:
  std::string path_;
  Arguments options_;
  std::map<NodeId, pid_t> nodes_;
  bool keeps_files_ = false;
};

}  // namespace bully
