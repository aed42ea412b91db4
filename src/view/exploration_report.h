// exploration_report.h: the question and the result of an exploration, for a terminal of 80
// columns.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "values/exploration.h"
#include "values/script_step.h"
#include "words/words.h"

namespace bully {

// "3 processes, 2 crashes, …": the bounds of an exploration. "deliver ELECTION from 1 to 2", "3
// crashes"; `cause`, if given, says more of a timeout.
std::string question_text(const ExploreOptions& options, Language language);
std::string step_text(const Step& step, Language language, const std::string& cause = {});
// The fault, if the property does not hold.
std::string violation_words(const Property& property, Language language);
// The assumption that a step breaks, and a sentence about it, in which {0} is the step's number; on
// the page of every order, {1} is its process. Nothing if it breaks none.
struct Breach {
  std::vector<Assumption> assumptions;
  Text words;
  Text words_on_page;  // with the assumption's number in `bully help assumptions`
};
std::optional<Breach> breach_of(const Step& step);
// A table of the figures, the verdict, and the counterexample if there is one: its steps, numbered.
// If all properties hold, the number of tests of each, and the rules that have fired. `elapsed`:
// the duration of the search, for the rate.
std::string explore_report(const ExploreOptions& options, const ExploreResult& result,
                           std::chrono::nanoseconds elapsed, Language language);
// The same in one line, with the question, the verdict and the numbers of states and of rules.
std::string explore_brief(const ExploreOptions& options, const ExploreResult& result,
                          std::chrono::nanoseconds elapsed, Language language);

}  // namespace bully
