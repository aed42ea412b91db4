// scenario.h: a lesson, as ../sim/script.h reads it from a script.
#pragma once

#include <string>
#include <vector>

#include "base/language.h"
#include "base/problem.h"
#include "election/algorithm.h"
#include "values/script_step.h"
#include "values/world_options.h"

namespace bully {

struct Scenario {
  std::string name;  // of the file or the lesson
  Texts title;
  std::string concept_name = {};  // the heading in lists; or empty
  // A hint shown before the play; a question after it, and its answer.
  Texts watch = {};
  Texts question = {};
  Texts answer = {};
  const Variant* variant = nullptr;  // of the algorithm; null: the correct one
  WorldOptions options;
  std::vector<Step> steps;

  const Algorithm& algorithm() const { return *options.algorithm; }
};

// The place of an error in a script. Lines and columns count from 1; a column is one byte.
struct ScenarioError {
  std::string file;
  int line = 0;
  int column = 0;
  Problem expected;
  std::string found;  // the offending word, or empty at the end of the line
};

}  // namespace bully
