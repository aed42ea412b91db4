// real_agreement_test.cc: real processes by true clocks: they agree on the highest live id when
// they start, when coordinators are killed, and when one is stopped and continued. worlds_test.cc
// compares elections of real processes with the simulator's, record by record.
#include <doctest/doctest.h>
#include <signal.h>

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

}  // namespace
}  // namespace bully
