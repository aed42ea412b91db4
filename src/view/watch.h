// watch.h: the nodes of a cluster: as a table, and as `bully watch` shows them on a screen.
//
// What a watch knows comes from status snapshots and from the records of a trace, if there is one.
// Only the trace shows messages; without it the log below the nodes tells what changed from one
// snapshot to the next. That a node was killed or stopped only the snapshots show. It asks nobody,
// reads no file and knows no terminal: see ../commands/watch.cc for these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "election/record.h"
#include "trace/status.h"
#include "view/last_election.h"
#include "view/log.h"
#include "view/waiting.h"

namespace bully {

struct WatchView {
  std::size_t columns = 80;
  std::size_t rows = 24;
  bool paused = false;
  bool pings = false;
  bool explains = false;  // the log has the rule behind each step
  bool draws = false;     // the messages as a space-time diagram, in place of the log
  bool helps = false;     // what the keys do, in place of it
  std::string place;      // what is watched: the directory
  std::string said;       // takes the place of the keys for a while, if it is not empty
  std::optional<HeldView> held = std::nullopt;  // if messages are held
};

class Watch {
 public:
  // Each line of the log also goes to `also`, if given.
  Watch(LogStyle style, const TimeColumn& time, Log::Output also = nullptr);

  // What has been seen: of every name in the directory, and in the trace since the last time. Read
  // the trace after the status: so a node that has left has said so. `now_ns` is the trace's clock.
  void update(const std::vector<NodeStatus>& peers, std::vector<Record> records,
              std::int64_t now_ns);
  // Says so in the log, once: that a trace has a line that is none, say.
  void tell_once(std::int64_t now_ns, Text words, const std::string& value);

  // Nodes that have been silent so long that asking them now and then is enough.
  std::vector<NodeId> silent() const;
  // Takes in what these records, which update() gets as well, say of processes that a recorder
  // sees from outside, and returns which these are: nobody should ask them for their status, since
  // they need not know such a question.
  std::vector<NodeId> meet_observed(const std::vector<Record>& records);

  // Selects a node `rows` further down, or up; the last one at most.
  void move_selection(std::ptrdiff_t rows);
  std::optional<NodeId> selected() const { return selected_; }
  // What it last said.
  std::optional<NodeStatus> selected_status() const;

  // The screen: exactly `view.rows` lines of exactly `view.columns` columns, the last of them the
  // keys. It scrolls to where the selected node is.
  std::vector<std::string> screen();

  WatchView view;

 private:
  struct Node {
    static constexpr unsigned silent_after = 2;  // one late reply is no sign; two are
    NodeStatus seen;          // its kind and PID are the latest; the rest is what it last said
    unsigned unanswered = 0;  // snapshots in a row
    bool is_paused = false;   // as the trace says
    std::int64_t gone_ns = 0;
    bool is_silent() const { return unanswered >= silent_after; }
    bool is_gone() const { return seen.condition == Condition::crashed; }
    bool is_stopped() const {
      return seen.condition == Condition::stopped && (is_paused || seen.is_halted);
    }
    // Stopped as coordinator, it has not heard of another.
    bool believes() const { return is_stopped() && seen.is_coordinator(); }
  };

  void take(const Record& record);
  void take(const Record& record, Node& node);
  void notice(const NodeStatus& peer);
  void hear(Node& node, const NodeStatus& status, bool is_new);
  void tell_changes(const NodeStatus& before, const NodeStatus& now);
  void lose(Node& node, bool is_stale);
  void select_coordinator();
  void remark(NodeId node, Text words, const std::string& value = "");
  void remark(std::optional<NodeId> node, std::string_view words);
  void record(const Record& record);

  std::string title(std::size_t shown) const;
  std::string agreement() const;
  std::string election() const;
  std::vector<const Algorithm*> algorithms_run() const;
  std::vector<std::string> table() const;
  // What stands below the nodes: so many lines at most, the latest.
  std::vector<std::string> told(std::size_t rows) const;
  void scroll_to_selection(std::size_t shown);

  // A log, and its latest lines.
  class Told {
   public:
    Told(const LogStyle& style, const TimeColumn& time, Log::Output also);
    Told(const Told&) = delete;
    Told& operator=(const Told&) = delete;

    Log log;
    std::deque<std::string> lines;

   private:
    void keep(std::string_view text);

    Log::Output also_;
  };

  LogStyle style_;
  Told plain_;
  Told explained_;             // with the rule behind each step
  std::deque<Record> latest_;  // of the traces
  std::map<NodeId, Node> nodes_;
  // Processes that a recorder sees, as far as it has told.
  std::map<NodeId, NodeStatus> observed_;
  // Nodes that the trace tells of, and whether it says that they have left.
  std::map<NodeId, bool> has_left_;
  std::set<std::pair<Text, std::string>> told_;
  std::int64_t now_ns_ = 0;  // of what is told now
  LastElection election_;
  std::optional<NodeId> selected_;
  bool is_selection_made_ = false;  // by the user, or because there was a coordinator
  std::size_t first_row_ = 0;
  bool is_first_ = true;
};

}  // namespace bully
