// step.h: what happens next in an election, or what is expected of it: one line of a script.
//
// Scripts are read as steps (scenario.h); what a person does with messages that wait becomes steps
// (../stage/held.h), and so does what the explorer finds (explorer.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "election/algorithm.h"
#include "sim/world.h"
#include "words/language.h"

namespace bully {

// What a step does. Those from `say` on only look: they change nothing.
enum class Verb : std::uint8_t {
  // What the explorer lets happen at a node.
  deliver,
  expire,
  suspect,
  restart,
  crash,
  check,
  // All else that happens.
  nodes,
  start,
  leave,
  ring,
  pause,
  resume,
  slow,
  partition,
  cut,
  heal,
  loss,
  run,
  hold,
  drop,
  count,
  say,
  frame,
  expect_coordinator,
  expect_coordinators,
  expect_state,
  expect_group,
  expect_property,
  expect_variables,
  expect_messages,
};
inline constexpr std::size_t node_verb_count = 6;

// Fields that its verb does not need keep their defaults.
struct Step {
  int line = 0;           // of the script that it was read from, as is the next
  std::string text = {};  // as written, without the blanks around it
  Verb verb = Verb::run;

  // Whom it is about, or where something is expected; sorted, but for `ring`. Ids are as written:
  // whether such a node exists turns out in the play. None: for `suspect`, all that follow another;
  // for `expect coordinator`, every node that is alive, stopped ones too.
  std::vector<NodeId> ids = {};
  std::vector<NodeId> others = {};  // partition, cut: the other side
  // suspect: the one it watches, if named; check: at whom it looks, if named; expect coordinator;
  // expect group: who created it.
  std::optional<NodeId> whom = {};
  Suspicion reason = Suspicion::down;                 // suspect
  std::uint32_t number = 0;                           // slow: the factor; loss: parts per million
  std::optional<std::chrono::nanoseconds> time = {};  // run; none: until nothing more happens
  MessageFilter filter = {};                          // deliver, drop
  Timer timer = Timer::answer;                        // expire
  bool duly = false;                                  // expire: it must be right to
  // From the explorer: expire, suspect and check are wrong, which only asynchrony allows.
  bool false_alarm = false;
  // From the explorer: in this step the node crashes, after so many messages to live nodes.
  std::optional<unsigned> crash_after = {};
  Language language = Language::english;  // say
  Texts words = {};                       // say, in its language; frame: the label
  bool denied = false;                    // expect no coordinator
  const Property* property = nullptr;     // expect property
  std::string state = {};                 // expect state
  std::vector<std::pair<std::string_view, std::optional<NodeId>>> values = {};  // of variables
  std::vector<std::pair<MessageType, std::uint64_t>> sent = {};                 // expect messages
  std::optional<std::uint64_t> all = {};                                        // expect messages
  std::optional<std::uint64_t> at_most = {};  // expect messages: of all

  // REQUIRES: !ids.empty().
  NodeId id() const { return ids.front(); }
  bool is_expectation() const { return verb >= Verb::expect_coordinator; }
};

// How scripts name a message in full ("ELECTION", "VALUE", …), and what happens ("crash").
std::string message_word(MessageType type);
std::string_view word_of(Verb verb);
// The line of a script for this. REQUIRES: it stands before `say`.
std::string line_of(const Step& step);
// " 1 3..5 7"
std::string ranges_of(std::span<const NodeId> ids);

}  // namespace bully
