// conformance.h: asks an outside program everything that may happen to one process, without an
// election.
#pragma once

#include <string_view>
#include <vector>

#include "rules/rules.h"

namespace bully {

// What three processes may meet, in each situation that an answer leads to, breadth first, up to
// some thousands of questions. Returns the rules that no answer named. Throws RulesError for the
// first answer that breaks the contract.
std::vector<std::string_view> check_conformance(Rules& rules);

}  // namespace bully
