// elections.h: the elections of a run, as its records show them, and their messages.
//
// An election begins with the first process that takes part after a calm: it starts, or comes to a
// state in which it follows no coordinator, or sends messages of an election that no message asked
// for, or only a message that came after its own election. If it has lost its coordinator, the
// election begins with that one's end or stop, where a record shows it. It is over when all live
// processes that took a step in it follow one live coordinator, no live process follows a lost one,
// and none of its messages is in flight to a live process. This unit never judges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "election/algorithm.h"

namespace bully {

class History;
struct Life;

inline constexpr std::size_t no_record = static_cast<std::size_t>(-1);

struct Moment {
  std::size_t record = no_record;
  std::int64_t t_ns = 0;
};

// True if who suspects its coordinator for this reason takes it for ended or stopped.
inline bool is_loss(std::string_view reason) {
  return reason == "down" || reason == "hung";
}

// A process that began to take part without being asked.
struct Detection {
  Moment when = {};
  NodeId node = 0;
  // The cause: its suspicion ("down", "hung", "deposed", "found"); "start": it started, or came
  // back under its old id; "resumed": it was stopped or unreachable.
  std::string_view trigger = {};
  std::optional<NodeId> suspected = std::nullopt;

  bool is_of_loss() const { return is_loss(trigger); }
};

struct Election {
  std::size_t number = 0;  // from 1, by time
  Moment first = {};
  Moment last = {};  // its latest record so far; other elections' records may lie between
  // The record since which all have followed the winner; nothing: not yet.
  std::optional<Moment> settled = std::nullopt;
  bool is_over = false;
  std::optional<NodeId> winner = std::nullopt;  // nothing: not yet, or all had left
  std::optional<Moment> won = std::nullopt;     // it took office, or announced itself again
  std::vector<Detection> detections = {};  // may be empty: a late message can start one as well
  std::vector<NodeId> survivors = {};      // when it ended, from the lowest

  // The coordinator whose loss began it, with its last sign: the `stop`, `crash` or `pause`, which
  // is the moment itself, or else its last line before.
  std::optional<NodeId> lost_coordinator = std::nullopt;
  std::optional<Moment> last_sign = std::nullopt;
  bool is_moment_of_loss = false;

  // Its messages.
  MessageCounts sent = {};
  MessageCounts delivered = {};
  MessageCounts lost = {};
  std::uint64_t refused = 0;     // lost because a process is gone; with a ring not counted as sent
  bool lost_on_the_way = false;  // for another reason
  std::map<NodeId, int> receivers = {};  // and how many messages each was sent
  std::set<NodeId> askers = {};          // for an election in which they take part
  std::set<std::uint64_t> epochs = {};   // of the messages that carry a number
  std::map<NodeId, NodeId> next = {};    // by sender: the receiver of its latest arrived message
  // Processes that began, ended, were stopped or did not react meanwhile.
  std::set<NodeId> changed = {};
};

// As many elections are worth a paragraph of a report. The survivors are kept of these, and of the
// last election.
inline constexpr std::size_t most_described = 200;

class Elections {
 public:
  // The next record. `history` has taken it.
  void take(const History& history, const Record& record, std::size_t i);
  // A process under this id began, ended, was stopped or did not react.
  void change(NodeId node);

  // By time; the last one may still go on.
  const std::vector<Election>& all() const { return all_; }
  bool goes_on() const { return !all_.empty() && !all_.back().is_over; }

 private:
  Election* of_sending(std::size_t record);
  void open(const History& history, const Life& life, Moment now);
  void detect(const History& history, const Life& life);
  void count(const History& history, const Record& record, Moment now);
  void close_if_over(const History& history, Moment now);
  bool is_settled(const History& history, std::optional<NodeId>& coordinator);
  bool is_waited_for(const History& history);

  std::vector<Election> all_;
  std::size_t over_at_ = 0;          // the record with which the latest election was over
  std::optional<std::size_t> left_;  // a coordinator's life that ended since the latest election
  // Of the present election: the lives that took a step in it; a life that is undecided; a
  // message in flight; and by process when it took office or announced itself.
  std::set<std::size_t> stepped_;
  std::optional<std::size_t> undecided_;
  std::size_t waited_for_ = 0;
  std::map<NodeId, Moment> won_;
};

}  // namespace bully
