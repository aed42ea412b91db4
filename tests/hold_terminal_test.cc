// hold_terminal_test.cc: `bully watch --hold` over real nodes, in a terminal of its own; and the
// scripts that it saves, played again by the simulator and by real processes.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "fixture/cluster.h"
#include "fixture/scripts.h"
#include "sim/world.h"
#include "support/legacy_peer.h"
#include "support/pseudo_terminal.h"

using namespace bully;
namespace fs = std::filesystem;

namespace {

constexpr unsigned short rows = 40;
constexpr unsigned short columns = 100;

// Nodes that are led by hand, and agree; one after the other, since nobody pings.
void start_by_hand(Cluster& cluster, NodeId last, const Arguments& options = {}) {
  for (NodeId id = 1; id <= last; ++id) {
    cluster.start(id, options);
    REQUIRE(cluster.agrees_in_time());
  }
}

std::string script_of(const Cluster& cluster) {
  return cluster.scratch("script.txt");
}

Arguments hold_arguments(const Cluster& cluster) {
  return {"watch",           "--hold",    "--dir=" + cluster.directory(),
          "--interval=50ms", "--lang=en", "--save=" + script_of(cluster)};
}

std::string arrow(NodeId from, const std::string& name, NodeId to) {
  return std::to_string(from) + " ───── " + name + " ─────▶ " + std::to_string(to);
}

// Plays a script in a directory of its own.
Finished play_again(const std::string& script, bool is_real) {
  const Scratch scratch;
  Arguments arguments = {"scenario", script, "--lang=en"};
  if (is_real) arguments.push_back("--real");
  return run_to_end(scratch.path(), {.arguments = arguments});
}

void check_plays_again(const std::string& script) {
  CAPTURE(contents(script));
  for (const bool is_real : {false, true}) {
    CAPTURE(is_real);
    const Finished played = play_again(script, is_real);
    CAPTURE(played.output);
    CAPTURE(played.errors);
    CHECK(played.outcome.exit_code == 0);
  }
}

}  // namespace

TEST_CASE("watch --hold: each message waits for a key, and the script of it all plays again") {
  Cluster cluster({"--led"});
  start_by_hand(cluster, 4);
  PseudoTerminal terminal(hold_arguments(cluster), rows, columns);
  REQUIRE(terminal.shows("messages waiting: 0"));
  terminal.press("jjjK");
  CHECK(terminal.shows("crash 4"));
  terminal.press("kkku");
  CHECK(terminal.shows("> " + arrow(1, "ELECTION", 2)));
  CHECK(terminal.shows("  " + arrow(1, "ELECTION", 3)));
  CHECK(terminal.shows("deliver gone from 4 to 1"));
  terminal.press("]x");  // that to 3 is lost
  CHECK(terminal.shows("drop ELECTION from 1 to 3"));
  CHECK(terminal.shows("1  ×  ELECTION     to 3: lost on the way"));  // in the log
  terminal.press("d");
  CHECK(terminal.shows(arrow(2, "ELECTION", 3)));
  CHECK(terminal.shows("> 2 "));
  CHECK(terminal.shows("messages waiting: 2"));
  terminal.press("x");
  CHECK(terminal.shows("drop ANSWER from 2 to 1"));
  terminal.press("x");
  CHECK(terminal.shows("drop ELECTION from 2 to 3"));
  terminal.press("t");  // 1 hears no ANSWER: it wins
  CHECK(terminal.shows("expire 1 answer"));
  terminal.press("jt");  // and 2 likewise
  CHECK(terminal.shows("expire 2 answer"));
  terminal.press("a");
  CHECK(terminal.shows("deliver ──"));
  terminal.press("ju");  // only 3 still follows the dead one
  CHECK(terminal.shows("deliver gone from 4 to 3"));
  terminal.press("r");
  CHECK(terminal.shows("messages waiting: 0, delivered as they come"));
  CHECK(terminal.shows("all follow 3"));
  terminal.press("q");
  CHECK(terminal.end().exit_code == 0);
  CHECK(terminal.text().find("The script is in " + script_of(cluster)) != std::string::npos);
  CHECK(!terminal.is_other_screen());
  for (NodeId id = 1; id <= 3; ++id) CHECK(cluster.status_of(id)->coordinator == 3);
  CHECK(contents(script_of(cluster)).find("expect coordinators 3\n") != std::string::npos);
  check_plays_again(script_of(cluster));
}

TEST_CASE("watch --hold: a process may be stopped, leave, come back, and join") {
  Cluster cluster({"--led"});
  start_by_hand(cluster, 3);
  PseudoTerminal terminal(hold_arguments(cluster), rows, columns);
  REQUIRE(terminal.shows("messages waiting: 0"));
  // The heading is as old as the last look at the processes: they themselves are asked as well, and
  // what was said to them has come when nothing waits.
  const auto all_follow = [&](NodeId id) {
    CHECK(cluster.agrees_in_time());
    CHECK(terminal.shows("messages waiting: 0, delivered as they come"));
    CHECK(terminal.shows("all follow " + std::to_string(id)));
  };
  terminal.press("jjS");
  CHECK(terminal.shows("pause 3"));
  terminal.press("kku");
  CHECK(terminal.shows("suspect 1 hung"));
  terminal.press("a");
  CHECK(terminal.shows("messages waiting: 2"));  // 2 has answered, and asks 3
  terminal.press("a");
  terminal.press("jt");
  CHECK(terminal.shows("expire 2 answer"));
  terminal.press("a");
  CHECK(terminal.shows("messages waiting: 0"));
  terminal.press("jC");
  CHECK(terminal.shows("resume 3"));
  terminal.press("r");
  all_follow(3);
  cluster.end_by(SIGTERM, 1);
  CHECK(terminal.shows("leave 1"));
  cluster.start(9);
  all_follow(9);
  cluster.kill(9);
  CHECK(terminal.shows("crash 9"));
  cluster.start(9);
  all_follow(9);
  terminal.signal(SIGTERM);
  CHECK(terminal.end().exit_code == 128 + SIGTERM);
  CHECK(contents(script_of(cluster)).find("\n# ") == std::string::npos);
  check_plays_again(script_of(cluster));
}

TEST_CASE("watch --hold: messages of nodes with a clock of their own wait, without a script") {
  // The timers run out while the messages wait.
  Cluster cluster({"--ping-interval=20ms", "--answer-timeout=300ms"});
  cluster.start_range(1, 4);
  REQUIRE(cluster.agrees_in_time());
  PseudoTerminal terminal(hold_arguments(cluster), rows, columns);
  REQUIRE(terminal.shows("messages waiting: 0"));
  terminal.press("kkku");
  CHECK(terminal.shows("1 has its own clock"));
  cluster.kill(4);
  CHECK(terminal.shows("1 ───── ELECTION ──"));
  CHECK(wait_until([&] { return cluster.status_of(3)->state == "coordinator"; }));
  CHECK(wait_until([&] { return cluster.status_of(2)->state == "coordinator"; }));
  terminal.press("xd");
  terminal.press("a");
  terminal.press("r");
  CHECK(terminal.shows("all follow 3"));
  terminal.press("q");
  CHECK(terminal.end().exit_code == 0);
  CHECK(cluster.agrees_in_time());
  CHECK(!fs::exists(script_of(cluster)));
}

TEST_CASE("watch --hold: a node that is led by hand takes orders also among others") {
  Cluster cluster({"--ping-interval=60s", "--answer-timeout=60s"});
  cluster.start(2);
  cluster.start(1, {"--led"});
  REQUIRE(cluster.agrees_in_time());
  PseudoTerminal terminal(hold_arguments(cluster), rows, columns);
  REQUIRE(terminal.shows("messages waiting: 0"));
  terminal.press("ku");
  CHECK(terminal.shows("> " + arrow(1, "ELECTION", 2)));
  terminal.press("x");
  CHECK(terminal.shows("messages waiting: 0"));
  terminal.press("t");  // 1 hears no ANSWER: it wins
  CHECK(wait_until([&] { return cluster.status_of(1)->coordinator == 1; }));
  terminal.press("q");
  CHECK(terminal.end().exit_code == 0);
  CHECK(!fs::exists(script_of(cluster)));
}

TEST_CASE("watch --hold: the script ends where a process joins that is not led by hand") {
  Cluster cluster({"--led"});
  start_by_hand(cluster, 3);
  PseudoTerminal terminal(hold_arguments(cluster), rows, columns);
  REQUIRE(terminal.shows("messages waiting: 0"));
  terminal.press("jjjK");
  CHECK(terminal.shows("crash 3"));
  terminal.press("ku");
  CHECK(terminal.shows("deliver gone from 3 to 2"));
  LegacyPeer nine(cluster.directory(), {.id = 9});
  CHECK(terminal.shows("messages waiting: 3"));  // those of 2 and of 9
  terminal.press("r");
  CHECK(wait_until([&] { return cluster.status_of(1)->coordinator == 9; }));
  terminal.press("q");
  CHECK(terminal.end().exit_code == 0);
  const std::string script = contents(script_of(cluster));
  CAPTURE(script);
  CHECK(script.find("\ndeliver gone from 3 to 2\n# Here a process came or acted") !=
        std::string::npos);
  CHECK(script.find("expect") == std::string::npos);
}

TEST_CASE("watch --hold: an election on a ring, message by message") {
  for (const char* algorithm : {"dolev-klawe-rodeh", "chang-roberts"}) {
    CAPTURE(algorithm);
    Cluster cluster({"--led", "--algorithm=" + std::string(algorithm)});
    start_by_hand(cluster, 4);
    PseudoTerminal terminal(hold_arguments(cluster), rows, columns);
    REQUIRE(terminal.shows("messages waiting: 0"));
    terminal.press("jjjKkku");
    CHECK(terminal.shows(": suspect 2 ──"));
    terminal.press("kur");
    CHECK(terminal.shows("all follow 3"));
    terminal.press("q");
    CHECK(terminal.end().exit_code == 0);
    CHECK(contents(script_of(cluster)).find("\n# ") == std::string::npos);
    check_plays_again(script_of(cluster));
  }
}

TEST_CASE("watch --hold: whatever keys are pressed, the script says what happened") {
  // Those that kill and stop are rare: a cluster of which little is left sends little.
  const std::string keys = "ddddddddxxxaattttuuuuuujjjkkk[]]]SCCKrr";
  const std::string algorithms[] = {"bully",         "bully",         "dolev-klawe-rodeh",
                                    "chang-roberts", "garcia-molina", "tanenbaum-ring"};
  Random random(9);
  for (const std::string& algorithm : algorithms) {
    CAPTURE(algorithm);
    Cluster cluster({"--led", "--algorithm=" + algorithm});
    start_by_hand(cluster, 5);
    PseudoTerminal terminal(hold_arguments(cluster), rows, columns);
    REQUIRE(terminal.shows("messages waiting: 0"));
    std::string pressed = "u";
    for (int i = 0; i < 60; ++i) pressed += keys[random.below(keys.size())];
    CAPTURE(pressed);
    for (const char key : pressed) terminal.press(std::string(1, key));
    terminal.press("q");
    CHECK(terminal.end().exit_code == 0);
    CAPTURE(contents(script_of(cluster)));
    CHECK(contents(script_of(cluster)).find("\n# ") == std::string::npos);
    check_plays_again(script_of(cluster));
  }
}

TEST_CASE("watch --hold: programs that speak only the example's protocol are held as well") {
  Cluster nobody;
  fs::create_directory(nobody.directory());
  fs::permissions(nobody.directory(), fs::perms::owner_all);
  LegacyPeer one(nobody.directory(), {.id = 1});
  LegacyPeer two(nobody.directory(), {.id = 2});
  LegacyPeer three(nobody.directory(), {.id = 3});
  const auto follow = [&](NodeId id) {
    return wait_until([&] { return one.coordinator() == id && two.coordinator() == id; });
  };
  REQUIRE(follow(3));
  PseudoTerminal terminal(hold_arguments(nobody), rows, columns);
  REQUIRE(terminal.shows("messages waiting: 0"));
  three.kill();
  CHECK(terminal.shows("1 ───── ELECTION ──"));
  terminal.press("r");
  CHECK(follow(2));
  terminal.press("q");
  CHECK(terminal.end().exit_code == 0);
  CHECK(!fs::exists(script_of(nobody)));
}

TEST_CASE("watch --hold overwrites no script, and loses none") {
  Cluster cluster({"--led"});
  start_by_hand(cluster, 2);
  for (const char* name : {"script.txt", "script-2.txt", "script-3.txt"}) {
    PseudoTerminal terminal(hold_arguments(cluster), rows, columns);
    REQUIRE(terminal.shows("messages waiting: 0"));
    terminal.press("kkku");
    REQUIRE(terminal.shows("suspect 1 hung"));
    terminal.press("a\003");
    CHECK(terminal.end().exit_code == 0);
    CHECK(contents(cluster.scratch(name)).find("\nsuspect 1 hung\n") != std::string::npos);
    REQUIRE(cluster.agrees_in_time());
  }
  Arguments arguments = hold_arguments(cluster);
  arguments.back() = "--save=" + cluster.scratch("none") + "/script.txt";
  PseudoTerminal terminal(arguments, rows, columns);
  REQUIRE(terminal.shows("messages waiting: 0"));
  terminal.press("ku");
  REQUIRE(terminal.shows("suspect 1 hung"));
  terminal.press("q");
  CHECK(terminal.end().exit_code == 1);
  CHECK(terminal.text().find("No such file or directory") != std::string::npos);
  CHECK(terminal.text().find("suspect 1 hung") != std::string::npos);
}

TEST_CASE("watch --hold: names go back though it is killed") {
  Cluster cluster({"--led"});
  start_by_hand(cluster, 3);
  PseudoTerminal terminal(hold_arguments(cluster), rows, columns);
  REQUIRE(terminal.shows("messages waiting: 0"));
  terminal.signal(SIGKILL);
  terminal.end();
  CHECK(wait_until([&] { return !fs::exists(cluster.directory() + ".aside/1"); }));
  CHECK(cluster.agrees());
}

TEST_CASE("watch --hold: what makes no sense is said") {
  const Scratch scratch;
  struct Case {
    Arguments arguments;
    int exit_code;
    std::string complaint;
  };
  for (const Case& given :
       {Case{{"watch", "--hold"}, 1, "--hold: standard input and output must be a terminal"},
        Case{{"watch", "--save=x"}, 2, "--save needs --hold"},
        Case{{"cluster", "--hold"}, 2, "--hold needs --watch"},
        Case{{"cluster", "--watch", "--save=x"}, 2, "--save needs --hold"},
        Case{{"cluster", "--demo", "--hold"}, 2, "--hold and --demo cannot be used together"},
        Case{{"cluster", "--watch", "--hold", "--protocol=naive"},
             2,
             "--protocol and --hold cannot be used together"},
        Case{{"cluster", "--watch", "--hold", "--ring=x"},
             2,
             "--ring has no effect with --algorithm=bully"},
        Case{{"cluster", "--watch", "--hold"}, 1, "must be a terminal"}}) {
    Arguments arguments = given.arguments;
    arguments.insert(arguments.end(), {"--lang=en", "--dir=" + scratch.path() + "/nodes"});
    const Finished finished = run_to_end(scratch.path(), {.arguments = arguments});
    CAPTURE(finished.errors);
    CHECK(finished.outcome.exit_code == given.exit_code);
    CHECK(finished.errors.find(given.complaint) != std::string::npos);
    CHECK(finished.output.empty());
  }
}

TEST_CASE("run_cluster.sh --watch --hold: the user is the network and the clock") {
  const Place place;
  const std::string script = place.path() / "script.txt";
  Program program{.arguments = {"4", "--watch", "--hold", "--lang=en", "--dir=" + place.nodes(),
                                "--save=" + script},
                  .binary = "./run_cluster.sh"};
  program.in_child = [temporary = place.temporary()] { setenv("TMPDIR", temporary.c_str(), 1); };
  PseudoTerminal terminal(program, rows, columns);
  const pid_t session = terminal.pid();
  REQUIRE(terminal.shows("messages waiting: 0"));
  CHECK(terminal.shows("all follow 4"));
  terminal.press("jjjK");
  REQUIRE(terminal.shows("crash 4"));
  terminal.press("ku");
  CHECK(terminal.shows("messages waiting: 2"));
  CHECK(terminal.shows("3  →  COORDINATOR  to 1, 2"));  // from the trace
  terminal.press("a");
  CHECK(terminal.shows("all follow 3"));
  terminal.press("\003");
  CHECK(terminal.end().exit_code == 0);
  CHECK(is_empty_session(session));
  CHECK(fs::is_empty(place.nodes()));
  CHECK(fs::is_empty(place.temporary()));
  CHECK(contents(script).find("leave") == std::string::npos);
  check_plays_again(script);
}
