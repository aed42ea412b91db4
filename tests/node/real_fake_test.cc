// real_fake_test.cc: processes that lie about elections, among nodes of ours, and what is left of
// their lies when they are gone.
#include <doctest/doctest.h>

#include <algorithm>

#include "fixture/cluster.h"
#include "support/fake.h"

namespace bully {
namespace {

// Whoever asks it for its status takes it for the coursework's example.
constexpr Lies nothing_of_itself = {.status = Lies::Reply::close};
constexpr Lies has_another = {
    .ping = Lies::Reply::another, .status = Lies::Reply::close, .another = 8, .answers = true};

TEST_CASE("When an awaited process dies, an election is held at once") {
  for (const NodeId count : {1U, 3U}) {
    CAPTURE(count);
    // Whoever waits for its timeout waits for ever.
    Cluster cluster({"--ping-interval=100ms", "--coordinator-timeout=60s"});
    Fake fake(cluster.directory(), 9, has_another);
    cluster.start_range(1, count);
    // Each of them waits for 9, and looks how it is: it is there, and what it says is no news.
    REQUIRE(wait_until([&] {
      const auto waiting = std::ranges::count(cluster.status(), "waiting", &NodeStatus::state);
      return NodeId(waiting) == count && fake.pings() >= 20;
    }));
    const std::uint64_t elections = fake.elections();
    fake.kill();
    REQUIRE(cluster.agrees_in_time());
    CHECK(fake.elections() == elections);
  }
}

TEST_CASE("An election is held at once where a waiting process is itself awaited") {
  RunningCluster cluster(1, 2, {"--ping-interval=100ms", "--coordinator-timeout=60s"});
  cluster.start_and_agree(3);
  Fake fake(cluster.directory(), 9, has_another);
  cluster.kill(3);  // all wait for 9 now
  REQUIRE(wait_until([&] { return fake.elections() >= 2; }));
  cluster.start(5);  // asks 9, and waits as well
  REQUIRE(wait_until([&] { return fake.elections() >= 3; }));
  fake.kill();
  REQUIRE(cluster.agrees_in_time());
}

// The first report is at once, and the next ones after 1, 2, 4, … ping intervals.
TEST_CASE("A highest process that answers pings and no ELECTION costs ever fewer elections") {
  RunningCluster cluster(1, 3, {"--ping-interval=50ms", "--answer-timeout=20ms"});
  Fake first(cluster.directory(), 9, nothing_of_itself);
  REQUIRE(wait_until([&] { return first.pings() >= 60; }));
  CHECK(first.elections() >= 1);
  CHECK(first.elections() <= 20);  // once it was one for each ping
  // Nobody knows yet that another one lies as well: it is asked at once.
  Fake second(cluster.directory(), 8, nothing_of_itself);
  CHECK(wait_until([&] { return second.elections() >= 1; }));
  first.kill();
  second.kill();
  CHECK(cluster.agrees_in_time());
  // One that takes over is none of those.
  cluster.start_and_agree(7);
}

}  // namespace
}  // namespace bully
