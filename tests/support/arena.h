// arena.h: real nodes in a private directory, for faults to be done to.
//
// For what is no test: the driver of chaos, and the benchmarks. Unlike a test's cluster it asserts
// nothing: it does what it is told, and tells what it sees. It signals only processes that it
// started.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "election/message.h"
#include "node/system.h"
#include "stage/local_cluster.h"
#include "stage/trace_file.h"
#include "support/process.h"
#include "support/scratch.h"
#include "values/status.h"

namespace bully {

// What a process holds at one moment.
struct Holdings {
  std::size_t descriptors = 0;
  std::uint64_t own_kib = 0;
};

// What a node starts in. Here: with a place for its log, and as many descriptors as there are.
struct Surroundings {
  // A terminal that nobody ever reads; and whether it is full already.
  bool is_unread = false;
  bool is_full = false;
  // How many descriptors it may have; 0: as many as the system allows.
  std::size_t descriptors = 0;
  // What it does before it becomes the program, if anything.
  std::function<void()> in_child = nullptr;

  // A node that may have more to say than others has a log of its own.
  bool has_own_log() const { return descriptors > 0 || in_child != nullptr; }
};

class Arena {
 public:
  // `options`: for every node; `binary`: what nodes run. Throws system_error.
  explicit Arena(Arguments options, std::string binary = binary_under_test());
  // Ends all that is left. Removes its files, unless they are to be kept.
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::string directory() const { return path() + "/nodes"; }
  // What nodes are started to write there, and what was done to them here.
  std::string trace() const { return path() + "/trace"; }
  const std::string& path() const { return scratch_.path(); }
  void keep_files() { scratch_.keep(); }

  void start(NodeId id, const Arguments& options = {}, const Surroundings& surroundings = {});
  // Waits until a node that was started under a new id is published, or has ended instead. Then it
  // is no longer one of the nodes, and this is what it said.
  std::optional<std::string> refusal(NodeId id);
  // How a node has ended, if it has.
  std::optional<Outcome> outcome(NodeId id);
  // What a node with a log of its own has said.
  std::string said(NodeId id) const { return contents(path() + "/log" + std::to_string(id)); }
  // SIGKILL, to all before any is reaped.
  void kill(const std::vector<NodeId>& ids);
  void kill(NodeId id) { kill(std::vector<NodeId>{id}); }
  void kill_monitor(NodeId id);
  Outcome leave(NodeId id);  // SIGTERM; returns when it has ended
  void stop(NodeId id);
  void stop_monitor(NodeId id);
  void resume(NodeId id);

  std::vector<NodeId> nodes() const;
  bool has(NodeId id) const { return nodes_.contains(id); }
  pid_t pid_of(NodeId id) const { return nodes_.at(id).pid(); }

  // What a node says of itself; nothing where it does not reply within ten seconds.
  std::optional<NodeStatus> ask(NodeId id) const;

  // What is wrong with the nodes' agreement at this moment; nothing where all reply and follow the
  // highest. Stopped nodes count as wrong.
  std::optional<std::string> disagreement() const;

  // Of a node and its monitor together. Only where the system has /proc; else nothing.
  std::optional<Holdings> holdings(NodeId id) const;

  // The monitors that were stopped and are still there, though their nodes are not, in words.
  std::string orphans();

  // SIGTERM to all. Returns what is left over when they have gone: processes, names, in words.
  std::string end();

 private:
  void forget(NodeId id);
  void tell(NodeId id, TraceEvent act);
  std::vector<pid_t> monitors_of(NodeId id) const;
  bool is_node(pid_t pid) const;
  // Whether this is a node or a monitor: they have our directory in their command lines.
  bool is_ours(pid_t pid) const;

  Scratch scratch_;
  Arguments options_;
  std::string binary_;
  TraceTail tail_;
  std::set<std::int64_t> writers_;  // PIDs of those that have written to the trace
  std::map<NodeId, Child> nodes_;
  std::map<NodeId, Descriptor> terminals_;  // the ends that nobody reads
  std::set<pid_t> stopped_monitors_;
};

}  // namespace bully
