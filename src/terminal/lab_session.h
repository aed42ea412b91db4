// lab_session.h: an exercise beside the student's own processes: predict, do, explain.
#pragma once

#include <cstddef>
#include <string>

#include "base/time.h"
#include "terminal/invocation.h"

namespace bully {

// Runs exercise `number`, counted from 1, with the processes in `directory`, until it is done.
// Looks at them each `interval`. Throws Interrupted, SetupError.
void run_exercise(std::size_t number, const std::string& directory, Duration interval,
                  const Invocation& invocation);

}  // namespace bully
