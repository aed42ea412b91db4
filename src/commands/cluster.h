// cluster.h: what options say of a node, and of several; and how a cluster starts one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/commands.h"
#include "commands/terminal.h"
#include "node/monitor.h"
#include "stage/local_cluster.h"

namespace bully {

struct NodeSettings {
  NodeOptions node = {.directory = default_directory()};
  const Algorithm* algorithm = &default_algorithm();
  std::string protocol;  // a variant of it by name; empty: as it should be
  std::string trace = standard_trace();
  bool quiet = false;

  // Without the id.
  void declare(Options& options);
};

struct ClusterSettings {
  NodeSettings nodes;
  std::size_t count = 5;
  bool ids = false;   // its nodes are 1 to N, whatever their PIDs
  bool hold = false;  // its nodes are led by hand, and their messages wait
  bool demo = false;  // --pace is how fast it is told: its nodes do not wait
  Invocation invocation;
  std::string program;  // see own_program()

  std::string say(Text words, Values values = {}) const { return invocation.say(words, values); }
};

// A node ended before it took part, and has said why.
struct NodeFailed {
  int status;
};

// Without names that a killed start has left there. What is left in the end, the guard removes.
Directory open_directory(const ClusterSettings& settings, const Guard& guard);
// Starts a node, and waits until it takes part, or was killed. Its id is its PID, unless `words`,
// which follow the options that were given, say otherwise. Throws NodeFailed, Interrupted,
// std::runtime_error.
pid_t start_node(LocalCluster& cluster, const ClusterSettings& settings,
                 std::vector<std::string> words, std::optional<NodeId> id = std::nullopt);

// Returns the exit status, and may throw what start_node() throws.
int play_demo(const ClusterSettings& settings);

}  // namespace bully
