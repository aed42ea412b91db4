// demo_script_test.cc: `./run_cluster.sh --demo`, run as a user runs it. Run from the top level.
#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "fixture/scripts.h"
#include "support/skip.h"

using namespace bully;
namespace fs = std::filesystem;

TEST_CASE("the demonstration plays an election, beside the textbook's count, in both languages") {
  struct Case {
    Words options;
    std::string start, back, win;
  };
  const std::vector<Case> cases = {
      {{"--lang=en"},
       "COORDINATOR            3             3   n(n-1)/2, n = 3\n",
       "COORDINATOR            2             2   n-1, n = 3\n",
       "is the highest survivor"},
      {{"--lang", "pt-BR"},
       "COORDENADOR            3             3   n(n-1)/2, n = 3\n",
       "COORDENADOR            2             2   n-1, n = 3\n",
       "é o maior sobrevivente"},
  };
  for (const Case& given : cases) {
    for (const std::string detector : {"ping", "eof"}) {
      const Place place;
      Command demo(place,
                   run_cluster + Words{"--demo", "3", "--detector=" + detector} + given.options);
      const int status = demo.exit_status();
      const std::string shown = demo.output();
      CAPTURE(shown);
      CHECK(status == 0);
      // A machine that numbers its processes from the start again meanwhile knows no count.
      const bool wrapped = contains(shown, "wrapped round") || contains(shown, "deram a volta");
      CHECK((wrapped || contains(shown, given.start)));
      CHECK(contains(shown, given.back));
      CHECK(contains(shown, given.win));
      CHECK(contains(shown, "(n-k)(n-k+1)/2"));
      CHECK(contains(shown, "(detector: " + detector + ")"));
      CHECK(contains(shown, "SIGKILL"));
      CHECK(!contains(shown, "\033"));  // no terminal, no colours
      CHECK(demo.left_no_process());
      CHECK(place.has_no_socket());
      CHECK(fs::is_empty(place.temporary()));
    }
  }
}

TEST_CASE("the demonstration is about processes 1 to N, and keeps an id that comes back") {
  const Place place;
  Command demo(place, run_cluster + Words{"--demo", "4", "--lang=en"});
  CHECK(demo.exit_status() == 0);
  const std::string shown = demo.output();
  CAPTURE(shown);
  CHECK(contains(shown, "SIGKILL to 4, the coordinator"));
  CHECK(contains(shown, "all survivors follow 3"));
  CHECK(contains(shown, "3 is the highest survivor"));
  CHECK(contains(shown, "4 is back, as PID "));
  CHECK(contains(shown, "all follow 4"));
  // No PIDs, and so nothing that a machine's numbering could change.
  CHECK(contains(shown, "COORDINATOR            6             6   n(n-1)/2, n = 4\n"));
  CHECK(demo.left_no_process());
  CHECK(place.has_no_socket());
}

TEST_CASE("the demonstration with --pace tells line after line of what happened at full speed") {
  const Place place;
  const auto begin = std::chrono::steady_clock::now();
  Command demo(place, run_cluster + Words{"--demo", "3", "--pace=20ms", "--lang=en"});
  CHECK(demo.exit_status() == 0);
  const auto took = std::chrono::steady_clock::now() - begin;
  const std::string shown = demo.output();
  CAPTURE(shown);
  CHECK(contains(shown, "COORDINATOR            3             3   n(n-1)/2, n = 3\n"));
  std::int64_t lines = 0;
  for (auto at = shown.find("│"); at != std::string::npos; at = shown.find("│", at + 1)) ++lines;
  CHECK(lines > 20);
  CHECK(took >= lines * std::chrono::milliseconds(20));
  CHECK(demo.left_no_process());
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
    CHECK(contains(shown, "COORDINATOR            1             1   n-1, n = 2\n"));
    CHECK(std::regex_search(shown, std::regex(" [0-9]{1,5} ms   [0-9]+ notices that ")));
    CHECK(demo.left_no_process());
  }
}

TEST_CASE("the demonstration plays the rings' elections, too, beside their counts") {
  struct Case {
    std::string algorithm;
    Words options;
    // Four processes are left; then five take part.
    std::vector<std::string> said;
  };
  const std::vector<Case> cases = {
      {"dolev-klawe-rodeh",
       {"--lang=en", "--detector=eof"},
       {"Algorithm dolev-klawe-rodeh", "n = 4: the survivors",
        "VALUE                 10            10   2n\n",
        "LEADER                 5             5   n\n",
        "JOIN                   1             0   beyond the textbook\n", "is the highest survivor",
        "on the whole run: right"}},
      {"dolev-klawe-rodeh",
       {"--lang=pt-BR", "--detector=ping"},
       {"Algoritmo dolev-klawe-rodeh", "n = 4: os sobreviventes",
        "SEGUNDO                5             5   n\n",
        "LÍDER                  5             5   n\n", "ENTRAR                 1             0",
        "é o maior sobrevivente", "sobre a execução inteira: correta"}},
      {"chang-roberts",
       {"--lang=en", "--detector=eof"},
       {"Algorithm chang-roberts", "VALUE                  9             9   2n-1\n",
        "on the whole run: right"}},
  };
  for (const Case& given : cases) {
    const Place place;
    Command demo(place,
                 run_cluster + Words{"--demo", "--algorithm=" + given.algorithm} + given.options);
    const int status = demo.exit_status();
    const std::string shown = demo.output();
    CAPTURE(shown);
    CHECK(status == 0);
    for (const std::string& part : given.said) CHECK_MESSAGE(contains(shown, part), part);
    CHECK(demo.left_no_process());
    CHECK(place.has_no_socket());
    CHECK(fs::is_empty(place.temporary()));
  }
}

TEST_CASE("the demonstration runs in other shells, too") {
  for (const Words& shell : {Words{"dash"}, Words{"bash", "--posix"}}) {
    if (lacks(shell[0])) continue;
    const Place place;
    const Result demo = run(place, shell + run_cluster + Words{"--demo", "3", "--quiet"});
    CAPTURE(demo.output);
    CHECK(demo.status == 0);
    CHECK(!contains(demo.output, "Killed"));            // no shell's remark on what it is shown
    CHECK(!contains(demo.output, "joins as process"));  // no node's log: --quiet
  }
}

TEST_CASE("the demonstration keeps the trace that is asked for, and judges its own run only") {
  const Place place;
  const std::string trace = place.path() / "trace";
  std::ofstream(trace) << "what another program has left here\n";
  for (const char* kept : {"once", "and once more"}) {
    CAPTURE(kept);
    const Result demo = run(place, {"./bully", "demo", "2", "--trace", trace});
    CAPTURE(demo.output);
    CHECK(demo.status == 0);
    CHECK(contains(demo.output, "crashed (SIGKILL)"));
    CHECK(contains(demo.output, "n(n-1)/2, n = 2\n"));
    CHECK(contains(demo.output, "on the whole run: right"));
  }
  CHECK(contains(contents(trace), "\"event\":\"suspect\""));
  CHECK(contains(contents(trace), "\"event\":\"crash\""));
}

TEST_CASE("a signal ends the demonstration, and leaves nothing") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    CAPTURE(number);
    const Place place;
    Command demo(place, run_cluster + Words{"--demo", "3", "--ping-interval=3600s"});
    REQUIRE(happens([&] { return contains(demo.output(), "SIGKILL to "); }));
    demo.signal_group(number);
    CHECK(demo.exit_status() == 128 + number);
    CHECK(demo.left_no_process());
    CHECK(fs::is_empty(place.temporary()));
  }
}

TEST_CASE("the demonstration fails, and says why, where it cannot happen") {
  SUBCASE("in a directory that is not its own") {
    ScriptedCluster cluster(1);
    const std::string dir = "--dir=" + cluster.place().nodes();
    const Result demo = run(cluster.place(), run_cluster + Words{"--demo", dir});
    CHECK(demo.status == 1);
    CHECK(contains(demo.output, "there are nodes in " + cluster.place().nodes()));
    CHECK(cluster.place().agree(1));
  }
  SUBCASE("where nobody notices in time that the coordinator is down") {
    const Place place;
    const Result demo = run(place, run_cluster + Words{"--demo", "2", "--led", "--quiet"});
    CAPTURE(demo.output);
    CHECK(demo.status == 1);
    CHECK(contains(demo.output, "the demonstration failed: after 10 s, not all of "));
    CHECK(fs::is_empty(place.temporary()));
  }
}
