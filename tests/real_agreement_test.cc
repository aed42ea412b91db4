// real_agreement_test.cc: real processes, one private directory a test: they agree on the highest
// live id, whoever is killed, stopped, continued or comes back.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>

#include "fixture/cluster.h"
#include "support/messages.h"

namespace bully {
namespace {

// Pings twenty times as fast as by default, so that a death is noticed soon.
const Arguments quick = {"--ping-interval=50ms"};
// And a stopped peer, too; the lower ones' patience outlasts the higher ones'.
const Arguments quick_to_doubt = {"--ping-interval=50ms", "--ping-timeout=200ms",
                                  "--answer-timeout=200ms", "--coordinator-timeout=600ms"};

// The first line of the trace from `first` on in which this node enters this state.
bool enters(const std::vector<TraceLine>& trace, NodeId node, std::string_view state,
            std::size_t first) {
  return std::any_of(trace.begin() + static_cast<std::ptrdiff_t>(std::min(first, trace.size())),
                     trace.end(), [&](const TraceLine& line) {
                       return line.node == node && line.event == "state" && line.state == state;
                     });
}

TEST_CASE("Processes whose ids are their PIDs agree on the highest") {
  for (const std::size_t count : {1U, 2U, 5U}) {
    CAPTURE(count);
    Cluster cluster;
    cluster.start_many(count);
    REQUIRE(cluster.agrees_in_time());
    CHECK(cluster.name_count() == count);
  }
}

TEST_CASE("Processes with given ids agree on the highest, whichever the detector") {
  for (const char* detector : {"--detector=ping", "--detector=eof"}) {
    for (const NodeId count : {1U, 3U, 8U}) {
      CAPTURE(detector);
      CAPTURE(count);
      Cluster cluster({detector});
      cluster.start_range(0, count - 1);
      REQUIRE(cluster.agrees_in_time());
    }
  }
}

TEST_CASE("Twenty processes agree, and agree again when the coordinator is killed") {
  for (const char* detector : {"--detector=ping", "--detector=eof"}) {
    CAPTURE(detector);
    Cluster cluster({detector});
    cluster.start_range(0, 19);
    REQUIRE(cluster.agrees_in_time());
    cluster.kill(19);
    REQUIRE(cluster.agrees_in_time());
  }
}

TEST_CASE("Ids compare as numbers, not as text") {
  Cluster cluster;
  cluster.start(9);
  cluster.start(10);
  cluster.start(1000);
  cluster.start(999);
  REQUIRE(cluster.agrees_in_time());
  CHECK(cluster.highest() == 1000);
}

TEST_CASE("[Tan95] The coordinator is killed: the highest left takes over, down to the last") {
  Cluster cluster(quick);
  cluster.start_range(1, 4);
  REQUIRE(cluster.agrees_in_time());
  for (const NodeId coordinator : {4U, 3U, 2U}) {
    CAPTURE(coordinator);
    cluster.kill(coordinator);
    REQUIRE(cluster.agrees_in_time());
  }
}

TEST_CASE("The eof detector needs no ping to notice a death") {
  Cluster cluster({"--detector=eof", "--ping-interval=1s"});
  cluster.start_range(1, 3);
  REQUIRE(cluster.agrees_in_time());
  // Whoever follows 3 holds a connection to it once its first ping has been answered.
  REQUIRE(wait_until([&] { return cluster.status_of(3)->received.of(messages::ping) >= 2; }));
  const Time killed_at = monotonic_now();
  cluster.kill(3);
  REQUIRE(wait_until([&] { return cluster.trace_follows(2); }));
  for (const TraceLine& line : cluster.trace()) {
    if (line.event != "suspect") continue;
    MESSAGE("noticed after " << (line.t_ns - killed_at.count()) / 1'000 << " us");
  }
}

TEST_CASE("The two highest are killed at once") {
  Cluster cluster(quick);
  cluster.start_range(1, 5);
  REQUIRE(cluster.agrees_in_time());
  ::kill(cluster.pid_of(4), SIGKILL);
  cluster.kill(5);
  cluster.kill(4);
  REQUIRE(cluster.agrees_in_time());
}

TEST_CASE("A candidate that has answered is killed in mid-election") {
  Cluster cluster(quick_to_doubt);
  cluster.start_range(1, 5);
  REQUIRE(cluster.agrees_in_time());
  const std::size_t before = cluster.trace().size();
  // A stopped process takes ELECTION and does not answer: so 4 stays candidate for a while, and
  // those below it wait for its COORDINATOR.
  cluster.stop(5);
  REQUIRE(wait_until([&] { return enters(cluster.trace(), 4, "candidate", before); }));
  cluster.kill(4);
  REQUIRE(cluster.agrees_in_time());
  CHECK(cluster.highest() == 3);
}

TEST_CASE("A waiting process is killed in mid-election") {
  Cluster cluster({"--ping-interval=50ms", "--pace=50ms"});
  cluster.start_range(1, 4);
  REQUIRE(cluster.agrees_in_time());
  const std::size_t before = cluster.trace().size();
  cluster.kill(4);
  const auto someone_waits = [&] {
    return enters(cluster.trace(), 1, "waiting", before) ||
           enters(cluster.trace(), 2, "waiting", before);
  };
  REQUIRE(wait_until([&] { return someone_waits() || cluster.agrees(); }));
  cluster.kill(enters(cluster.trace(), 2, "waiting", before) ? 2 : 1);
  REQUIRE(cluster.agrees_in_time());
}

TEST_CASE("A stopped coordinator is replaced, and takes over again when it is continued") {
  Cluster cluster(quick_to_doubt);
  cluster.start_range(1, 4);
  REQUIRE(cluster.agrees_in_time());
  cluster.stop(4);
  REQUIRE(cluster.agrees_in_time());
  cluster.resume(4);
  REQUIRE(cluster.agrees_in_time());
  CHECK(cluster.highest() == 4);
}

TEST_CASE("Ctrl-Z stops a coordinator; fg brings it back") {
  Cluster cluster(quick_to_doubt);
  cluster.start_range(1, 2);
  cluster.start_job(3);
  REQUIRE(cluster.agrees_in_time());
  cluster.stop_job(3);
  REQUIRE(cluster.agrees_in_time());
  cluster.resume_job(3);
  REQUIRE(cluster.agrees_in_time());
  CHECK(cluster.highest() == 3);
}

TEST_CASE("A stopped follower holds up no election, and follows when it is continued") {
  Cluster cluster(quick_to_doubt);
  cluster.start_range(1, 4);
  REQUIRE(cluster.agrees_in_time());
  cluster.stop(2);
  cluster.kill(4);
  REQUIRE(cluster.agrees_in_time());
  cluster.resume(2);
  REQUIRE(cluster.agrees_in_time());
}

TEST_CASE("[Tan95] A process that comes back under its old id takes over") {
  Cluster cluster(quick);
  cluster.start_range(0, 4);
  REQUIRE(cluster.agrees_in_time());
  cluster.kill(4);
  REQUIRE(cluster.agrees_in_time());
  cluster.start(4);
  REQUIRE(cluster.agrees_in_time());
  cluster.kill(2);
  cluster.start(2);  // at once, and not the highest
  REQUIRE(cluster.agrees_in_time());
}

TEST_CASE("A coordinator that is replaced under its id before anyone notices") {
  Cluster cluster;
  cluster.start_range(1, 3);
  REQUIRE(cluster.agrees_in_time());
  cluster.kill(3);
  cluster.start(3);
  REQUIRE(cluster.agrees_in_time());
}

TEST_CASE("Figure 3-12 of [Tan95]: a single detector sends exactly the textbook's messages") {
  constexpr NodeId n = 5;
  for (const NodeId k : {1U, 2U, 3U, 4U}) {
    CAPTURE(k);
    // No timer may interfere, and nobody but the process of rank k may notice.
    Cluster cluster({"--answer-timeout=60s", "--coordinator-timeout=60s", "--ping-timeout=60s"});
    for (NodeId id = n; id >= 1; --id) {  // each settles before the next one joins
      cluster.start(id, {id == k ? "--ping-interval=50ms" : "--ping-interval=3600s"});
      REQUIRE(cluster.agrees_in_time());
    }
    const std::size_t before = cluster.trace().size();
    cluster.kill(n);
    REQUIRE(cluster.agrees_in_time());
    const std::size_t elections = (n - k) * (n - k + 1) / 2;
    const std::size_t answers = (n - k) * (n - k - 1) / 2;
    const auto all_sent = [&] {
      const auto trace = cluster.trace();
      return sent_count(trace, "E", before) >= elections &&
             sent_count(trace, "PE", before) >= answers && sent_count(trace, "C", before) >= n - 2;
    };
    REQUIRE(wait_until(all_sent));
    cluster.kill(k);    // the only one that would notice that the others leave
    cluster.end_all();  // when they have left, nothing more can come
    const auto trace = cluster.trace();
    CHECK(sent_count(trace, "E", before) == elections);
    CHECK(sent_count(trace, "PE", before) == answers);
    CHECK(sent_count(trace, "C", before) == n - 2);
    CHECK(std::count_if(trace.begin() + static_cast<std::ptrdiff_t>(before), trace.end(),
                        [](const TraceLine& line) { return line.event == "lost"; }) ==
          static_cast<std::ptrdiff_t>(n - k));
  }
}

}  // namespace
}  // namespace bully
