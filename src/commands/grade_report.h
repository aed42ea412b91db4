// grade_report.h: the results of grading, for people and for platforms. Pure functions, which never
// judge.
#pragma once

#include <span>
#include <string>

#include "grade/checks.h"
#include "grade/result.h"
#include "words/words.h"

namespace bully {

// For a terminal of 80 columns.
std::string check_line(const CheckResult& result, Language language, bool color);
std::string grade_card(const Grade& grade, Language language, bool color);
// One object; the README describes it.
std::string grade_json(const Grade& grade, Language language);
// A test suite with a test case for each check, for continuous integration.
std::string grade_junit(const Grade& grade, Language language);
// One page for the student: the card, and the trace of each failed check, to step through.
std::string grade_html(const Grade& grade, Language language);
std::string check_list(std::span<const Check> checks, Language language);

// A line for each program: its points by check, and its diagnoses.
std::string class_csv_head(std::span<const Check* const> checks);
std::string class_csv_row(const std::string& name, const Grade& grade,
                          std::span<const Check* const> checks);

}  // namespace bully
