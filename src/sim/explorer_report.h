// explorer_report.h: what an exploration found, as text. Pure functions.
//
// Read next: explorer.h.
#pragma once

#include <chrono>
#include <string>

#include "sim/explorer.h"

namespace bully {

// One line, without a newline: "deliver ELECTION from 1 to 2", "3 crashes", …
std::string explore_step_text(const ExploreStep& step);

// A violation's steps, numbered, one a line; then those of its cycle, if it has one.
std::string explore_steps_text(const Violation& violation);

// A table of the figures, the verdict, and the counterexample if there is one. `elapsed`: how long
// the search took, for the rate.
std::string explore_report(const ExploreOptions& options, const ExploreResult& result,
                           std::chrono::nanoseconds elapsed);

}  // namespace bully
