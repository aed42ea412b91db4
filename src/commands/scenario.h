// scenario.h: a play as a student sees it: what the lesson says, what the processes do, pictures of
// the moments it stops at, and whether it kept what it promised.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "sim/play.h"
#include "view/log.h"

namespace bully {

struct PlayStyle {
  LogStyle log = {};
  bool quiet = false;         // no log and no steps
  bool answers = false;       // the question at the end
  std::int64_t start_ns = 0;  // what the log's time column counts from
  Log::Output output = {};
  std::function<void(const Step&)> on_step = {};  // before what is said of it
};

// The stage tells the sink, which is the log, all that happens on it.
PlayResult show_play(const Scenario& scenario, const PlayStyle& style,
                     const std::function<std::unique_ptr<Backend>(Sink&)>& make_stage);

}  // namespace bully
