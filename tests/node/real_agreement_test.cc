// real_agreement_test.cc: real processes by true clocks: they agree on the highest live id when
// they start, when coordinators are killed, when one is stopped and continued, and when any die and
// return, for BULLY_SOAK_ROUNDS, in a sequence that BULLY_SOAK_SEED chooses. real_backend_test.cc
// compares elections of real processes with the simulator's, record by record.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <deque>
#include <random>

#include "fixture/cluster.h"

namespace bully {
namespace {

TEST_CASE("Twenty processes agree, and agree again when the coordinator is killed") {
  for (const char* detector : {"--detector=ping", "--detector=eof"}) {
    CAPTURE(detector);
    RunningCluster cluster(0, 19, {detector});
    cluster.kill_and_agree(19);
  }
}

TEST_CASE("Ctrl-Z stops a coordinator; fg brings it back") {
  // The lower ones' patience outlasts the higher ones'.
  Cluster cluster({"--ping-interval=50ms", "--ping-timeout=200ms", "--answer-timeout=200ms",
                   "--coordinator-timeout=600ms"});
  cluster.start_range(1, 2);
  cluster.start_job(3);
  REQUIRE(cluster.agrees_in_time());
  cluster.stop_job(3);
  REQUIRE(cluster.agrees_in_time());
  cluster.resume_job(3);
  REQUIRE(cluster.agrees_in_time());
  CHECK(cluster.highest() == 3);
}

TEST_CASE("The coordinator of a ring is killed, and the highest few at once, down to the last") {
  RunningCluster cluster(0, 6, {"--algorithm=dolev-klawe-rodeh", "--ping-interval=50ms"});
  cluster.kill_and_agree(6);
  for (const NodeId id : {5U, 4U, 3U}) ::kill(cluster.pid_of(id), SIGKILL);
  for (const NodeId id : {5U, 4U}) cluster.kill(id);
  cluster.kill_and_agree(3);
  CHECK(cluster.highest() == 2);
  for (const NodeId id : {2U, 1U}) {
    cluster.kill_and_agree(id);
  }
}

// SIGKILLs and returns under old ids, up to three at a time. Every other death is the
// coordinator's: that is what costs an election.
void check_survival(NodeId nodes, unsigned rounds, const Arguments& options = {}) {
  RunningCluster cluster(1, nodes, options);
  std::minstd_rand random(from_environment("BULLY_SOAK_SEED", 1));
  std::deque<NodeId> dead;
  for (unsigned round = 0; round < from_environment("BULLY_SOAK_ROUNDS", rounds); ++round) {
    CAPTURE(round);
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      const std::vector<NodeId> live = cluster.live();
      const bool kills = live.size() > 2 && (dead.empty() || random() % 2 == 0);
      if (kills) {
        dead.push_back(random() % 2 == 0 ? live.back() : live[random() % live.size()]);
        cluster.kill(dead.back());
      } else if (!dead.empty()) {
        cluster.start(dead.front());
        dead.pop_front();
      }
    }
    REQUIRE(cluster.agrees_in_time());
  }
  cluster.end_all();
  CHECK(cluster.orphan_count() == 0);
  CHECK(cluster.name_count() == 0);
  CHECK(children_of(getpid()).empty());
}

TEST_CASE("Twenty nodes with default options survive random kills and returns") {
  check_survival(20, 20);
}

TEST_CASE("Eight nodes on a ring survive random kills and returns") {
  check_survival(8, 10, {"--algorithm=dolev-klawe-rodeh"});
  check_survival(8, 10, {"--algorithm=dolev-klawe-rodeh", "--detector=eof"});
  check_survival(8, 10, {"--algorithm=chang-roberts", "--detector=eof"});
}

}  // namespace
}  // namespace bully
