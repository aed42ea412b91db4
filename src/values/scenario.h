// scenario.h: a lesson, as ../sim/script.h reads it from a script; and the events of its play
// (../sim/player.h), for a listener.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "base/problem.h"
#include "election/algorithm.h"
#include "election/record.h"
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

using StepResult = std::optional<Problem>;  // the reason why a step could not be played

class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on_step(const Step&) {}  // before the step is done
  virtual void on_say(Language, std::string_view) {}
  // `sent`: the messages by now, as `expect messages` counts them.
  virtual void on_frame(const Texts&, std::span<const Snapshot>, const MessageCounts& /*sent*/) {}
  virtual void on_kept(const Step&) {}  // an expectation that holds
  virtual void on_broken(const Step&, std::span<const Problem> /*wrong*/) {}
};

struct PlayResult {
  int kept = 0;    // expectations that held
  int broken = 0;  // expectations that failed, and steps that went wrong
};

}  // namespace bully
