// rules_error.h: an outside program's breach of its contract (../rules/rule_program.h).
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "base/problem.h"

namespace bully {

// The program, or what it answered, is not as the contract says (`bully help rules`).
struct RulesError : std::exception {
  explicit RulesError(Problem why, std::string of = {}, std::string asked = {},
                      std::string answered = {})
      : problem(std::move(why)),
        path(std::move(of)),
        question(std::move(asked)),
        answer(std::move(answered)) {}
  const char* what() const noexcept override { return "an outside program broke its contract"; }

  Problem problem;
  std::string path;      // of the program, as the user gave it
  std::string question;  // empty: no question
  std::string answer;
};

// The key for a program that exec(2) refuses; the value is the errno.
inline constexpr std::string_view no_start_key = "rules_no_start";

// There is no program of rules, or it cannot be started.
struct NoRules : RulesError {
  using RulesError::RulesError;
};

}  // namespace bully
