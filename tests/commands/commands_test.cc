// commands_test.cc: what commands say of wrong usage, and `bully verify` of a search.
#include <doctest/doctest.h>

#include "fixture/scripts.h"
#include "fixture/session.h"

using namespace bully;

TEST_CASE("Wrong usage is refused with 2, names what was wrong, and points to the help") {
  check_session("tests/commands/wrong.session");
}

TEST_CASE("verify says which assumptions a counterexample breaks, and where its bounds end it") {
  check_session("tests/commands/verify.session");
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
