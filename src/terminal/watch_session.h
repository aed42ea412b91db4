// watch_session.h: `bully watch`: on a terminal a screen that responds to keys, elsewhere a line
// for each change.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/time.h"
#include "terminal/invocation.h"
#include "view/watch_screen.h"

namespace bully {

class HoldSession;

struct WatchSettings {
  WatchView view = {};
  std::vector<std::string> traces = {};
  Duration interval = std::chrono::milliseconds(250);
  std::vector<std::string> starting = {};  // the options with which R starts a process
};

// Runs until the user or a signal ends it. `hold`: the place where messages wait, or null. Returns
// the exit status. Throws SetupError.
int run_watch(const WatchSettings& settings, const Invocation& invocation, HoldSession* hold);

}  // namespace bully
