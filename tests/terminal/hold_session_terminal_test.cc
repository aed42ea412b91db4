// hold_session_terminal_test.cc: `bully watch --hold` over real nodes, in a terminal of its own;
// and the scripts that it saves, played again by the simulator and by real processes.
#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>
#include <string>

#include "fixture/cluster.h"
#include "fixture/session.h"
#include "sim/world.h"
#include "support/legacy_peer.h"
#include "support/pseudo_terminal.h"

using namespace bully;
namespace fs = std::filesystem;

namespace {

// Controlled nodes that agree; started one after the other, since nobody pings.
struct ControlledCluster : Cluster {
  explicit ControlledCluster(NodeId last, const std::string& algorithm = "bully")
      : Cluster({"--controlled", "--algorithm=" + algorithm}) {
    for (NodeId id = 1; id <= last; ++id) start_and_agree(id);
  }
};

std::string script_of(const Cluster& cluster) {
  return cluster.scratch("script.txt");
}

// `bully watch --hold` over the cluster, which has begun.
struct Holding : PseudoTerminal {
  explicit Holding(const Cluster& cluster)
      : PseudoTerminal(Arguments{"watch", "--hold", "--dir=" + cluster.directory(),
                                 "--interval=50ms", "--lang=en", "--save=" + script_of(cluster)},
                       40, 100) {
    REQUIRE(shows("messages held: 0"));
  }
  void quit() { CHECK(end_by("q").exit_code == 0); }
};

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

TEST_CASE("watch --hold: a controlled node handles events also among others") {
  Cluster cluster({"--ping-interval=60s", "--answer-timeout=60s"});
  cluster.start(2);
  cluster.start(1, {"--controlled"});
  REQUIRE(cluster.agrees_in_time());
  Holding terminal(cluster);
  CHECK(terminal.shows_after("ku", "> 1 ───── ELECTION ────────▶ 2"));
  CHECK(terminal.shows_after("x", "messages held: 0"));
  terminal.press("t");  // 1 hears no ANSWER: it wins
  CHECK(wait_until([&] { return cluster.status_of(1)->coordinator == 1; }));
  terminal.quit();
  CHECK(!fs::exists(script_of(cluster)));
}

TEST_CASE("watch --hold: the script ends where a process joins that is not controlled") {
  ControlledCluster cluster(3);
  Holding terminal(cluster);
  CHECK(terminal.shows_after("jjjK", "crash 3"));
  CHECK(terminal.shows_after("ku", "deliver gone from 3 to 2"));
  LegacyPeer nine(cluster.directory(), {.id = 9});
  CHECK(terminal.shows("messages held: 3"));  // those of 2 and of 9
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
  const std::string keys = "ddddddddxxxaattttuuuuuujjjkkk[]]]SCCKrrRR//bbb";
  const std::string algorithms[] = {"bully",         "bully",         "dolev-klawe-rodeh",
                                    "chang-roberts", "garcia-molina", "tanenbaum-ring"};
  Random random(9);
  int played = 0;
  for (const std::string& algorithm : algorithms) {
    CAPTURE(algorithm);
    ControlledCluster cluster(5, algorithm);
    Holding terminal(cluster);
    std::string pressed = "u";
    for (int i = 0; i < 60; ++i) pressed += keys[random.below(keys.size())];
    CAPTURE(pressed);
    for (const char key : pressed) terminal.press(std::string(1, key));
    terminal.quit();
    if (!fs::exists(script_of(cluster))) continue;  // b has taken all back
    ++played;
    CAPTURE(contents(script_of(cluster)));
    CHECK(!contains(contents(script_of(cluster)), "\n# "));
    check_plays_again(script_of(cluster));
  }
  CHECK(played > 1);
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

TEST_CASE("watch --hold: each message waits for a key, and the script of it all plays again") {
  check_session("tests/terminal/hold.session");
}
