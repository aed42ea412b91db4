// attempt.h: one try of a check, by a forked grader, which hands over its result in a file.
#pragma once

#include <string>

#include "grade/exam_checks.h"

namespace bully {

struct Attempt {
  // Passed; failed, with its finding; or inconclusive. The kind of the check is not in it.
  CheckResult result = {};
  MeasuredWaits waits = {};  // as the check has left them
};

// True if one try is enough to be sure: the end of a program, a wrong name or message, no start;
// and a process left out, unless the machine was busy. Any other finding must appear twice.
bool is_certain(Diagnosis diagnosis);

// For a forked grader, which has no cluster: tries the check, and writes the result to `file`; no
// result if a signal asks it to leave. When it returns, all processes that it has started are gone.
void attempt_here(const ExamCheck& check, ExamSettings settings, const std::string& file) noexcept;
// Throws std::runtime_error if the grader has failed, or has ended without a result.
Attempt read_attempt(const std::string& file);

}  // namespace bully
