// watch.h: a cluster as `bully watch` shows it: what is known of each node, and a screen of it.
//
// What is known comes from status snapshots and, where there is a trace, from its records. Messages
// can be seen in the trace alone; without it the log below the nodes tells what changed from one
// snapshot to the next. That a node was killed or stopped no trace can say: that always comes
// from the snapshots.
// It asks nobody, reads no file and knows no terminal: see ../commands/watch.cc for these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "election/record.h"
#include "trace/status.h"
#include "view/last_election.h"
#include "view/log.h"

namespace bully {

// What the person at the screen has chosen.
struct WatchView {
  std::size_t columns = 80;
  std::size_t rows = 24;
  bool paused = false;
  bool pings = false;
  std::string place;  // what is watched: the directory
  std::string said;   // takes the place of the keys for a while, where it is not empty
};

class Watch {
 public:
  // A line of the log goes to `also`, too, where there is one.
  Watch(LogStyle style, TimeColumn time, Log::Output also = nullptr);

  // What has been seen: of every name in the directory, and in the trace since the last time. Read
  // the trace after the status: so a node that has left has said so. `now_ns` is the trace's clock.
  void update(const std::vector<PeerStatus>& peers, std::vector<Record> records,
              std::int64_t now_ns);
  // Says in the log that a trace has such a line: "FILE:LINE: why".
  void tell_damage(std::int64_t now_ns, const std::string& damage);
  // Whether the log tells pings from now on.
  void tell_pings(bool pings) { pings_ = pings; }

  // Nodes that have been silent for so long that they need be asked only now and then.
  std::vector<NodeId> silent() const;

  // Selects the node that stands so many rows further down, or up; as far as there are any.
  void move_selection(std::ptrdiff_t rows);
  std::optional<NodeId> selected() const { return selected_; }

  // The screen: exactly `view.rows` lines of exactly `view.columns` columns, the last of them the
  // keys. It scrolls to where the selected node is.
  std::vector<std::string> screen(const WatchView& view);

 private:
  struct Node {
    PeerStatus seen;  // its kind is the latest; the rest is what it last said
    std::int64_t reported_pid = 0;
    unsigned unanswered = 0;  // snapshots in a row
    bool gone = false;
    std::int64_t gone_ns = 0;
  };

  void take(const Record& record);
  void notice(const PeerStatus& peer, std::int64_t now_ns);
  void hear(Node& node, const NodeStatus& status, bool is_new, std::int64_t now_ns);
  void tell_changes(const NodeStatus& before, const NodeStatus& now, std::int64_t now_ns);
  void lose(NodeId id, Node& node, bool is_stale, std::int64_t now_ns);
  void remark(std::int64_t now_ns, NodeId node, Text words, const std::string& value = "");
  void keep_lines(std::string_view lines);

  std::string title(const WatchView& view, std::size_t first, std::size_t shown) const;
  std::string agreement() const;
  std::string election() const;
  // What the nodes run, as far as they have told.
  std::vector<const Algorithm*> algorithms_run() const;
  std::vector<std::string> table(bool pings) const;
  void scroll_to_selection(std::size_t shown);

  LogStyle style_;
  Log::Output also_;
  Log log_;
  std::deque<std::string> lines_;  // of the log, the latest
  std::map<NodeId, Node> nodes_;
  // Nodes that the trace tells of, and whether it says that they have left.
  std::map<NodeId, bool> has_left_;
  LastElection election_;
  std::optional<NodeId> selected_;
  std::size_t first_row_ = 0;
  bool pings_ = false;
  bool is_first_ = true;
};

// The first so many columns of a line, filled up with spaces. Colours need no column.
std::string fitted(std::string_view line, std::size_t columns);

}  // namespace bully
