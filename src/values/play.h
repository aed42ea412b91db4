// play.h: the events of a scenario that is played (../sim/player.h), for a listener.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "base/problem.h"
#include "election/record.h"
#include "values/script_step.h"

namespace bully {

using StepResult = std::optional<Problem>;  // the reason why a step could not be played

class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on_step(const Step&) {}  // before the step is done
  virtual void on_say(Language, std::string_view) {}
  virtual void on_frame(const Texts&, std::span<const Snapshot>) {}
  virtual void on_kept(const Step&) {}  // an expectation that holds
  virtual void on_broken(const Step&, std::span<const Problem> /*wrong*/) {}
};

struct PlayResult {
  int kept = 0;    // expectations that held
  int broken = 0;  // expectations that failed, and steps that went wrong
};

}  // namespace bully
