// hold_session.h: `bully watch --hold`: the messages between the processes of a directory are held
// here, for a person who delivers or drops them; and the script of these acts, saved in the end. If
// all processes are controlled, a key makes a step of a script (../stage/controlled_script.h),
// which they play. Messages of other processes can be held, but are in no script. Keys and screen:
// watch_session.cc.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stage/controlled_nodes.h"
#include "stage/controlled_script.h"
#include "stage/local_cluster.h"
#include "stage/trace_file.h"
#include "terminal/invocation.h"
#include "values/status.h"
#include "view/watch_screen.h"

namespace bully {

inline constexpr const char* standard_script = "held.txt";
// The wait, before the beginning, for processes that may not reply.
inline constexpr Duration query_time = std::chrono::milliseconds(100);
// The time for the reaction of a controlled process; on a busy machine it waits for a processor.
inline constexpr Duration reaction_time = std::chrono::seconds(5);

// Throws if there is no terminal for --hold, or if no file can have the name `save`.
void require_for_hold(const Invocation& invocation, const std::string& save);

// Make it before any signal handler: its guard puts all names back however this process ends.
class HoldSession : private LinkObserver {
 public:
  // Takes the names of the processes in `directory`, and writes into `trace`, unless that is empty,
  // which messages are lost here. Throws SetupError.
  HoldSession(const std::string& directory, const std::string& trace, const Invocation& invocation);

  // As LinkProxy::serve, until any of `others` is ready, an observation comes, or `deadline`.
  void serve(std::vector<pollfd>& others, Time deadline);
  // Handles the observations, and releases messages that need not wait.
  void update();

  // From the first moment at which all agree, messages are held. Controlled processes that only
  // need time to agree are brought to agree. A process that another program has stopped is stopped
  // in the script as well. `peers`: of every name, just queried.
  void take_look(const std::vector<NodeStatus>& peers);

  // Starts a controlled process, which ends with the guard.
  using Starter = std::function<void(NodeId, const Algorithm&)>;

  // Performs a key's act on the messages, or on the selected node. Returns the text to show;
  // nothing if there is none, or the key has no such act.
  std::string take_key(std::string_view key, const std::optional<NodeStatus>& node,
                       const Starter& start);
  // Adds the messages lost since the last time that the trace does not show.
  void take_lost(std::vector<Record>& records) {
    std::ranges::move(std::exchange(lost_, {}), std::back_inserter(records));
  }
  // Handles the observations. Call it before a signal to a node.
  void handle_observations();
  // Signals a process by `act`, whose errno it returns, as a step of the script.
  int signal(NodeId id, int number, const std::function<int()>& act);
  // Call it when a key has started a process. Returns when that takes part.
  void on_starting(NodeId id);

  HeldMessages view();
  // Ends the processes that R has started.
  const Guard& guard() const { return guard_; }

  // Writes the script to `path`, or beside it if that file exists, and reports the name. If it
  // cannot be written, it goes to standard output. Returns the exit status.
  int save(const std::string& path) const;

 private:
  void on_start(NodeId id) override;
  void on_end(NodeId id, bool has_left) override;
  void on_message(const Message&, NodeId, Way, std::uint64_t) override {
    observations_.emplace_back([] {});
  }
  void on_pinged(NodeId from, NodeId to, const std::optional<PingReply>&) override {
    pinged_[from] = to;
  }

  void take_names(const std::string& directory);
  void begin_if_agreed(const std::vector<NodeStatus>& peers);
  void note_lost(const Record& lost);
  const Algorithm* agreed_algorithm(std::vector<NodeStatus> peers, std::vector<NodeId>& ids) const;
  std::string perform(const std::function<StepResult()>& step);
  void on_signalled(NodeId id, int signal);
  std::string send_event(std::string_view key, const NodeStatus& node);
  void deliver_each();
  std::string deliver(std::size_t place, bool delivers);

  // One act back, by other processes: hold_step_back.cc.
  std::string step_back(const Starter& start);
  void begin_again(const std::vector<NodeId>& ids, const Algorithm& algorithm,
                   const Starter& start);
  void redo(const Step& step, const Starter& start);

  // Handles observations until `condition`, the end of the script, or for this time.
  void await(const std::function<bool()>& condition, Duration at_most);
  std::vector<Send> waiting() const;
  void end_script();

  const Invocation& invocation_;
  Guard guard_{Guard::Ending::ask};
  std::map<NodeId, NodeId> pinged_;                  // by process: its latest ping target
  std::vector<std::function<void()>> observations_;  // observations not handled yet
  bool has_begun_ = false;
  const Algorithm* algorithm_ = nullptr;  // of all processes, once it has begun
  bool is_released_ = false;              // messages are delivered as they come
  Selection selection_;
  std::optional<TraceFile> trace_;
  std::vector<Record> lost_;
  std::string ended_script_;  // the part played before a process acted by itself
  std::unique_ptr<ControlledNodes> nodes_;
  std::optional<ControlledScript> script_;  // none: there is no script, or it has ended
  std::vector<std::size_t> acts_;           // by act: the number of the script's lines before it
};

}  // namespace bully
