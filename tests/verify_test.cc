// verify_test.cc: `bully verify` as a user runs it: what it says of a long search, and its limits.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/process.h"
#include "support/pseudo_terminal.h"
#include "support/scratch.h"

using namespace bully;

TEST_CASE("verify ends where its memory is used up, and says so") {
  const Scratch scratch;
  const auto verify = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"verify", "--brief"});
    return run_to_end(scratch.path(), {.arguments = options});
  };
  const Finished four = verify({"--nodes=4", "--max-memory=10"});
  CHECK(four.outcome.exit_code == 2);
  CHECK(four.errors == "");
  CHECK(contains(four.output, "the bound --max-memory was reached; so far nothing is violated"));
  const Finished three = verify({"--max-memory=10"});
  CHECK(three.outcome.exit_code == 0);
  const Finished none = verify({"--max-memory=0"});
  CHECK(none.outcome.exit_code == 2);
  CHECK(contains(none.errors, "--max-memory"));
}

TEST_CASE("verify shows on a terminal how far it has come, until it is interrupted") {
  PseudoTerminal terminal({"verify", "--nodes=4"}, 24, 120);
  CHECK(terminal.shows(" of them still to explore"));
  CHECK(terminal.shows(" MiB"));
  terminal.press("\x03");
  CHECK(terminal.end().exit_code == 2);
  CHECK(terminal.shows("you ended the search"));
}
