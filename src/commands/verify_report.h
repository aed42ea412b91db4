// verify_report.h: what an exploration found, as text in the user's language. Pure functions.
//
// It stands here and not in ../view because it speaks of the explorer, which the views do not know.
// Read next: ../sim/explorer.h.
#pragma once

#include <chrono>
#include <string>

#include "sim/explorer.h"
#include "view/text.h"

namespace bully {

// One line, without a newline: "deliver ELECTION from 1 to 2", "3 crashes", …
std::string explore_step_text(const ExploreStep& step, Language language);

// A violation's steps, numbered, one a line; then those of its cycle, if it has one.
std::string explore_steps_text(const Violation& violation, Language language);

// A table of the figures, the verdict, and the counterexample if there is one. `elapsed`: how long
// the search took, for the rate.
std::string explore_report(const ExploreOptions& options, const ExploreResult& result,
                           std::chrono::nanoseconds elapsed, Language language);

// The same in one line, without the figures that only interest who measures.
std::string explore_brief(const ExploreOptions& options, const ExploreResult& result,
                          std::chrono::nanoseconds elapsed, Language language);

// How far a search has come, for a line that is written over again and again.
std::string explore_progress_text(const ExploreProgress& progress, Language language);

}  // namespace bully
