// commands_test.cc: the exit status of a command that an error ends.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/list.h"
#include "fixture/scripts.h"
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

TEST_CASE("a script is not judged by processes whose records cannot be written") {
  const Place place;
  // The limit is for the processes, and not for what this test reads.
  const Words limited = {"sh", "-c",
                         "(ulimit -f 1; \"$0\" scenario cdk --real; echo \"status $?\") 2>&1 | cat",
                         binary_under_test()};
  const Result result = run(place, limited);
  CAPTURE(result.output);
  CHECK(contains(result.output, "status 2\n"));
  CHECK(contains(result.output, "the trace could not be written"));
  CHECK(!contains(result.output, "✗"));
}
