// grading.h: the run through the checks of a program. Each try of a check is a forked grader, in a
// private directory; several run at once where they make nothing late.
//
// Read next: exam_checks.h.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "grade/exam_checks.h"

namespace bully {

struct GradingOptions {
  unsigned repeat = 1;  // how often each check is run, with another seed, unless it fails before
  unsigned jobs = 1;    // how many tries run at once, at most
};

struct GradingProgress {
  // Called with each result, in the order of the checks; may name the file of its trace.
  std::function<void(Grade& grade, CheckResult& result)> on_result;
  // Called with the names of the running checks when these have changed.
  std::function<void(const std::vector<std::string_view>& names)> on_running;
};

// Runs these checks, which come in the order of every_check(). The program cannot end this;
// Interrupted does, and then the grade is marked incomplete. Throws SetupError, or
// std::runtime_error if a forked grader could not do its work.
Grade grade(const ExamSettings& settings, LocalCluster& cluster,
            const std::vector<ExamCheck>& chosen, GradingOptions options,
            const GradingProgress& progress);

}  // namespace bully
