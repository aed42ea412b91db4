// pages_test.cc: a play in portions: by a key, back again, with questions.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <string>

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

TEST_CASE("A play goes on by Enter, back by b, and ends by q") {
  const std::string begun = shown({"--step"}, "\nq\n");
  CHECK(contains(begun, "▸ nodes 0..7"));
  CHECK(!contains(begun, "▸ crash 7"));
  const std::string back = shown({"--step"}, "\n\nb\n\nq\n");
  CHECK(count_of(back, "▸ nodes 0..7") == 2);
  CHECK(count_of(back, "▸ crash 7") == 2);
  CHECK(!contains(back, "▸ suspect 4"));
}

TEST_CASE("q ends all lessons") {
  CHECK(count_of(shown({"--step"}, "\nq\n\n", "all"), "▸ nodes ") == 1);
  CHECK(count_of(shown({"--ask"}, "q\n\n", "all"), "▸ nodes ") == 1);
}

TEST_CASE("With --step, a question goes back by b as well; alone, b is no answer") {
  const std::string back = shown({"--step", "--ask"}, "\n\n\n\nb\n\nq\n");
  CHECK(count_of(back, "▸ suspect 4") == 2);
  CHECK(count_of(back, "how many messages by now: ELECTION?") == 2);
  CHECK(!contains(back, "expect messages E 3 all 3"));
  CHECK(contains(shown({"--ask"}, "b\n3\nq\n"), "this is no answer: b"));
  CHECK(!contains(shown({"--ask"}, "q\n"), "right: 3"));
}

TEST_CASE("A play in portions is the play") {
  std::string whole = shown({"--step"}, std::string(100, '\n'));
  const std::string keys = "  Enter: next   b: back   q: end \n";
  for (std::size_t at = 0; (at = whole.find(keys)) != std::string::npos;) {
    whole.erase(at, keys.size());
  }
  CHECK(whole == shown({}, ""));
}

TEST_CASE("A play asks before it shows what a lesson expects") {
  const std::string asked = shown({"--ask"}, "3\nq\n");
  CHECK(count_of(asked, "how many messages by now: ELECTION?") == 1);
  CHECK(contains(asked, "how many messages by now: ELECTION, ANSWER?"));
  CHECK(contains(asked, "✓ right: 3"));
}

TEST_CASE("A wrong answer is told the solution, an empty one as well, and no ✓ follows") {
  CHECK(contains(shown({"--ask"}, "2\nq\n"), "✗ you said 2, it was 3"));
  CHECK(!contains(shown({"--ask"}, "2\nq\n"), "✓"));
  CHECK(contains(shown({"--ask"}, "\nq\n"), "it was 3"));
  for (const char* const right : {"6 2", "ANSWER 2, ELECTION 6", "2 PE 6 E"}) {
    CAPTURE(right);
    const std::string asked = shown({"--ask"}, "\n" + std::string(right) + "\nWAITING\nq\n");
    CHECK(contains(asked, "✓ right: ELECTION 6, ANSWER 2"));
    CHECK(contains(asked, "✓ right: waiting"));
  }
}
