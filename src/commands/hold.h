// hold.h: `bully watch --hold`: the messages between the processes of a directory wait here, for a
// person who delivers or drops them; and the script of all that, saved in the end.
// If all processes are led by hand, a key makes a step of a script (../stage/held.h), which they
// play. What others do by themselves can be held, but is in no script. Keys and screen: watch.cc.
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/commands.h"
#include "node/directory.h"
#include "stage/held.h"
#include "stage/led.h"
#include "stage/local_cluster.h"
#include "trace/status.h"
#include "view/watch.h"

namespace bully {

inline constexpr const char* standard_script = "held.txt";

// Throws UsageError if --save was given without --hold, or Refusal if there is no terminal for it.
void check_hold_options(bool holds, const Invocation& invocation);

// Make it before any signal handler: its guard puts all names back however this process ends.
class Hold : private LinkObserver {
 public:
  // Stands in for the processes in `directory`. Throws SetupError.
  Hold(const std::string& directory, const Invocation& invocation);

  // As LinkProxy::serve, until one of `others` is ready, something is seen, or it is `deadline`.
  void serve(std::vector<pollfd>& others, Time deadline);
  // Takes in what was seen, and lets messages go that need not wait.
  void go_on();

  // From the first moment in which all agree, messages wait. Those led by hand that only time would
  // bring to agree are brought to it. `peers`: of every name, just asked.
  void begin_if_agreed(const std::vector<NodeStatus>& peers);

  // What a key does with the messages, or with the node that is selected. Returns what to say about
  // it; nothing if there is nothing to say, or the key is none of these.
  std::string take_key(std::string_view key, const std::optional<NodeStatus>& node);
  // What has been dropped since the last time, as the network would record it.
  std::vector<Record> take_dropped() { return std::exchange(dropped_, {}); }
  // Before a signal to a node, and after it.
  void settle() { take_in(); }
  void on_signalled(NodeId id, int signal);

  HeldView view();

  // Writes the script to `path`, or beside it if there is such a file already, and says so. If it
  // cannot be written, it goes to standard output. Returns the exit status.
  int save(const std::string& path) const;

 private:
  void on_start(NodeId id) override;
  void on_end(NodeId id, bool has_left) override;
  void on_message(const Message&, NodeId, Way, std::uint64_t) override;
  void on_pinged(NodeId from, NodeId to, const std::optional<PingReply>&) override {
    pinged_[from] = to;
  }

  const Algorithm* agreed_algorithm(std::vector<NodeStatus> peers, std::vector<NodeId>& ids) const;
  void bring_to_agree(std::vector<NodeStatus> peers);
  void take_in();
  std::string perform(const std::function<Held::Result()>& step);
  std::string order(std::string_view key, const NodeStatus& node);
  void deliver_each();
  std::string deliver(std::size_t place, bool delivers);
  std::vector<InFlight> waiting() const;
  void end_script();

  const Invocation& invocation_;
  Guard guard_;
  Directory directory_;
  std::map<NodeId, NodeId> pinged_;          // by whom: the last one that it has pinged
  std::vector<std::function<void()>> seen_;  // and not taken in yet
  bool has_begun_ = false;
  bool runs_ = false;  // messages are delivered as they come
  Selection selection_;
  std::vector<Record> dropped_;
  std::string script_;  // of what was played until a process acted by itself
  std::optional<Led> led_;
  std::optional<Held> held_;  // none: there is no script, or it has ended
};

}  // namespace bully
