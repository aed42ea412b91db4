// scenario.h: a lesson as a script, one step a line, in the order in which things happen.
//
// ../help/12-scenario.en.txt (`bully help scenario`) tells the language. Beside what stands there,
// a script may expect the variables of a process, `expect d 4 e 4 f nothing at 1`, and label one
// picture in each language, by `frame en: …` and `frame pt: …` on the next line.
//
// This unit reads scripts, and has the built-in ones, the lessons; it plays nothing.
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
#include "sim/step.h"
#include "sim/world.h"
#include "trace/trace.h"
#include "words/language.h"

namespace bully {

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
  std::vector<Step> steps;
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

// A script that is built in, with its explanation in both languages: a file of ../lessons.
struct Lesson {
  std::string_view name;
  std::string_view text;  // the script
};

// All of them, in the order in which a course would show them. The Makefile writes this function.
std::span<const Lesson> lessons();
std::optional<std::string_view> find_lesson(std::string_view name);

}  // namespace bully
