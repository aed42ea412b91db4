// scenario.h: a lesson as a script, one step a line, in the order in which things happen.
//
// ../help/12-scenario.en.txt (`bully help scenario`) tells the language. Beside what stands there,
// a script may expect the variables of a process, `expect d 4 e 4 f nothing at 1`, and label one
// picture in each language, by `frame en: …` and `frame pt: …` on the next line.
//
// This unit reads scripts, and has those that are built in, the lessons; it plays nothing. Read
// next: play.h.
#pragma once

#include <chrono>
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
  // for `expect coordinator`, every node that is alive, stopped ones too.
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
