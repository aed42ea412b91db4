// One try of a check on a machine that was busy meanwhile: something missing or late is no fault.
#include "grade/attempt.h"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "grade/place.h"
#include "support/process.h"
#include "support/scratch.h"

using namespace bully;

namespace {

// A check during which the machine stands still for a minute, and which then finds this.
template <const auto& diagnosis>
void find_on_a_busy_machine(Exams& exams) {
  exams.next().lateness.note(std::chrono::minutes(1));
  throw Finding{Diagnosis::named(diagnosis), {}, {}};
}

constexpr std::string_view never_starts = "never-starts";
constexpr std::string_view untold = "untold";
constexpr std::string_view no_election = "no-election";
constexpr std::string_view died = "died";
constexpr std::string_view wrong_bytes = "wrong-bytes";

// The result of one try, by a forked grader.
CheckResult result_of(void (*check)(Exams& exams)) {
  const Scratch scratch;
  const std::string file = scratch.path() + "/result";
  ExamSettings settings;
  settings.directory = scratch.path() + "/nodes";
  Child grader([&] { attempt_here({{"starts", 4}, check}, settings, file); });
  CHECK(grader.end().exit_code == 0);
  return read_attempt(file).result;
}

}  // namespace

TEST_CASE("grade: on a busy machine no missing message convicts, and what is seen does") {
  for (const auto check : {find_on_a_busy_machine<untold>, find_on_a_busy_machine<no_election>}) {
    const CheckResult result = result_of(check);
    CHECK_FALSE(result.finding);
    CHECK(result.unclear == Unclear("busy"));
  }
  for (const auto check : {find_on_a_busy_machine<never_starts>, find_on_a_busy_machine<died>,
                           find_on_a_busy_machine<wrong_bytes>}) {
    CHECK(result_of(check).finding);
  }
}

TEST_CASE("grade: a tab behind the interpreter's name is a space, as for the system") {
  const Scratch scratch;
  const std::string program = scratch.path() + "/program";
  std::ofstream(program) << "#!/bin/sh\t-e\nexit\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  CHECK(!why_not_startable(program));
}
