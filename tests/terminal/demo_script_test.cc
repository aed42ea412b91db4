// demo_script_test.cc: `./run_cluster.sh --demo`, run as a user runs it. Run from the top level.
#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/layout.h"
#include "fixture/said.h"
#include "fixture/scripts.h"
#include "support/pattern.h"
#include "support/pseudo_terminal.h"
#include "support/skip.h"

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

TEST_CASE("the demonstration is about processes 1 to N, and keeps an id that comes back") {
  const std::string shown = shown_by(Place(), {"4", "--lang=en"});
  check_says(shown, {"SIGKILL to 4, the coordinator", "all survivors follow 3",
                     "3 is the highest survivor", "4 is back, as PID ", "all follow 4"});
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

TEST_CASE("the demonstration runs in other shells, too") {
  for (const Words& shell : {Words{"dash"}, Words{"bash", "--posix"}}) {
    if (lacks(shell[0])) continue;
    const Place place;
    const std::string shown =
        output_of(place, shell + run_cluster + Words{"--demo", "3", "--quiet"});
    CAPTURE(shown);
    CHECK(!contains(shown, "Killed"));            // no shell's remark on what it is shown
    CHECK(!contains(shown, "joins as process"));  // no node's log: --quiet
  }
}

TEST_CASE("the demonstration keeps the trace that is asked for, and judges its own run only") {
  const Place place;
  const std::string trace = place.path() / "trace";
  std::ofstream(trace) << "what another program has left here\n";
  for (const char* kept : {"once", "and once more"}) {
    CAPTURE(kept);
    check_said(run(place, {"./bully", "demo", "2", "--lang=en", "--trace", trace}), 0,
               {"crashed (SIGKILL)", "Election 2   " + trace + ':', "on the whole run: right"});
  }
  check_says(contents(trace), {"\"event\":\"suspect\"", "\"event\":\"crash\""});
}

TEST_CASE("on a terminal the demonstration pauses after each line, unless --pace=0") {
  PseudoTerminal slow({"demo", "2", "--lang=en"}, 60, 100);
  REQUIRE(slow.shows("joins as process 1"));
  CHECK(!contains(slow.text(), "has won"));
  slow.signal(SIGINT);
  CHECK(slow.end().exit_code == 128 + SIGINT);
  PseudoTerminal quiet({"demo", "2", "--lang=en", "--quiet"}, 60, 100);
  REQUIRE(quiet.shows("the last of 2"));
  CHECK(!contains(quiet.text(), "SIGKILL to 2"));
  quiet.signal(SIGINT);
  CHECK(quiet.end().exit_code == 128 + SIGINT);
  PseudoTerminal fast({"demo", "2", "--lang=en", "--pace=0"}, 200, 100);
  CHECK(fast.shows("on the whole run: right"));
  CHECK(fast.end().exit_code == 0);
}

TEST_CASE("the demonstration's help speaks of its own ids and pauses") {
  const Result help = run(Place(), {"./bully", "demo", "--help", "--lang=en"});
  check_says(help.output, {"Processes 1 to N", "--pace=0 none"});
  CHECK(!contains(help.output, "PID as id"));
}

TEST_CASE("a signal ends the demonstration, and leaves nothing") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    CAPTURE(number);
    const Place place;
    Command demo(place, run_cluster + Words{"--demo", "3", "--ping-interval=3600s"});
    REQUIRE(happens([&] { return contains(demo.output(), "SIGKILL to "); }));
    demo.signal_group(number);
    check_clean_end(place, demo, 128 + number);
  }
}

TEST_CASE("the demonstration fails, and says why, where it cannot happen") {
  SUBCASE("in a directory that is not its own") {
    ScriptedCluster cluster(1);
    const std::string dir = "--dir=" + cluster.place().nodes();
    check_said(run(cluster.place(), run_cluster + Words{"--demo", dir}), 1,
               {"there are nodes in " + cluster.place().nodes()});
    CHECK(cluster.place().agree(1));
  }
  SUBCASE("where nobody notices in time that the coordinator is down") {
    const Place place;
    check_said(run(place, run_cluster + Words{"--demo", "2", "--led", "--quiet"}), 1,
               {"the demonstration failed: after 10 s, not all of "});
    CHECK(fs::is_empty(place.temporary()));
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
