// scripts.h: run_cluster.sh and kill_node.sh, run as a user runs them: by a shell, in a session of
// their own, in a private place, with what they print and their exit status.
//
// Read next: cluster.h.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "election/message.h"
#include "node/peer_process.h"
#include "support/cluster.h"

namespace bully {

using Words = std::vector<std::string>;
Words operator+(Words words, const Words& more);

inline const Words run_cluster = {"./run_cluster.sh"};
inline const Words kill_node = {"./kill_node.sh"};

// Whether `condition` came true in time: a script starts many a process, so it has more time than
// one node.
bool happens(const std::function<bool()>& condition);

// Whether a command of this name is in $PATH.
bool has_command(const std::string& name);

// A place of its own: for temporary files, and in it a directory for nodes. Removed at the end.
class Place {
 public:
  Place();

  std::filesystem::path path() const { return scratch_.path(); }
  std::string nodes() const { return path() / "nodes"; }
  std::string temporary() const { return path() / "tmp"; }

  // The nodes that answer.
  std::vector<NodeStatus> live() const;
  // Whether so many answer, and all follow the highest of them.
  bool agree(std::size_t count) const;
  bool has_no_socket() const { return std::filesystem::is_empty(nodes()); }

 private:
  Scratch scratch_;
};

// Whether nothing is left of a session. An orphan's corpse stays until init has seen it.
bool is_empty_session(pid_t leader);

// A command in a session of its own, as in a terminal of its own. `environment`: "NAME=VALUE",
// beside a language, a directory for nodes and one for temporary files that are always given. Its
// session is killed at the end.
class Command {
 public:
  Command(const Place& place, const Words& words, const Words& environment = {});
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  void signal_group(int number) const;  // as Ctrl-C in its terminal

  bool has_ended();
  // Its exit status, when it has ended; 128 and the signal's number where one ended it.
  int exit_status();
  // Whether nothing that it started is left.
  bool left_no_process() const { return is_empty_session(pid_); }
  // Both what it printed and its complaints.
  std::string output() const;

 private:
  [[noreturn]] void become(const Place& place, const Words& words, const Words& environment) const;

  std::string output_;
  pid_t pid_ = -1;
  bool ended_ = false;
  int exit_ = 0;
};

struct Result {
  int status = 0;
  std::string output;
};
Result run(const Place& place, const Words& words, const Words& environment = {});

// What stands before a command that is to run as the first process of a PID namespace, where it
// sees and signals no process from outside. Not every system lets its users make one.
inline const Words in_pid_namespace = {"unshare", "-Urpf", "--kill-child", "--mount-proc"};
bool has_pid_namespaces();
// One test case of this program, which is skipped otherwise, in such a place.
Result run_in_pid_namespace(const std::string& test_case);

// Nodes that ./run_cluster.sh has started, and that agree.
class ScriptedCluster {
 public:
  explicit ScriptedCluster(std::size_t count, const Words& options = {});
  ~ScriptedCluster();
  ScriptedCluster(const ScriptedCluster&) = delete;
  ScriptedCluster& operator=(const ScriptedCluster&) = delete;

  const Place& place() const { return place_; }
  Command& run() { return run_; }
  // ./kill_node.sh with these words.
  Result kill(const Words& words) const;
  NodeId highest() const { return place_.live().back().id; }
  NodeId lowest() const { return place_.live().front().id; }

 private:
  Place place_;
  Command run_;
};

}  // namespace bully
