// scenario.h: a lesson as a script, one step a line, in the order in which things happen.
//
//   title en: The coordinator crashes      (pt: likewise)
//   algorithm bully                        or another of the table (../election/algorithm.h)
//   protocol bully|naive                   the right rule, or one election per ELECTION received
//   detector ping|eof|off                  how nodes notice; these settings come before `nodes`
//   links fifo|reorder                     may messages on one link overtake one another? They may
//                                          not where the algorithm is one for a ring
//   seed 7                                 of the dice
//   delay fixed 1ms | uniform 1ms 5ms | long 1ms 400ms
//   timeout answer 500ms                   likewise: timeout coordinator, timeout ping,
//   interval ping 1s
//
//   nodes 0..7                             these processes; all follow the highest
//   ring 1 3 2 4                           from now on they stand so on the ring, clockwise; else
//   by
//                                          id
//   crash 7     restart 7     start 9      SIGKILL; started again under the same id; a new one
//   leave 7     leave 4..7                 SIGTERM: it goes, and takes its name along
//   pause 7     resume 7     slow 7 by 20  SIGSTOP; SIGCONT; its messages take 20 times as long
//   suspect 4    suspect 4 hung            4 suspects whom it watches: its coordinator; on a ring,
//                                          during an election, its neighbour
//   suspect 4 of 7 hung                    and it must be 7 that it watches
//   suspect all                            all that follow another suspect it
//   partition 0..3 from 4..7    cut 4 to 6    heal    loss 5%
//
//   run         run 2s                     until nothing more happens; for so long
//   hold                                   from here on messages wait:
//   deliver     deliver E from 4 to 6      those on their way now, or some of them,
//   deliver E from 4 to 6 only 2           or only the second oldest of these; messages are E or
//                                          ELECTION, PE or ANSWER, C or COORDINATOR; on a ring V
//                                          or VALUE, V2 or SECOND, L or LEADER, J or JOIN
//   deliver gone from 7 to 4               4 learns that 7, to which it wrote, is gone
//   drop C from 6 to 4                     lose it on its way
//   expire 6 answer                        6's timer expires now;
//   expire 6 answer duly                   and must be right to: see World::is_due
//
//   expect coordinator 6      expect coordinator 6 at 0..4      expect coordinators 6 7
//   expect no coordinator 4 at 4           it does not follow that one
//   expect state waiting at 4              the algorithm's own words: expect state relay at 2 3
//   expect d 4 e 4 f 3 at 1                its variables; `nothing` for one without a value
//   expect messages E 6 ANSWER 3 COORDINATOR 6 all 15      sent since `nodes` or `count`
//   expect messages at most 15
//   count                                  count from zero
//
//   en: what a lecturer would say          pt: o que diria o professor
//   frame (a) any label                    a picture of this moment
//   # a comment
//
// This unit reads scripts; it plays nothing. Read next: stage.h.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "election/protocol.h"
#include "sim/world.h"

namespace bully {

enum class ScriptLanguage : std::uint8_t { english, portuguese };

// What a step does. Ids are as written; whether such a node exists turns out on the stage.
namespace step {

struct Nodes {
  std::vector<NodeId> ids;
};
struct Start {  // and restart
  NodeId id = 0;
};
struct Crash {
  NodeId id = 0;
};
struct Leave {
  std::vector<NodeId> ids;
};
struct Ring {  // clockwise
  std::vector<NodeId> ids;
};
struct Pause {
  NodeId id = 0;
};
struct Resume {
  NodeId id = 0;
};
struct Slow {
  NodeId id = 0;
  std::uint32_t factor = 1;
};
struct Suspect {
  std::optional<NodeId> id;    // nobody named: all that follow another
  std::optional<NodeId> whom;  // nobody named: whoever it watches
  Suspicion reason = Suspicion::down;
};
struct Partition {  // between each of these and each of those, both ways
  std::vector<NodeId> these;
  std::vector<NodeId> those;
};
struct Cut {
  NodeId from = 0;
  NodeId to = 0;
};
struct Heal {};
struct Loss {
  std::uint32_t parts_per_million = 0;
};
struct Run {
  std::optional<std::chrono::nanoseconds> time;  // none: until nothing more happens
};
struct Hold {};
struct Deliver {
  MessageFilter filter;
};
struct Drop {
  MessageFilter filter;
};
struct Expire {
  NodeId id = 0;
  Timer timer = Timer::answer;
  bool duly = false;
};
struct Count {};
struct Say {
  ScriptLanguage language = ScriptLanguage::english;
  std::string text;
};
struct Frame {
  std::string label;
};
struct ExpectCoordinator {
  NodeId coordinator = 0;
  std::vector<NodeId> at;  // empty: at every node that runs
  bool denied = false;     // it is not the coordinator there
};
struct ExpectCoordinators {
  std::vector<NodeId> ids;  // all that believe that they are coordinator, sorted
};
struct ExpectState {
  std::string state;
  std::vector<NodeId> at;
};
struct ExpectVariables {
  std::vector<std::pair<std::string, std::optional<NodeId>>> values;
  std::vector<NodeId> at;
};
struct ExpectMessages {
  std::vector<std::pair<MessageType, std::uint64_t>> sent;
  std::optional<std::uint64_t> all;
  std::optional<std::uint64_t> at_most;  // of all
};

}  // namespace step

using Deed =
    std::variant<step::Nodes, step::Start, step::Crash, step::Pause, step::Resume, step::Slow,
                 step::Suspect, step::Partition, step::Cut, step::Heal, step::Loss, step::Run,
                 step::Hold, step::Deliver, step::Drop, step::Expire, step::Count, step::Say,
                 step::Frame, step::ExpectCoordinator, step::ExpectCoordinators, step::ExpectState,
                 step::ExpectVariables, step::ExpectMessages, step::Leave, step::Ring>;

struct ScenarioStep {
  int line = 0;
  std::string text;  // as written, without the blanks around it
  Deed deed;
};

struct Scenario {
  std::string name;  // of the file or the lesson
  std::string title_en;
  std::string title_pt;
  const Algorithm* algorithm = &default_algorithm();
  bool naive = false;
  WorldOptions options;
  std::vector<ScenarioStep> steps;
};

// Where a script is wrong. Lines and columns count from 1; a column is one byte.
struct ScenarioError {
  std::string file;
  int line = 0;
  int column = 0;
  std::string expected;
  std::string found;  // the offending word, or empty at the end of the line

  // "FILE:LINE:COLUMN: expected …, found …"
  std::string message() const;
};

// Reads the whole script, or names the first error. `name` stands for the file in errors. With
// `instead`, another algorithm takes the place of the script's; a script that goes step by step, or
// expects what only its own algorithm does, cannot be played so, and that is an error.
std::variant<Scenario, ScenarioError> parse_scenario(std::string_view name, std::string_view text,
                                                     const Algorithm* instead = nullptr);

}  // namespace bully
