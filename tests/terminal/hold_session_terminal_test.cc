// hold_session_terminal_test.cc: `bully watch --hold` over real nodes, in a terminal of its own;
// and the scripts that it saves, played again by the simulator and by real processes.
#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>
#include <string>

#include "fixture/cluster.h"
#include "fixture/said.h"
#include "fixture/scripts.h"
#include "sim/world.h"
#include "support/legacy_peer.h"
#include "support/pseudo_terminal.h"

using namespace bully;
namespace fs = std::filesystem;

namespace {

constexpr unsigned short rows = 40;
constexpr unsigned short columns = 100;

// Nodes that are led by hand, and agree; started one after the other, since nobody pings.
struct LedCluster : Cluster {
  explicit LedCluster(NodeId last, const std::string& algorithm = "bully")
      : Cluster({"--led", "--algorithm=" + algorithm}) {
    for (NodeId id = 1; id <= last; ++id) start_and_agree(id);
  }
};

std::string script_of(const Cluster& cluster) {
  return cluster.scratch("script.txt");
}

Arguments hold_arguments(const Cluster& cluster) {
  return {"watch",           "--hold",    "--dir=" + cluster.directory(),
          "--interval=50ms", "--lang=en", "--save=" + script_of(cluster)};
}

// `bully watch --hold` over the cluster, which has begun.
struct Holding : PseudoTerminal {
  explicit Holding(const Arguments& arguments) : PseudoTerminal(arguments, rows, columns) {
    REQUIRE(shows("messages waiting: 0"));
  }
  explicit Holding(const Cluster& cluster) : Holding(hold_arguments(cluster)) {}

  void quit() { CHECK(end_by("q").exit_code == 0); }
};

std::string arrow(NodeId from, const std::string& name, NodeId to) {
  // As wide as the longest name, COORDINATOR.
  std::string line = " ─────";
  for (std::size_t i = name.size(); i < 11; ++i) line += "─";
  return std::to_string(from) + " ───── " + name + line + "▶ " + std::to_string(to);
}

void check_plays_again(const std::string& script) {
  CAPTURE(contents(script));
  for (const Arguments& where : {Arguments{}, Arguments{"--real"}}) {
    CAPTURE(where.size());
    const Finished played = run_bully(Arguments{"scenario", script, "--lang=en"} + where);
    CAPTURE(played.output);
    CAPTURE(played.errors);
    CHECK(played.outcome.exit_code == 0);
  }
}

}  // namespace

TEST_CASE("watch --hold: each message waits for a key, and the script of it all plays again") {
  LedCluster cluster(4);
  Holding terminal(cluster);
  CHECK(terminal.shows_after("jjjK", "crash 4"));
  CHECK(terminal.shows_after("kkku", "> " + arrow(1, "ELECTION", 2)));
  CHECK(terminal.shows("  " + arrow(1, "ELECTION", 3)));
  CHECK(terminal.shows("deliver gone from 4 to 1"));
  CHECK(terminal.shows_after("]x", "drop ELECTION from 1 to 3"));
  CHECK(terminal.shows("1  ×  ELECTION     to 3: lost on the way"));  // in the log
  CHECK(terminal.shows_after("d", arrow(2, "ELECTION", 3)));
  CHECK(terminal.shows("> 2 "));
  CHECK(terminal.shows("messages waiting: 2"));
  CHECK(terminal.shows_after("x", "drop ANSWER from 2 to 1"));
  CHECK(terminal.shows_after("x", "drop ELECTION from 2 to 3"));
  CHECK(terminal.shows_after("t", "expire 1 answer"));   // 1 hears no ANSWER: it wins
  CHECK(terminal.shows_after("jt", "expire 2 answer"));  // and 2 likewise
  CHECK(terminal.shows_after("a", "deliver ──"));
  // Only 3 still follows the dead one.
  CHECK(terminal.shows_after("ju", "deliver gone from 4 to 3"));
  CHECK(terminal.shows_after("r", "messages waiting: 0, delivered as they come"));
  CHECK(terminal.shows("all follow 3"));
  terminal.quit();
  CHECK(contains(terminal.text(), "The script is in " + script_of(cluster)));
  CHECK(!terminal.is_other_screen());
  for (NodeId id = 1; id <= 3; ++id) CHECK(cluster.status_of(id)->coordinator == 3);
  CHECK(contains(contents(script_of(cluster)), "expect coordinators 3\n"));
  check_plays_again(script_of(cluster));
}

TEST_CASE("watch --hold: R restarts a killed process, and the header counts on until all agree") {
  LedCluster cluster(3);
  Holding terminal(cluster);
  REQUIRE(terminal.shows_after("jjK", "Choose a process, then u: it suspects"));
  CHECK(terminal.shows("crash 3"));
  CHECK(terminal.shows_after("kku", "> " + arrow(1, "ELECTION", 2)));
  CHECK(terminal.shows_after("x", "messages waiting: 0"));
  CHECK(terminal.shows_after("t", "expire 1 answer"));  // a false victory
  CHECK(terminal.shows_after("jjR", "restart 3"));
  CHECK(terminal.shows("last election: ELECTION 2, ANSWER 0, COORDINATOR 2"));
  CHECK(terminal.shows_after("r", "all follow 3"));
  terminal.quit();
  check_plays_again(script_of(cluster));
}

TEST_CASE("watch --hold: v and e close the list of keys") {
  LedCluster cluster(2);
  Holding terminal(cluster);
  for (const std::string key : {"v", "e"}) {
    REQUIRE(terminal.shows_after("?", "Keys of the screen"));
    terminal.press(key);
    CHECK(wait_until([&] { return !contains(terminal.text(), "Keys of the screen"); }));
  }
  terminal.quit();
}

TEST_CASE("watch --hold: a process may be stopped, leave, come back, and join") {
  LedCluster cluster(3);
  Holding terminal(cluster);
  // The heading is as old as the last look at the processes: they themselves are asked as well, and
  // what was said to them has come when nothing waits.
  const auto all_follow = [&](NodeId id) {
    CHECK(cluster.agrees_in_time());
    CHECK(terminal.shows("messages waiting: 0, delivered as they come"));
    CHECK(terminal.shows("all follow " + std::to_string(id)));
  };
  CHECK(terminal.shows_after("jjS", "pause 3"));
  CHECK(terminal.shows_after("kku", "suspect 1 hung"));
  CHECK(terminal.shows_after("a", "messages waiting: 2"));  // 2 has answered, and asks 3
  terminal.press("a");
  CHECK(terminal.shows_after("jt", "expire 2 answer"));
  CHECK(terminal.shows_after("a", "messages waiting: 0"));
  CHECK(terminal.shows_after("jC", "resume 3"));
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
  CHECK(!contains(contents(script_of(cluster)), "\n# "));
  check_plays_again(script_of(cluster));
}

TEST_CASE("watch --hold: messages of nodes with a clock of their own wait, without a script") {
  // The timers run out while the messages wait.
  RunningCluster cluster(1, 4, {"--ping-interval=20ms", "--answer-timeout=300ms"});
  Holding terminal(cluster);
  CHECK(terminal.shows_after("kkku", "1 has its own clock"));
  cluster.kill(4);
  CHECK(terminal.shows("1 ───── ELECTION ──"));
  CHECK(wait_until([&] { return cluster.status_of(3)->state == "coordinator"; }));
  CHECK(wait_until([&] { return cluster.status_of(2)->state == "coordinator"; }));
  terminal.press("xda");
  CHECK(terminal.shows_after("r", "all follow 3"));
  terminal.quit();
  CHECK(cluster.agrees_in_time());
  CHECK(!fs::exists(script_of(cluster)));
}

TEST_CASE("watch --hold: a node that is led by hand takes orders also among others") {
  Cluster cluster({"--ping-interval=60s", "--answer-timeout=60s"});
  cluster.start(2);
  cluster.start(1, {"--led"});
  REQUIRE(cluster.agrees_in_time());
  Holding terminal(cluster);
  CHECK(terminal.shows_after("ku", "> " + arrow(1, "ELECTION", 2)));
  CHECK(terminal.shows_after("x", "messages waiting: 0"));
  terminal.press("t");  // 1 hears no ANSWER: it wins
  CHECK(wait_until([&] { return cluster.status_of(1)->coordinator == 1; }));
  terminal.quit();
  CHECK(!fs::exists(script_of(cluster)));
}

TEST_CASE("watch --hold: the script ends where a process joins that is not led by hand") {
  LedCluster cluster(3);
  Holding terminal(cluster);
  CHECK(terminal.shows_after("jjjK", "crash 3"));
  CHECK(terminal.shows_after("ku", "deliver gone from 3 to 2"));
  LegacyPeer nine(cluster.directory(), {.id = 9});
  CHECK(terminal.shows("messages waiting: 3"));  // those of 2 and of 9
  terminal.press("r");
  CHECK(wait_until([&] { return cluster.status_of(1)->coordinator == 9; }));
  terminal.quit();
  const std::string script = contents(script_of(cluster));
  CAPTURE(script);
  CHECK(contains(script, "\ndeliver gone from 3 to 2\n# Here a process came or acted"));
  CHECK(!contains(script, "expect"));
}

TEST_CASE("watch --hold: whatever keys are pressed, the script says what happened") {
  // Those that kill and stop are rare: a cluster of which little is left sends little.
  const std::string keys = "ddddddddxxxaattttuuuuuujjjkkk[]]]SCCKrr";
  const std::string algorithms[] = {"bully",         "bully",         "dolev-klawe-rodeh",
                                    "chang-roberts", "garcia-molina", "tanenbaum-ring"};
  Random random(9);
  for (const std::string& algorithm : algorithms) {
    CAPTURE(algorithm);
    LedCluster cluster(5, algorithm);
    Holding terminal(cluster);
    std::string pressed = "u";
    for (int i = 0; i < 60; ++i) pressed += keys[random.below(keys.size())];
    CAPTURE(pressed);
    for (const char key : pressed) terminal.press(std::string(1, key));
    terminal.quit();
    CAPTURE(contents(script_of(cluster)));
    CHECK(!contains(contents(script_of(cluster)), "\n# "));
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
  Holding terminal(nobody);
  three.kill();
  CHECK(terminal.shows("1 ───── ELECTION ──"));
  terminal.press("r");
  CHECK(follow(2));
  terminal.quit();
  CHECK(!fs::exists(script_of(nobody)));
}

TEST_CASE("watch --hold overwrites no script, and loses none") {
  LedCluster cluster(2);
  for (const char* name : {"script.txt", "script-2.txt", "script-3.txt"}) {
    Holding terminal(cluster);
    REQUIRE(terminal.shows_after("kkku", "suspect 1 hung"));
    CHECK(terminal.end_by("a\003").exit_code == 0);
    CHECK(contains(contents(cluster.scratch(name)), "\nsuspect 1 hung\n"));
    REQUIRE(cluster.agrees_in_time());
  }
  Arguments arguments = hold_arguments(cluster);
  arguments.back() = "--save=" + cluster.scratch("none") + "/script.txt";
  Holding terminal(arguments);
  REQUIRE(terminal.shows_after("ku", "suspect 1 hung"));
  CHECK(terminal.end_by("q").exit_code == 1);
  check_says(terminal.text(), {"No such file or directory", "suspect 1 hung"});
}

TEST_CASE("run_cluster.sh --watch --hold: the user is the network and the clock") {
  const Place place;
  const std::string script = place.path() / "script.txt";
  PseudoTerminal terminal(cluster_in_terminal(place, {"4", "--hold", "--save=" + script}), rows,
                          columns);
  REQUIRE(terminal.shows("messages waiting: 0"));
  CHECK(terminal.shows("all follow 4"));
  REQUIRE(terminal.shows_after("jjjK", "crash 4"));
  CHECK(terminal.shows_after("ku", "messages waiting: 2"));
  CHECK(terminal.shows("3  →  COORDINATOR  to 1, 2"));  // from the trace
  CHECK(terminal.shows_after("a", "all follow 3"));
  CHECK(terminal.end_by("\003").exit_code == 0);
  CHECK(is_empty_session(terminal.pid()));
  CHECK(fs::is_empty(place.nodes()));
  CHECK(fs::is_empty(place.temporary()));
  CHECK(contents(script).find("leave") == std::string::npos);
  check_plays_again(script);
}

TEST_CASE("run_cluster.sh --watch in slow motion shows how many processes have started") {
  const Place place;
  PseudoTerminal terminal(cluster_in_terminal(place, {"3", "--pace=200ms"}), rows, columns);
  CHECK(terminal.shows("1 of 3 processes have started"));
  REQUIRE(terminal.shows("q quit"));
  CHECK(!contains(terminal.text(), "processes have started"));
  CHECK(terminal.end_by("q").exit_code == 0);
}
