// pages_test.cc: a play in portions: by a key, back again, with questions.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "fixture/session.h"
#include "support/process.h"
#include "support/scratch.h"

using namespace bully;

namespace {

// What `bully scenario` shows with these options while this is typed.
std::string shown(const Arguments& options, const std::string& typed,
                  const char* lesson = "tanenbaum") {
  const Scratch scratch;
  const std::string input = scratch.path() + "/typed";
  std::ofstream(input) << typed;
  const auto type = [&input] { dup2(open(input.c_str(), O_RDONLY), STDIN_FILENO); };
  return run_bully(Arguments{"scenario", lesson, "--lang=en"} + options, type).output;
}

}  // namespace

TEST_CASE("A play in portions is the play") {
  std::string whole = shown({"--step"}, std::string(100, '\n'));
  const std::string keys = "  Enter: next   b: back   q: end \n";
  for (std::size_t at = 0; (at = whole.find(keys)) != std::string::npos;) {
    whole.erase(at, keys.size());
  }
  CHECK(whole == shown({}, ""));
}

TEST_CASE("A play in a pipe goes on by Enter, back by b, asks, and ends by q") {
  check_session("tests/terminal/pages.session");
}
