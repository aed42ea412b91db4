// script.h: a lesson as a script, one step a line, in the order of time.
//
// ../help/12-scenario.en.txt (`bully help scenario`) explains the language. In addition, a script
// may expect the variables of a process, `expect d 4 e 4 f nothing at 1`, and label one picture in
// each language, by `frame en: …` and `frame pt: …` on the next line.
//
// This unit reads scripts, and never plays them. Built-in ones, with an explanation in both
// languages, are the lessons (../base/carried.h), in the order of a course.
#pragma once

#include <string_view>
#include <variant>

#include "values/scenario.h"

namespace bully {

// Reads the whole script, or reports its first error. `name` names the file in errors. With
// `instead`, another algorithm replaces the script's; that is an error if the script goes step by
// step, or expects results that only its own algorithm has.
std::variant<Scenario, ScenarioError> parse_scenario(std::string_view name, std::string_view text,
                                                     const Algorithm* instead = nullptr);

}  // namespace bully
