// errors.h: errors in a user's words: in a trace, a script or an outside program, and why a process
// was not signalled.
#pragma once

#include <optional>
#include <string>

#include "election/endless_election.h"
#include "election/message.h"
#include "trace/trace.h"
#include "values/rules_error.h"
#include "values/scenario.h"
#include "values/status.h"
#include "words/words.h"

namespace bully {

// "FILE:LINE: why"
std::string words_of(const TraceError& error, Language language);
// "FILE: why"
std::string words_of(const RulesError& error, Language language);
// With the latest messages.
std::string words_of(const EndlessElection& error, Language language);
// A question to an outside program, its answer, and a line of shell that repeats it.
std::string rules_exchange(const std::string& question, const std::string& answer,
                           const std::string& path, Language language);
// "FILE:LINE:COLUMN: expected …, found …"
std::string words_of(const ScenarioError& error, Language language);
// In one line, without its newline; with advice for the user.
std::string words_of(const Refused& refused, NodeId id, const std::string& directory,
                     Language language);
std::optional<Text> advice_on(const Refused& refused);

}  // namespace bully
