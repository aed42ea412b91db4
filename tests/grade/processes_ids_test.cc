// The ids that the grader gives: they must differ from PIDs, and in nothing else.
#include <doctest/doctest.h>

#include <string>

#include "grade/processes.h"

using namespace bully;

TEST_CASE("grade: the id that is no PID is the highest, compared as text as well") {
  const std::string highest = std::to_string(nobodys_pid);
  // Linux gives no PID above 2^22, which has seven digits: 4194304.
  CHECK(highest == std::string(7, '9'));
  CHECK(nobodys_pid > first_id);
}
