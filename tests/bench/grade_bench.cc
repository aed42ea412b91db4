// How long the grader takes: for a right program, and for the starting point of the exercise, whose
// two longest waits have to end.
//
//   grade_bench      Exit status 1 where a bar is missed, or the grade is not the known one.
#include <chrono>
#include <cstdio>

#include "node/system.h"
#include "support/process.h"
#include "support/scratch.h"

namespace bully {
namespace {

using std::chrono::seconds;

bool is_within(const char* program, seconds bar, int status) {
  const Scratch traces;
  const Time begin = monotonic_now();
  Child grader({.arguments = {"grade", "--traces=" + traces.path(), "--", "python3", program}});
  const Outcome outcome = grader.end(std::chrono::minutes(10));
  const std::chrono::duration<double> took = monotonic_now() - begin;
  const bool is_met = took <= bar && outcome.exit_code == status;
  std::printf("%-28s %6.1f s  <= %lld s  %s\n", program, took.count(),
              static_cast<long long>(bar.count()), is_met ? "met" : "MISSED");
  return is_met;
}

}  // namespace
}  // namespace bully

int main() {
  bully::guard_this_program();
  const bool is_quick = bully::is_within("tests/grade/student.py", std::chrono::seconds(25), 0);
  const bool skips = bully::is_within("tests/grade/skeleton.py", std::chrono::seconds(35), 1);
  return is_quick && skips ? 0 : 1;
}
