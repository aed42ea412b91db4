// commands_test.cc: what commands say of wrong usage, and `bully verify` of a search.
#include <doctest/doctest.h>

#include "fixture/session.h"

using namespace bully;

TEST_CASE("Wrong usage is refused with 2, names what was wrong, and points to the help") {
  check_session("tests/commands/wrong.session");
}

TEST_CASE("verify says which assumptions a counterexample breaks, and where its bounds end it") {
  check_session("tests/commands/verify.session");
}
