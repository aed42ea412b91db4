// graded_program.h: whether a command can be started at all.
#pragma once

#include <optional>
#include <string>

#include "base/problem.h"

namespace bully {

// Why no process can start as this program, a path or a name to be searched for in $PATH; nothing
// if one can. A text must begin with `#!` and an interpreter that is there: the system itself
// starts no other text, and a shell would take it for a shell script.
std::optional<Problem> why_not_startable(const std::string& program);

}  // namespace bully
