// exercises.h: the exercises of `bully lab`: the prediction, the act, how to see that it has been
// done, and its result, from the nodes' statuses at two looks.
//
// It uses only statuses and the algorithm's description, and queries no node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "election/algorithm.h"
#include "values/status.h"
#include "words/words.h"

namespace bully {

// The statuses of all processes at one look, those of silent ones as well, from the lowest id.
struct ClusterStatus {
  std::vector<NodeStatus> nodes;

  std::vector<NodeId> running() const { return ids(Condition::running); }
  std::vector<NodeId> silent() const { return ids(Condition::stopped); }
  // Null if absent.
  const NodeStatus* find(NodeId id) const;
  // The coordinator that all replying nodes follow; null if they disagree, or if it does not reply.
  const NodeStatus* coordinator() const;
  const Algorithm& algorithm() const;
  bool follows_outside_rules() const;  // whose program is known to the nodes alone
  // True if nothing about elections has changed between the two. Pings and clocks go on.
  bool is_same(const ClusterStatus& other) const;

 private:
  std::string_view algorithm_name() const;  // empty: none replies
  std::vector<NodeId> ids(Condition condition) const;
};

// The changes between two looks.
struct Change {
  std::vector<NodeId> gone;
  std::vector<NodeId> silenced;  // each replied before
  std::vector<NodeId> started;   // each is new, or was silent before

  Change(const ClusterStatus& before, const ClusterStatus& now);
  std::size_t count() const { return gone.size() + silenced.size() + started.size(); }
};

// The messages between two looks, for nodes whose counts are known at both.
struct Exchanged {
  MessageCounts sent;
  MessageCounts received;
  std::vector<NodeId> counted;
  // The other nodes:
  std::vector<NodeId> unseen_before;
  std::vector<NodeId> unseen_now;

  Exchanged(const ClusterStatus& before, const ClusterStatus& now);
};

// The processes that reply as coordinator, or did when they were stopped: no message can have
// reached those since.
std::vector<NodeId> believers(const ClusterStatus& before, const ClusterStatus& now);
MessageType first_type(const Algorithm& algorithm);
// The number of such messages; and the textbook's numbers for a lost coordinator, from the
// smallest: for each process that may notice it alone, and the largest for several.
std::uint64_t first_messages(const ClusterStatus& before, const ClusterStatus& now);
std::vector<std::uint64_t> textbook_numbers(const Algorithm& algorithm,
                                            const std::vector<NodeId>& survivors);

enum class Act : std::uint8_t {
  kill_coordinator,
  stop_coordinator,
  resume_stopped,
  start_highest,
  kill_other,
};
// The process for the act. REQUIRES: there is a coordinator, and a process that the act needs. Of a
// start, above highest_id if no id is left.
NodeId subject_of(Act act, const ClusterStatus& before);
// True if the act has happened, and nothing else. Another process may do as well.
bool is_done(Act act, const ClusterStatus& before, const Change& change);

struct Exercise {
  Text title;
  Text question;  // the question to predict
  Text what_to_do;
  Text outcome;
  std::string_view why;  // the key of the explanation; an algorithm may have another: KEY_NAME
  Act act;
  std::uint64_t (*measure)(const ClusterStatus& before,
                           const ClusterStatus& now);  // the predicted value
};
std::span<const Exercise> exercises();

}  // namespace bully
