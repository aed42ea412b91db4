// question.h: an expectation of a lesson as a question, and the verdict on an answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/language.h"
#include "values/script_step.h"

namespace bully {

// True if the expectation has a single answer: a count, a process, a state, or a value.
bool can_be_asked(const Step& expected);

// REQUIRES for all below: the expectation can be asked.
std::string question_words(const Step& expected, Language language);
// "ELECTION 3, ANSWER 2"
std::string solution_words(const Step& expected, Language language);
// True if the answer is right. Nothing if it is none: numbers in the question's order, or in any
// order beside the names of its messages or variables; a state in this language's words or the
// script's. Capitals and accents make no difference.
std::optional<bool> is_right(std::string_view answer, const Step& expected, Language language);
// The reply to an answer that is none, with the answers that there are.
std::string no_answer_words(std::string_view answer, const Step& expected, Language language);

}  // namespace bully
