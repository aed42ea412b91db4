// cluster.h: nodes as real processes in a private directory, for one test.
//
// A cluster starts ./bully, signals it by the PIDs that it started, and looks at it as any program
// could: by status requests, by the trace, by the process table. Its destructor ends all that is
// left and checks that no monitor outlives its node; a test that fails gets the nodes' output.
// Read next: process.h.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "election/message.h"
#include "support/process.h"
#include "support/scratch.h"
#include "trace/json.h"
#include "trace/status.h"

namespace bully {

// A line of the trace, as far as tests look at it.
struct TraceLine {
  std::int64_t t_ns = 0;
  NodeId node = 0;
  std::string event;
  std::string type;
  std::string state;
  std::string reason;
  std::optional<NodeId> from;
  std::optional<NodeId> to;
  std::optional<std::uint64_t> number;
  std::optional<NodeId> coordinator;
};

class Cluster {
 public:
  // `options`: for every node. `in_child` runs in each between fork and exec.
  explicit Cluster(Arguments options = {}, std::function<void()> in_child = nullptr);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // The socket directory; and a place for files that are not to be in it.
  std::string directory() const { return scratch_.path() + "/nodes"; }
  std::string scratch(const std::string& name) const { return scratch_.path() + '/' + name; }
  std::string socket_path(NodeId id) const { return directory() + '/' + std::to_string(id); }
  bool has_name(NodeId id) const;
  std::size_t name_count() const;  // of all that is in the directory

  // Start a node whose id is its PID, or is given; further options come last. Return the id.
  NodeId start(const Arguments& options = {}) { return launch(std::nullopt, options, false); }
  NodeId start(NodeId id, const Arguments& options = {}) { return launch(id, options, false); }
  NodeId start_job(NodeId id) { return launch(id, {}, true); }        // in its own process group
  NodeId start_limited(NodeId id, unsigned descriptors);              // as after `ulimit -n`
  void start_many(std::size_t count, const Arguments& options = {});  // their ids are their PIDs
  void start_range(NodeId first, NodeId last, const Arguments& options = {});

  // SIGKILL, and reap.
  void kill(NodeId id);
  // SIGTERM or SIGINT; waits until it has left. Ctrl-C signals the whole process group.
  Outcome end_by(int signal, NodeId id, bool whole_group = false);
  void end_all();  // SIGTERM to all, and waits
  void stop(NodeId id);
  void resume(NodeId id);
  void stop_job(NodeId id);  // Ctrl-Z: the whole process group
  void resume_job(NodeId id);

  pid_t pid_of(NodeId id) const { return nodes_.at(id).pid; }
  // Ids of nodes that were started, and neither ended nor stopped. From the lowest.
  std::vector<NodeId> live() const;
  NodeId highest() const { return live().back(); }

  std::vector<NodeStatus> status() const;
  std::optional<NodeStatus> status_of(NodeId id) const;
  // Whether all live nodes reply and follow the highest of them, now.
  bool agrees() const;
  bool agrees_in_time() const;

  // What all nodes have recorded until now.
  std::vector<TraceLine> trace() const;
  // The same question as agrees(), answered without a word to the nodes: whether `coordinator` is
  // the one that each live node followed last.
  bool trace_follows(NodeId coordinator) const;

  // Monitors of nodes that have been ended, as far as they are still running.
  std::size_t orphan_count() const;

 private:
  std::vector<NodeStatus> status_within(Duration time) const;
  bool agree(const std::vector<NodeStatus>& peers) const;

  struct Started {
    pid_t pid = 0;
    bool stopped = false;
  };
  NodeId launch(std::optional<NodeId> id, const Arguments& options, bool own_group,
                std::function<void()> in_child = nullptr);
  void remember_monitors(pid_t parent);
  void show_output() const;

  Scratch scratch_;
  Arguments options_;
  std::function<void()> in_child_;
  std::map<NodeId, Started> nodes_;
  std::vector<pid_t> monitors_;  // of nodes that have been ended
};

// The PID of its monitor, as the node says; 0 if it does not reply.
pid_t monitor_of(const Cluster& cluster, NodeId id);

// Checks that 1 to 3 start and agree, agree again without 3, and agree once 3 is back.
void check_loss_and_return(Cluster& cluster);

// How many lines of `trace`, from line `first`, are sendings of this type.
std::size_t sent_count(const std::vector<TraceLine>& trace, std::string_view type,
                       std::size_t first = 0);

}  // namespace bully
