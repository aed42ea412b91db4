// demo_script_test.cc: `./run_cluster.sh --demo`, run as a user runs it. Run from the top level.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/layout.h"
#include "fixture/said.h"
#include "fixture/scripts.h"
#include "support/pattern.h"

using namespace bully;
namespace fs = std::filesystem;

namespace {

// What the demonstration has shown with these options. It went well, and has left nothing.
std::string shown_by(const Place& place, const Words& options) {
  Command demo(place, run_cluster + Words{"--demo"} + options);
  check_clean_end(place, demo);
  return demo.output();
}

// The same. What it shows of its elections is what `bully check` says of the same trace. Its first
// act shows the last of its elections alone.
std::string judged_by(const Words& options, const std::string& language) {
  const Place place;
  const std::string trace = place.path() / "trace";
  std::string shown = shown_by(place, options + Words{"--trace=" + trace, "--lang", language});
  CAPTURE(shown);
  const Result judged = run(place, {"./bully", "check", trace, "--lang=" + language});
  const std::string heading = language == "en" ? "\nElection " : "\nEleição ";
  int paragraphs = 0;
  for (auto at = shown.find(heading); at != std::string::npos; at = shown.find(heading, at + 1)) {
    const std::string paragraph = shown.substr(at, shown.find("\n\n", at) + 2 - at);
    CHECK_MESSAGE(contains(judged.output, paragraph), paragraph);
    ++paragraphs;
  }
  CHECK(paragraphs >= 3);
  return shown;
}

}  // namespace

TEST_CASE("the demonstration plays an election, and shows what check says of it") {
  for (const std::string language : {"en", "pt-BR"}) {
    for (const std::string detector : {"ping", "eof"}) {
      const std::string shown = judged_by({"3", "--detector=" + detector}, language);
      check_says(shown, {language == "en" ? "is the highest survivor" : "é o maior sobrevivente",
                         "(detector: " + detector + ")", "SIGKILL"});
      CHECK_MESSAGE(!contains(shown, "\033"), shown);  // no terminal, no colours
    }
  }
}

TEST_CASE("the demonstration counts as the textbook does, if no timeout is wrong") {
  const std::string shown =
      shown_by(Place(), {"4", "--lang=en", "--detector=eof", "--ping-timeout=10s",
                         "--answer-timeout=10s", "--coordinator-timeout=10s"});
  CAPTURE(shown);
  // The highest comes, of four, and comes back.
  CHECK(all_matches(shown, " sent +0 +0 +3 +3\n +textbook +0 +0 +3 +3\n").size() == 2);
  // How many notice, and in which order, is open: one ELECTION at least, and the winner's messages.
  CHECK(has_match(shown, " sent +[1-6] +[0-3] +2 +[0-9]+\n"));
}

TEST_CASE("the demonstration with --explain keeps within 80 columns") {
  const Place place;
  for (const std::string& line : lines_in(shown_by(place, {"2", "--explain"}))) {
    CHECK_MESSAGE(width(line) <= 80, line);
  }
}

TEST_CASE("the demonstration with --pace tells line after line of what happened at full speed") {
  const auto begin = std::chrono::steady_clock::now();
  const std::string shown = shown_by(Place(), {"3", "--pace=20ms", "--lang=en"});
  const auto took = std::chrono::steady_clock::now() - begin;
  CAPTURE(shown);
  const auto lines = static_cast<std::int64_t>(count_of(shown, "│"));
  CHECK(lines > 20);
  CHECK(took >= lines * std::chrono::milliseconds(20));
}

TEST_CASE("the demonstration counts and measures also where its files have odd names") {
  struct Case {
    std::string temporary;
    Words trace;  // in the directory from which it is run
  };
  for (const Case& given : {Case{"a \"b'c\\d", {}}, Case{"plain", {"--trace=run=1.jsonl"}},
                            Case{"plain", {"--trace=-x"}}}) {
    CAPTURE(given.trace.size());
    const Place place;
    const std::string inner = place.temporary() + '/' + given.temporary;
    fs::create_directory(inner);
    const Words there = {"sh", "-c", R"(cd "$1" && shift && exec "$@")", "sh", inner};
    const Words script = {fs::absolute(run_cluster[0]), "--demo", "2", "--lang=en"};
    Command demo(place, there + script + given.trace, {"TMPDIR=" + inner});
    const int status = demo.exit_status();
    const std::string shown = demo.output();
    CAPTURE(shown);
    CHECK(status == 0);
    CHECK(has_match(shown, "\nElection [0-9]+   (trace|run=1.jsonl|-x):"));
    CHECK(has_match(shown, " [0-9]{1,5} ms   [0-9]+ notices that "));
    CHECK(demo.left_no_process());
  }
}

TEST_CASE("the demonstration plays the rings' elections, too") {
  struct Case {
    std::string algorithm, detector, language;
    std::vector<std::string> said;
  };
  const std::vector<Case> cases = {
      {"dolev-klawe-rodeh",
       "eof",
       "en",
       {"Algorithm dolev-klawe-rodeh", "VALUE  SECOND  LEADER  JOIN", "is the highest survivor",
        "It asked for an election and took part in it", "on the whole run: right"}},
      {"dolev-klawe-rodeh",
       "ping",
       "pt-BR",
       {"Algoritmo dolev-klawe-rodeh", "VALOR  SEGUNDO  LÍDER  ENTRAR", "é o maior sobrevivente",
        "sobre a execução inteira: correta"}},
      {"chang-roberts", "eof", "en", {"Algorithm chang-roberts", "on the whole run: right"}},
  };
  for (const Case& given : cases) {
    const std::string shown = judged_by(
        {"--algorithm=" + given.algorithm, "--detector=" + given.detector}, given.language);
    for (const std::string& part : given.said) check_says(shown, {part});
  }
}

TEST_CASE("the demonstration blames a trace that cannot be written, and not the processes") {
  const Place place;
  const std::string trace = place.path() / "trace";
  // The limit is for the nodes, and not for what this test reads.
  const Result demo =
      run(place,
          {"sh", "-c", "(ulimit -f 1; \"$0\" demo 2 \"--trace=$1\"; echo \"status $?\") 2>&1 | cat",
           binary_under_test(), trace});
  CAPTURE(demo.output);
  CHECK(contains(demo.output, "status 1\n"));
  CHECK(contains(in_one_line(demo.output), "their trace " + trace + " does not say how"));
  CHECK(!contains(demo.output, "not all of"));
}
