// bounds.h: within which bounds a test explores, in words.
#pragma once

#include "sim/explorer.h"

namespace bully {

inline ExploreOptions asynchronous(ExploreOptions options) {
  options.timing = Timing::asynchronous;
  options.false_alarms = 1;
  return options;
}

inline ExploreOptions starting(ExploreOptions options) {
  options.beginning = Beginning::starting;
  return options;
}

}  // namespace bully
