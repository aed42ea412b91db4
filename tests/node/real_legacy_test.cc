// real_legacy_test.cc: nodes of ours beside peers that speak only the example's bytes. What the
// nodes of ours think is read from the trace: a status request would be one more connection, and a
// peer that closes one only for the next must not be helped.
#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "fixture/stranger.h"
#include "support/legacy_peer.h"

namespace bully {
namespace {

// So that nothing takes long, and a peer that is slow for want of a processor is not called hung.
constexpr Duration ping_timeout = std::chrono::seconds(2);
const Arguments options = {"--ping-interval=50ms", "--ping-timeout=2s", "--answer-timeout=300ms",
                           "--coordinator-timeout=400ms", "--trace-pings"};

bool follow_in_time(const Cluster& cluster, NodeId coordinator) {
  return wait_until([&] { return cluster.trace_follows(coordinator); });
}

// Pings that have been sent to `id`.
std::size_t ping_count(const Cluster& cluster, NodeId id) {
  return cluster.count([id](const TraceLine& line) {
    return line.event == "send" && line.type == "1" && line.to == id;
  });
}

// One answer timeout, and not two, of a second each.
constexpr std::int64_t one_timeout_ns = 1'800'000'000;

TEST_CASE("[PyBully] A coordinator that speaks only the example's protocol is followed") {
  for (const bool announces : {true, false}) {
    CAPTURE(announces);
    Cluster cluster(options);
    LegacyPeer legacy(cluster.directory(), {.id = 9, .announces = announces});
    cluster.start_range(1, 3);
    // Even where it never says that it has won: it is the highest that answers ELECTION.
    REQUIRE(follow_in_time(cluster, 9));
    const Time followed_at = monotonic_now();
    REQUIRE(wait_until([&] { return monotonic_now() - followed_at > 2 * ping_timeout; }));
    CHECK(cluster.count("suspect") == 0);
    CHECK(cluster.trace_follows(9));
    legacy.kill();
    REQUIRE(follow_in_time(cluster, 3));
  }
}

TEST_CASE("[PyBully] A single follower is enough: the late close of its own ping is a sign") {
  for (const char* detector : {"--detector=ping", "--detector=eof"}) {
    CAPTURE(detector);
    // A ping's timeout is over before the next ping is due.
    Cluster cluster({"--ping-interval=1500ms", "--ping-timeout=1200ms", "--trace-pings", detector});
    LegacyPeer legacy(cluster.directory(), {.id = 9, .pings = false});
    cluster.start(1);
    REQUIRE(follow_in_time(cluster, 9));
    REQUIRE(wait_until([&] { return ping_count(cluster, 9) >= 4; }));
    CHECK(cluster.count("suspect") == 0);
    legacy.kill();
    REQUIRE(follow_in_time(cluster, 1));
  }
}

TEST_CASE("[PyBully] Followers that speak only the example's protocol learn the coordinator") {
  Cluster cluster(options);
  LegacyPeer lowest(cluster.directory(), {.id = 1});
  LegacyPeer middle(cluster.directory(), {.id = 5});
  cluster.start(3);
  REQUIRE(follow_in_time(cluster, 5));
  cluster.start(9);
  const auto all_follow = [&](NodeId id) {
    return wait_until([&] {
      return cluster.trace_follows(id) && lowest.coordinator() == id && middle.coordinator() == id;
    });
  };
  REQUIRE(all_follow(9));
  cluster.kill(9);
  REQUIRE(all_follow(5));
  cluster.start(9);
  REQUIRE(all_follow(9));
}

TEST_CASE("[PyBully] Busy-loop pings do not hold up a coordinator of ours") {
  // Who is slow for want of a processor is not suspected, nor passed over in an election.
  Cluster cluster({"--ping-interval=50ms", "--ping-timeout=5s", "--answer-timeout=5s",
                   "--coordinator-timeout=5s"});
  LegacyPeer first(cluster.directory(), {.id = 1});
  LegacyPeer second(cluster.directory(), {.id = 2});
  const auto both_follow = [&](NodeId id) {
    return wait_until([&] { return first.coordinator() == id && second.coordinator() == id; });
  };
  // One after the other: where two announce themselves at once, the example may hear the stale
  // COORDINATOR last, and nothing can tell it so.
  for (const NodeId id : {5U, 6U, 7U}) {
    cluster.start(id);
    REQUIRE(both_follow(id));
  }
  for (const NodeId coordinator : {7U, 6U}) {
    CAPTURE(coordinator);
    REQUIRE(cluster.agrees_in_time());
    REQUIRE(both_follow(coordinator));
    const std::uint64_t pings = first.pings_sent() + second.pings_sent();
    const Time begin = monotonic_now();
    REQUIRE(wait_until([&] { return first.pings_sent() + second.pings_sent() >= pings + 20'000; }));
    const auto took_ms = (monotonic_now() - begin) / std::chrono::milliseconds(1) + 1;
    const auto rate = 20'000'000L / took_ms;
    MESSAGE("pings a second: " << rate);
    CHECK(cluster.agrees_in_time());
    cluster.kill(coordinator);
  }
  REQUIRE(cluster.agrees_in_time());
  cluster.start(7);  // comes back amid the noise
  REQUIRE(cluster.agrees_in_time());
}

TEST_CASE("[PyBully] A ghost holds up an election for one answer timeout at most") {
  // Two timeouts would be two seconds.
  Cluster cluster({"--ping-interval=50ms", "--ping-timeout=300ms", "--answer-timeout=1s",
                   "--coordinator-timeout=5s"});
  LegacyPeer legacy(cluster.directory(), {.id = 9});
  cluster.start_range(1, 4);
  REQUIRE(follow_in_time(cluster, 9));
  std::size_t before = cluster.trace().size();
  legacy.kill_parent();
  REQUIRE(follow_in_time(cluster, 4));
  CHECK(election_ns(cluster.trace(), before) < one_timeout_ns);

  // And whoever is elected with the ghost around is replaced as soon.
  before = cluster.trace().size();
  cluster.kill(4);
  REQUIRE(follow_in_time(cluster, 3));
  CHECK(election_ns(cluster.trace(), before) < one_timeout_ns);
  CHECK(cluster.has_name(9));  // somebody listens there: it is not for us to remove
}

TEST_CASE("[PyBully] Many ghosts cost no more than one") {
  Cluster cluster({"--ping-interval=50ms", "--answer-timeout=1s", "--coordinator-timeout=5s"});
  std::vector<std::unique_ptr<LegacyPeer>> ghosts;
  for (NodeId id = 11; id <= 16; ++id) {
    ghosts.push_back(
        std::make_unique<LegacyPeer>(cluster.directory(), LegacyOptions{.id = id, .pings = false}));
    ghosts.back()->kill_parent();
  }
  cluster.start_and_agree(1, 4);
  const std::size_t before = cluster.trace().size();
  cluster.kill(4);
  REQUIRE(follow_in_time(cluster, 3));
  CHECK(election_ns(cluster.trace(), before) < one_timeout_ns);
}

TEST_CASE("[PyBully] A peer that compares ids as text does not mislead nodes of ours") {
  Cluster cluster(options);
  cluster.start(8);
  cluster.start(10);
  REQUIRE(follow_in_time(cluster, 10));
  LegacyPeer legacy(cluster.directory(), {.id = 9, .ids_as_text = true});  // announces itself
  REQUIRE(wait_until([&] { return legacy.coordinator() == 10; }));
  REQUIRE(follow_in_time(cluster, 10));
  cluster.kill(10);
  REQUIRE(follow_in_time(cluster, 9));
}

}  // namespace
}  // namespace bully
