// scenario.h: a play for a student: the lesson's text, the processes' steps, pictures of the
// moments at which it stops, and the result of its expectations.
#pragma once

#include <functional>
#include <memory>

#include "sim/play.h"
#include "view/log.h"

namespace bully {

struct PlayStyle {
  LogStyle log = {};
  bool answers = false;  // of the question at the end
  Log::Output output = {};
  std::function<void(const Step&)> on_step = {};  // before its text appears
};

// The backend passes all records to the sink, which is the log.
PlayResult show_play(const Scenario& scenario, const PlayStyle& style,
                     const std::function<std::unique_ptr<Backend>(Sink&)>& make_stage);

}  // namespace bully
