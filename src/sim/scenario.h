// scenario.h: a lesson as a script, one step a line, in the order in which things happen.
//
//   title en: The coordinator crashes      (pt: likewise)
//   detector ping|eof|off                  how nodes notice; these settings come before `nodes`
//   protocol bully|naive                   the right rule, or one election per ELECTION received
//   seed 7                                 of the dice
//   delay fixed 1ms | uniform 1ms 5ms | long 1ms 400ms
//   timeout answer 500ms                   likewise: timeout coordinator, timeout ping,
//   interval ping 1s
//
//   nodes 0..7                             these processes; all follow the highest
//   crash 7     restart 7     start 9      SIGKILL; started again under the same id; a new one
//   pause 7     resume 7     slow 7 by 20  SIGSTOP; SIGCONT; its messages take 20 times as long
//   suspect 4    suspect 4 hung            4 suspects its coordinator;  also: suspect all
//   partition 0..3 from 4..7    cut 4 to 6    heal    loss 5%
//
//   run         run 2s                     until nothing more happens; for so long
//   hold                                   from here on messages wait:
//   deliver     deliver E from 4 to 6      those on their way now, or some of them
//   drop C from 6 to 4                     lose it on its way
//   expire 6 answer                        6's timer expires now
//
//   expect coordinator 6      expect coordinator 6 at 0..4      expect coordinators 6 7
//   expect state waiting at 4
//   expect messages E 6 ANSWER 3 COORDINATOR 6 all 15      sent since `nodes` or `count`
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
  std::optional<NodeId> id;  // nobody named: all that follow another
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
};
struct ExpectCoordinators {
  std::vector<NodeId> ids;  // all that believe that they are coordinator, sorted
};
struct ExpectState {
  std::string state;
  std::vector<NodeId> at;
};
struct ExpectMessages {
  std::vector<std::pair<MessageType, std::uint64_t>> sent;
  std::optional<std::uint64_t> all;
};

}  // namespace step

using Deed =
    std::variant<step::Nodes, step::Start, step::Crash, step::Pause, step::Resume, step::Slow,
                 step::Suspect, step::Partition, step::Cut, step::Heal, step::Loss, step::Run,
                 step::Hold, step::Deliver, step::Drop, step::Expire, step::Count, step::Say,
                 step::Frame, step::ExpectCoordinator, step::ExpectCoordinators, step::ExpectState,
                 step::ExpectMessages>;

struct ScenarioStep {
  int line = 0;
  std::string text;  // as written, without the blanks around it
  Deed deed;
};

struct Scenario {
  std::string name;  // of the file or the lesson
  std::string title_en;
  std::string title_pt;
  WorldOptions options;
  bool naive = false;
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

// Reads the whole script, or names the first error. `name` stands for the file in errors.
std::variant<Scenario, ScenarioError> parse_scenario(std::string_view name, std::string_view text);

}  // namespace bully
