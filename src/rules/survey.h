// survey.h: asks an outside program everything that may happen to one process, without an election.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "rules/rules.h"

namespace bully {

struct Survey {
  std::size_t questions = 0;
  std::size_t situations = 0;
  std::vector<std::string_view> unfired;  // rules that no answer named
};

// What three processes may meet, in each situation that an answer leads to, breadth first, up to
// some thousands of questions. Throws RulesError for the first answer that breaks the contract.
Survey survey_of(Rules& rules);

}  // namespace bully
