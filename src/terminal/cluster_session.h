// cluster_session.h: several nodes that start together and end together; the settings of a node and
// of a cluster.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "node/directory.h"
#include "node/node_options.h"
#include "stage/local_cluster.h"
#include "terminal/invocation.h"
#include "terminal/traces.h"

namespace bully {

struct NodeSettings {
  NodeOptions node = {.directory = default_directory()};
  const Algorithm* algorithm = &default_algorithm();
  std::string protocol;  // the name of its variant; empty: the correct one
  std::string trace = standard_trace();
  bool quiet = false;
};

struct ClusterSettings {
  NodeSettings nodes;
  std::size_t count = 5;
  bool ids = false;  // its nodes are 1 to N, whatever their PIDs
  bool watch = false;
  bool hold = false;  // its nodes are controlled, and their messages held
  bool demo = false;  // --pace is the pace of the narration: its nodes do not wait
  Invocation invocation;
  std::string program;  // see own_program()

  std::string say(Text words, Values values = {}) const { return invocation.say(words, values); }
};

// A node ended before it took part, and has reported why.
struct NodeFailed {
  int status;
};

// In a command to be typed: " --dir=…", or nothing for the standard directory.
std::string directory_option(const std::string& directory);
// Opens the directory without names of a killed start. The guard removes names left in the end.
Directory open_directory(const ClusterSettings& settings, const Guard& guard);
// Starts a node, with `more` options than the given ones, and waits until it takes part, or was
// killed, or `is_over`. Without `id`, its id is its PID. Throws NodeFailed, Interrupted,
// std::runtime_error.
pid_t start_node(
    LocalCluster& cluster, const ClusterSettings& settings, const std::vector<std::string>& more,
    std::optional<NodeId> id, const std::function<bool()>& is_over = [] { return false; });

// Each returns the exit status, and may throw the exceptions of start_node(): a cluster in this
// terminal; or behind `bully watch`.
int run_in_terminal(const ClusterSettings& settings);
int run_watched(ClusterSettings settings);

}  // namespace bully
