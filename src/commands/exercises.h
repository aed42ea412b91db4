// exercises.h: the exercises of `bully lab`: what to predict, what to do, how to see that it has
// been done, and what came of it, told by what nodes say of themselves at two looks.
//
// It goes by what a status and the algorithm's description tell, and asks nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "election/algorithm.h"
#include "trace/status.h"
#include "words/words.h"

namespace bully {

// What a look has found: the processes that reply, and those that are silent, from the lowest id.
struct Look {
  std::vector<NodeStatus> nodes;

  std::vector<NodeId> running() const { return ids(Condition::running); }
  std::vector<NodeId> silent() const { return ids(Condition::stopped); }
  // Null if there is none.
  const NodeStatus* find(NodeId id) const;
  // The one that all nodes that reply follow; null if they disagree, or if it does not reply.
  const NodeStatus* coordinator() const;
  const Algorithm& algorithm() const;
  // Whether nothing of an election has changed between the two. Pings and clocks go on.
  bool is_same(const Look& other) const;

 private:
  std::vector<NodeId> ids(Condition condition) const;
};

// What has changed between two looks.
struct Change {
  std::vector<NodeId> gone;
  std::vector<NodeId> silenced;  // each replied before
  std::vector<NodeId> come;      // each is new, or was silent before

  Change(const Look& before, const Look& now);
  std::size_t count() const { return gone.size() + silenced.size() + come.size(); }
};

// The messages between two looks, of those whose counts are known at both.
struct Exchanged {
  MessageCounts sent;
  MessageCounts received;
  std::vector<NodeId> counted;
  // Of the others:
  std::vector<NodeId> unseen_before;
  std::vector<NodeId> unseen_now;

  Exchanged(const Look& before, const Look& now);
};

// Those that reply and are coordinator, or were when stopped: nobody can have told them since.
std::vector<NodeId> believers(const Look& before, const Look& now);
// With which an election begins.
MessageType first_type(const Algorithm& algorithm);
// How many of these came; and the textbook's fewest and most for a lost coordinator.
std::uint64_t first_messages(const Look& before, const Look& now);
struct CountRange {
  std::uint64_t fewest = 0;
  std::uint64_t most = 0;
};
CountRange textbook_range(const Algorithm& algorithm, const std::vector<NodeId>& survivors);

enum class Deed : std::uint8_t {
  kill_coordinator,
  stop_coordinator,
  resume_stopped,
  start_highest,
  kill_other,
};
// To which process it should be done. REQUIRES: there is a coordinator, and whom the deed needs.
NodeId subject_of(Deed deed, const Look& before);
// Whether that has happened, and nothing else. It need not be that process if another would do.
bool is_done(Deed deed, const Look& before, const Change& change);

struct Exercise {
  Text title;
  Text question;  // what to predict
  Text what_to_do;
  Text outcome;
  std::string_view why;  // the key of the explanation; an algorithm may have its own: KEY_NAME
  Deed deed;
  std::uint64_t (*measure)(const Look& before, const Look& now);  // what was to be predicted
};
std::span<const Exercise> exercises();

}  // namespace bully
