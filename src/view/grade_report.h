// grade_report.h: the result of grading a program, for people and for platforms.
#pragma once

#include <span>
#include <string>

#include "values/grade.h"
#include "words/words.h"

namespace bully {

std::string check_line(const CheckResult& result, Language language, bool color);
std::string grade_card(const Grade& grade, Language language, bool color);
// One object; the README describes it.
std::string grade_json(const Grade& grade, Language language);
// A test suite with a test case for each check, for continuous integration.
std::string grade_junit(const Grade& grade, Language language);
// One page for the student: the card, and the trace of each failed check, to step through.
std::string grade_html(const Grade& grade, Language language);
std::string check_list(std::span<const CheckKind> checks, Language language);

// "untold – an announcement that does not arrive": the name for scripts, and its title.
std::string fault_words(Diagnosis fault, Language language);
// "not gradable: it does not build".
std::string obstacle_words(const Grade& grade, Language language);

}  // namespace bully
