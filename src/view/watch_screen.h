// watch_screen.h: the nodes of a cluster on the screen of `bully watch`.
//
// A watch gets its data from status snapshots and from the records of a trace, if there is one.
// Only the trace shows messages; without it the log below the nodes shows the changes from one
// snapshot to the next. Only the snapshots show that a node was killed or stopped. This unit
// queries no node, reads no file and knows no terminal: ../terminal/watch_session.cc does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "election/algorithm.h"
#include "election/message.h"
#include "election/protocol.h"
#include "election/record.h"
#include "history/history.h"
#include "values/status.h"
#include "view/log.h"

namespace bully {

// Messages that are held for the person at the screen. ../stage/controlled_script.h decides which,
// and what happens to them.
struct HeldMessages {
  bool has_begun = false;
  bool is_released = false;  // messages are delivered as they come
  std::vector<Send> waiting = {};
  std::size_t selected = 0;
  std::size_t lines = 0;  // of the script
  std::string last_line = {};
  std::string cut = {};           // the line that has cut the network, while it is cut
  bool has_script_ended = false;  // a process came or acted by itself
};

// The heading: the number of messages, and the latest step of the script.
// Cut between two words if it is wider than `columns`.
std::string held_heading(const HeldMessages& held, std::size_t columns, Language language);
// `sender_columns`: of the widest id. The places of the columns do not depend on the messages.
// "> 4 ───── ELECTION ─────▶ 7", `columns` wide: at most `most`, the selected one among them.
std::vector<std::string> held_rows(const HeldMessages& held, std::size_t most, std::size_t columns,
                                   const LogStyle& style, std::size_t sender_columns);

struct WatchView {
  std::size_t columns = 80;
  std::size_t rows = 24;
  bool paused = false;
  bool pings = false;
  bool explains = false;  // the log has the rule behind each step
  bool draws = false;     // the messages as a space-time diagram, in place of the log
  bool helps = false;     // the meaning of the keys, in place of it
  std::string place;      // the watched directory
  std::string message;    // if not empty, replaces the keys for a while
  std::optional<HeldMessages> held = std::nullopt;  // if messages are held
};

class Watch {
 public:
  // Each line of the log also goes to `also`, if given.
  Watch(LogStyle style, const TimeColumn& time, const Log::Output& also = nullptr);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Takes the present statuses of all names in the directory, and the trace's records since the
  // last time. Read the trace after the statuses: so a node that has left has recorded that.
  // `now_ns` is the trace's clock.
  void update(const std::vector<NodeStatus>& peers, std::vector<Record> records,
              std::int64_t now_ns);
  // Shows this in the log, once, as of the last update: for example that a trace has an invalid
  // line.
  void note_once(Text words, const std::string& value);

  // Nodes that have been silent for so long that an occasional query is enough.
  std::vector<NodeId> silent() const;
  // Takes from these records, which update() gets as well, the processes that a recorder observes,
  // and returns their ids: do not query these for their status, since they need not know such a
  // question.
  std::vector<NodeId> meet_observed(const std::vector<Record>& records);

  // Selects a node `rows` further down, or up; the last one at most. Until this, or until
  // keep_selection(), the coordinator is selected, and stays so when it stops or dies.
  void move_selection(std::ptrdiff_t rows);
  void keep_selection() { is_selection_made_ = true; }
  std::optional<NodeId> selected() const { return selected_; }
  std::optional<NodeStatus> selected_status() const;

  // The screen: exactly `view.rows` lines of exactly `view.columns` columns, the last of them the
  // keys. It scrolls to the selected node.
  std::vector<std::string> screen();

  WatchView view;

 private:
  // A row of the screen: the latest status, and how long ago and how surely it is known.
  struct Node {
    static constexpr unsigned silent_after = 2;  // one late reply is no sign; two are
    NodeStatus seen;          // its kind and PID are the latest; the rest is from its latest reply
    unsigned unanswered = 0;  // snapshots in a row
    bool is_paused = false;   // as the trace shows
    bool was_there = false;   // the first look has found its name
    bool is_known = false;    // it has replied
    bool has_left = false;    // in good order; a killed one stays, so that it can be started again
    std::int64_t gone_ns = 0;
    bool is_silent() const { return unanswered >= silent_after; }
    bool is_gone() const { return seen.condition == Condition::crashed; }
    bool is_stopped() const {
      return seen.condition == Condition::stopped && (is_paused || seen.is_halted);
    }
    // True if it was stopped as coordinator, and no message of another has reached it since.
    bool believes() const { return is_stopped() && seen.is_coordinator(); }
  };

  void take(const Record& record);
  void take(const Record& record, Node& node);
  void notice(const NodeStatus& peer);
  void take_reply(Node& node, const NodeStatus& status);
  void log_changes(const NodeStatus& before, const NodeStatus& now);
  void lose(Node& node, bool is_stale);
  void select_coordinator();
  void remark(std::optional<NodeId> node, Text words, const std::string& value = "");
  void record(const Record& record);

  std::string title(std::size_t shown) const;
  std::string agreement() const;
  std::string election() const;
  std::vector<const Algorithm*> algorithms_run() const;
  std::vector<std::string> table() const;
  // The part below the nodes: this number of lines at most, the latest.
  std::vector<std::string> lower_part(std::size_t rows) const;
  std::vector<std::string> footer() const;
  void scroll_to_selection(std::size_t shown);

  LogStyle style_;
  Log plain_;
  Log explained_;  // with the rule behind each step
  // Their latest lines.
  std::deque<std::string> plain_lines_;
  std::deque<std::string> explained_lines_;
  std::deque<Record> latest_;  // latest records of the traces
  std::map<NodeId, Node> nodes_;
  // Processes that a recorder observes, by its records so far.
  std::map<NodeId, NodeStatus> observed_;
  // Processes in the trace: the latest of each id, and whether it records their end.
  struct Traced {
    std::int64_t pid = 0;
    bool has_ended = false;
  };
  std::map<NodeId, Traced> traced_;
  std::set<std::pair<Text, std::string>> noted_;
  std::int64_t now_ns_ = 0;  // of the event shown now
  History history_;          // as the trace shows it
  std::size_t records_ = 0;
  // Of nodes without a trace: the messages of elections that they sent since a look that found
  // none.
  MessageCounts untraced_;
  bool untraced_has_sent_ = false;
  bool untraced_is_calm_ = true;
  std::optional<NodeId> selected_;
  bool is_selection_made_ = false;  // by the user
  bool has_selected_coordinator_ = false;
  std::size_t first_row_ = 0;
  bool is_first_ = true;
};

}  // namespace bully
