// real_fake_test.cc: processes that lie about elections, among nodes of ours, and what is left of
// their lies when they are gone.
#include <doctest/doctest.h>

#include "support/cluster.h"
#include "support/fake_node.h"

namespace bully {
namespace {

TEST_CASE("When one that was waited for dies, an election is held at once") {
  for (const NodeId count : {1U, 3U}) {
    CAPTURE(count);
    // Whoever waits for its timeout waits for ever.
    Cluster cluster({"--ping-interval=100ms", "--coordinator-timeout=60s"});
    FakeNode fake(cluster.directory(), {.id = 9, .follows = 8, .answers = true});
    cluster.start_range(1, count);
    // Each of them waits for 9, and looks how it is: it is there, and what it says is no news.
    REQUIRE(wait_until([&] {
      const auto all = cluster.status();
      std::size_t waiting = 0;
      for (const PeerStatus& peer : all) waiting += peer.status.state == "waiting" ? 1 : 0;
      return waiting == count && fake.pings() >= 20;
    }));
    const std::uint64_t elections = fake.elections();
    fake.kill();
    REQUIRE(cluster.agrees_in_time());
    CHECK(fake.elections() == elections);
  }
}

TEST_CASE("So it is where one that waits is waited for by others") {
  Cluster cluster({"--ping-interval=100ms", "--coordinator-timeout=60s"});
  cluster.start_range(1, 2);
  REQUIRE(cluster.agrees_in_time());
  cluster.start(3);
  REQUIRE(cluster.agrees_in_time());
  FakeNode fake(cluster.directory(), {.id = 9, .follows = 8, .answers = true});
  cluster.kill(3);  // all wait for 9 now
  REQUIRE(wait_until([&] { return fake.elections() >= 2; }));
  cluster.start(5);  // asks 9, and waits as well
  REQUIRE(wait_until([&] { return fake.elections() >= 3; }));
  fake.kill();
  REQUIRE(cluster.agrees_in_time());
}

}  // namespace
}  // namespace bully
