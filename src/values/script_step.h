// script_step.h: an act in an election, or an expectation: one line of a script.
//
// Steps come from scripts (../sim/script.h), from a person's acts on held messages
// (../stage/controlled_script.h), and from the explorer's findings (../explorer/explorer.h).
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/language.h"
#include "election/algorithm.h"

namespace bully {

// Selects messages: all of this type, from this node, to this node, as far as given.
struct MessageFilter {
  std::optional<MessageType> type = std::nullopt;
  std::optional<NodeId> from = std::nullopt;
  std::optional<NodeId> to = std::nullopt;
  // Only news of messages that found no process; without it, messages and such news alike.
  bool only_refused = false;
  // Only a single such message: its number, counted from 1 for the first to arrive.
  std::optional<std::uint64_t> only = std::nullopt;
  // Only messages with these fields.
  std::optional<FieldValues> values = std::nullopt;
};

// The kind of a step. Those from `say` on change nothing.
enum class Verb : std::uint8_t {
  // The explorer's steps at a node.
  deliver,
  expire,
  suspect,
  restart,
  crash,
  check,
  // All other acts.
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
  expect_property,
  expect_variables,
  expect_messages,
};
inline constexpr std::size_t node_verb_count = 6;

// Fields that the step's verb does not need keep their defaults.
struct Step {
  int line = 0;           // of the script that it was read from
  std::string text = {};  // as written, without the blanks around it
  Verb verb = Verb::run;

  // The nodes that the step is about; sorted, except for `ring`. Any id is valid here: only the
  // play shows if such a node exists. None: for `suspect`, all that follow another; for `expect
  // coordinator`, every node that is alive, stopped ones included.
  std::vector<NodeId> ids = {};
  std::vector<NodeId> others = {};  // partition, cut: the other side
  // suspect: the watched process, if given; check: the process to check, if given; expect
  // coordinator.
  std::optional<NodeId> whom = {};
  Suspicion reason = Suspicion::down;                 // suspect
  std::uint32_t number = 0;                           // slow: the factor; loss: parts per million
  std::optional<std::chrono::nanoseconds> time = {};  // run; none: until nothing more happens
  MessageFilter filter = {};                          // deliver, drop
  Timer timer = Timer::answer;                        // expire
  bool duly = false;                                  // expire: the timeout must be right
  // From the explorer: expire, suspect and check are wrong, which only asynchrony allows.
  bool false_alarm = false;
  // From the explorer: the node crashes in this step, after this number of messages to live nodes.
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

}  // namespace bully
