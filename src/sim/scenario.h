// scenario.h: a lesson as a script, one step a line, in the order in which things happen.
//
//   title en: The coordinator crashes      (pt: likewise)
//   concept detectors                      under which heading lists show it
//   watch en: What to look for             before it is played; `question en: …` after it, and
//                                          `answer en: …` for those who ask for it
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
//   ring 1 3 2 4                           from now on they stand so on the ring, clockwise, rather
//                                          than by id
//   crash 7     restart 7     start 9      SIGKILL; started again under the same id; a new one
//   leave 7     leave 4..7                 SIGTERM: it goes, and takes its name along
//   pause 7     resume 7     slow 7 by 20  SIGSTOP; SIGCONT; its messages take 20 times as long
//   suspect 4    suspect 4 hung            4 suspects the one it watches: its coordinator; on a
//                                          ring, during an election, its neighbour
//   suspect 4 of 7 hung                    and it must be 7 that it watches
//   suspect all                            all that follow another suspect it
//   check 7     check 7 of 2               7, as coordinator, looks at the others (where the
//                                          algorithm says for what), and finds something; at 2
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
//   expect group 5 at 1 2                  they are in one group, which 5 has created
//   expect property same-task              one that a look at all processes can tell
//   expect d 4 e 4 f 3 at 1                its variables; `nothing` for one without a value
//   expect messages E 6 ANSWER 3 COORDINATOR 6 all 15      sent since `nodes` or `count`
//   expect messages at most 15
//   count                                  count from zero
//
//   en: what a lecturer would say          pt: o que diria o professor
//   frame (a) any label                    a picture of this moment; `frame en: …` and the next
//                                          line, `frame pt: …`, label one picture
//   # a comment
//
// This unit reads scripts, and has those that are built in, the lessons; it plays nothing. Read
// next: play.h.
#pragma once

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "election/algorithm.h"
#include "sim/world.h"
#include "trace/trace.h"
#include "words/language.h"

namespace bully {

// What a step does. Those from `say` on only look: they change nothing.
enum class Verb : std::uint8_t {
  nodes,
  start,  // and restart
  crash,
  leave,
  ring,
  pause,
  resume,
  slow,
  suspect,
  check,
  partition,
  cut,
  heal,
  loss,
  run,
  hold,
  deliver,
  drop,
  expire,
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

// One step. Fields that its verb does not need keep their defaults.
struct ScenarioStep {
  int line = 0;
  std::string text = {};  // as written, without the blanks around it
  Verb verb = Verb::run;

  // Whom it is about, or where something is expected; sorted, but for `ring`. Ids are as written:
  // whether such a node exists turns out in the play. None: for `suspect`, all that follow another;
  // for `expect coordinator`, every node that runs.
  std::vector<NodeId> ids = {};
  std::vector<NodeId> others = {};                    // partition, cut: the other side
  std::optional<NodeId> whom = {};                    // suspect: the one it watches, if named;
                                                      // check: at whom it looks, if named
  Suspicion reason = Suspicion::down;                 // suspect
  std::uint32_t number = 0;                           // slow: the factor; loss: parts per million
  std::optional<std::chrono::nanoseconds> time = {};  // run; none: until nothing more happens
  MessageFilter filter = {};                          // deliver, drop
  Timer timer = Timer::answer;                        // expire
  bool duly = false;                                  // expire
  Language language = Language::english;              // say
  Texts words = {};                                   // say, in its language; frame: the label
  NodeId coordinator = 0;                             // expect coordinator; group: who created it
  bool denied = false;                                // expect no coordinator
  const Property* property = nullptr;                 // expect property
  std::string state = {};                             // expect state
  std::vector<std::pair<std::string_view, std::optional<NodeId>>> values = {};  // of variables
  std::vector<std::pair<MessageType, std::uint64_t>> sent = {};                 // expect messages
  std::optional<std::uint64_t> all = {};                                        // expect messages
  std::optional<std::uint64_t> at_most = {};  // expect messages: of all

  // REQUIRES: !ids.empty().
  NodeId id() const { return ids.front(); }
  bool is_one_of(std::initializer_list<Verb> verbs) const {
    return std::ranges::find(verbs, verb) != verbs.end();
  }
  bool is_expectation() const { return verb >= Verb::expect_coordinator; }
};

struct Scenario {
  std::string name;  // of the file or the lesson
  Texts title;
  std::string concept_name = {};  // under which lists show it; or empty
  // What to look for, said before it is played; a question after it, and the answer to that.
  Texts watch = {};
  Texts question = {};
  Texts answer = {};
  const Algorithm* algorithm = &default_algorithm();
  const Variant* variant = nullptr;  // of the algorithm; null: the algorithm as it should be
  WorldOptions options;
  std::vector<ScenarioStep> steps;
};

// Where a script is wrong. Lines and columns count from 1; a column is one byte.
struct ScenarioError {
  std::string file;
  int line = 0;
  int column = 0;
  Problem expected;
  std::string found;  // the offending word, or empty at the end of the line
};

// Reads the whole script, or names the first error. `name` stands for the file in errors. With
// `instead`, another algorithm takes the place of the script's; a script that goes step by step, or
// expects what only its own algorithm does, cannot be played so, and that is an error.
std::variant<Scenario, ScenarioError> parse_scenario(std::string_view name, std::string_view text,
                                                     const Algorithm* instead = nullptr);

// How scripts name a message in full: "ELECTION", "VALUE", …, in every language.
std::string message_word(MessageType type);

// A script that is built in, with its explanation in both languages: a file of ../lessons.
struct Lesson {
  std::string_view name;
  std::string_view text;  // the script
};

// All of them, in the order in which a course would show them. The Makefile writes this function.
std::span<const Lesson> lessons();
// The lesson's script, if there is one of this name.
std::optional<std::string_view> find_lesson(std::string_view name);

}  // namespace bully
