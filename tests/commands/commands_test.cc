// commands_test.cc: the exit status of a command that an error ends.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/list.h"
#include "support/process.h"
#include "support/scratch.h"

using namespace bully;

TEST_CASE("an error is no verdict: a command that judges exits with 2") {
  const Scratch scratch;
  const std::string nowhere = scratch.path() + "/none/trace";
  const std::vector<Arguments> judging = {{"check", nowhere},
                                          {"check", scratch.path()},
                                          {"scenario", "cdk", "--trace=" + nowhere},
                                          {"simulate", "--seed=1", "--trace=" + nowhere},
                                          {"verify", "--algorithm=" + nowhere}};
  for (const Arguments& words : judging) {
    CAPTURE(joined(words, " "));
    const Finished run = run_bully(words);
    CHECK(run.outcome.exit_code == 2);
    CHECK(run.errors.find(scratch.path()) != std::string::npos);
  }
  // Elsewhere 1 is a failure.
  CHECK(run_bully({"diagram", nowhere}).outcome.exit_code == 1);
}

TEST_CASE("a trace that cannot be written to its end is no verdict either") {
  if (!std::filesystem::exists("/dev/full")) return;
  const std::vector<Arguments> judging = {{"scenario", "cdk"}, {"simulate", "--seed=1"}};
  for (const Arguments& words : judging) {
    CAPTURE(joined(words, " "));
    const Finished run = run_bully(words + Arguments{"--trace=/dev/full"});
    CHECK(run.outcome.exit_code == 2);
    CHECK(contains(run.errors, "the trace ends here"));
  }
}
