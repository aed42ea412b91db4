// hold.h: `bully watch --hold`: the messages between the processes of a directory wait here, for a
// person who delivers or drops them; and the script of all that, saved in the end.
//
// Stand-ins take the messages (../wire/relay.h), the model of what they mean is ../stage/held.h.
// Keys and screen are watch.cc's. Read next: hold.cc.
#pragma once

#include <poll.h>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/commands.h"
#include "node/directory.h"
#include "stage/held.h"
#include "stage/local_cluster.h"
#include "trace/status.h"
#include "view/watch.h"
#include "wire/relay.h"

namespace bully {

inline constexpr const char* standard_script = "held.txt";

// Throws UsageError if --save was given without --hold, or Refusal if there is no terminal for it.
void check_hold_options(bool holds, const Invocation& invocation);

// To be made before any signal handler: it forks a guard, which puts all names back however this
// process ends.
class Hold : private Witness {
 public:
  // Stands in for the processes in `directory`. Throws SetupError.
  Hold(const std::string& directory, const Invocation& invocation);

  // As Relay::serve, until one of `others` is ready, something is seen, or it is `deadline`.
  void serve(std::vector<pollfd>& others, Time deadline);
  // Takes in what was seen, and lets messages go that need not wait.
  void go_on();

  // From the first moment in which all agree, messages wait. `peers`: of every name, just asked.
  void begin_if_agreed(const std::vector<NodeStatus>& peers);

  // What a key does with the messages, or with the node that is selected. Returns what to say about
  // it; nothing if there is nothing to say, or the key is none of these.
  std::string take_key(std::string_view key, const std::optional<NodeStatus>& node);
  // Around a signal to a node: what they are about to send comes first; after it, nothing else.
  void settle();
  void on_signalled(NodeId id, int signal);

  HeldView view() const;

  // Writes the script to `path`, or beside it if there is such a file already, and says so. If it
  // cannot be written, it goes to standard output. Returns the exit status.
  int save(const std::string& path) const;

 private:
  void on_start(NodeId id) override;
  void on_end(NodeId id, bool has_left) override;
  void on_message(const Message& message, NodeId to, Way way, std::uint64_t ticket) override;
  void on_pinged(NodeId from, NodeId to, const std::optional<PingReply>&) override {
    pinged_[from] = to;
  }

  const Algorithm* agreed_algorithm(std::vector<NodeStatus> peers, std::vector<NodeId>& ids) const;
  void take_in();
  void serve_until(const std::function<bool()>& condition);
  std::string perform(const Held::Deed& deed, bool delivers = false);

  const Invocation& invocation_;
  Guard guard_;
  Directory directory_;
  std::deque<std::function<void()>> seen_;  // and not taken in yet
  bool has_seen_message_ = false;
  std::map<NodeId, NodeId> pinged_;  // by whom: the last one that it has pinged
  std::optional<Held> held_;
  bool runs_ = false;           // messages are delivered as they come
  std::optional<Relay> relay_;  // last: its end is the first
};

}  // namespace bully
