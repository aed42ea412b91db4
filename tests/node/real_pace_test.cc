// real_pace_test.cc: real processes in slow motion: what a node does while it pauses.
#include <doctest/doctest.h>

#include <signal.h>

#include <vector>

#include "fixture/cluster.h"
#include "fixture/stranger.h"
#include "support/fake.h"
#include "support/names.h"

namespace bully {
namespace {

std::size_t count_of(const Cluster& cluster, NodeId node, std::string_view event,
                     std::string_view type = "") {
  return cluster.count([&](const TraceLine& line) {
    return line.node == node && line.event == event && (type.empty() || line.type == type);
  });
}

}  // namespace

TEST_CASE("Connections that come while a node pauses are read when it has looked at them") {
  Cluster cluster({"--pace=700ms"});
  for (NodeId id = 1; id <= 3; ++id) cluster.start_and_agree(id);
  kill(cluster.pid_of(1), SIGUSR1);
  REQUIRE(wait_until([&] { return count_of(cluster, 1, "suspect") > 0; }));
  std::vector<Descriptor> idle;
  for (int i = 0; i < 12; ++i) idle.push_back(connect_in_time(cluster, 1));
  // It answers meanwhile, and drops them only when their time is over.
  REQUIRE(cluster.status_of(1));
  CHECK(wait_until([&] { return count_of(cluster, 1, "drop") == 12; }));
  for (const TraceLine& line : cluster.trace()) {
    if (line.event == "drop") CHECK(line.reason == "deadline");
  }
  CHECK(cluster.agrees_in_time());
}

TEST_CASE("A coordinator holds no election for a higher process that is gone before its news") {
  Cluster cluster({"--pace=300ms", "--ping-interval=50ms", "--trace-pings"});
  for (NodeId id = 1; id <= 2; ++id) cluster.start_and_agree(id);
  cluster.start(3);
  // The monitor of 2 has found it: it has answered a ping.
  const auto is_ping_of_2 = [](const TraceLine& line) {
    return line.node == 3 && line.event == "receive" && line.type == "1" && line.from == 2;
  };
  REQUIRE(wait_until([&] { return cluster.count(is_ping_of_2) > 0; }));
  cluster.kill(3);
  // For more pings of 1, one each interval, than the news of 3 could have taken.
  const std::size_t pinged = count_of(cluster, 1, "send", "1");
  REQUIRE(wait_until([&] { return count_of(cluster, 1, "send", "1") > pinged + 50; }));
  CHECK(count_of(cluster, 2, "suspect") == 0);
  CHECK(cluster.agrees());
}

TEST_CASE("What replies show in slow motion counts for the time in which they came") {
  Cluster cluster({"--pace=100ms", "--ping-interval=50ms", "--ping-timeout=60s"});
  cluster.start_and_agree(1);
  const Time begun_at = monotonic_now();
  Fake above(cluster.directory(), 9, {.status = Lies::Reply::close});
  REQUIRE(wait_until([&] { return above.pings() >= 2; }));
  above.process().signal(SIGSTOP);
  REQUIRE(above.process().is_stopped_in_time());
  const Time stopped_at = monotonic_now();
  REQUIRE(wait_until([&] { return monotonic_now() - stopped_at > std::chrono::seconds(2); }));
  const Time resumed_at = monotonic_now();
  above.process().signal(SIGCONT);
  REQUIRE(wait_until([&] { return count_of(cluster, 1, "suspect") > 0; }));
  // Among two processes, 18 pauses; and of a time between two replies, two intervals count.
  for (const TraceLine& line : cluster.trace()) {
    if (line.event != "suspect") continue;
    const Duration asked = (stopped_at - begun_at) + (Time(line.t_ns) - resumed_at);
    CHECK(asked >= std::chrono::milliseconds(18 * 100 - 2 * 50));
    break;
  }
}

TEST_CASE("Names of the dead cost no pause") {
  for (const char* algorithm : {"bully", "chang-roberts"}) {
    CAPTURE(std::string(algorithm));
    Cluster cluster({"--pace=200ms", std::string("--algorithm=") + algorithm});
    cluster.start_and_agree(1);
    for (NodeId id = 1000; id < 1400; ++id) leave_dead_name(cluster.socket_path(id));
    cluster.start_range(2, 3);
    CHECK(cluster.agrees_in_time());  // and a pause for each would take longer than a minute
  }
}

TEST_CASE("Of all whose monitors find the coordinator gone, one begins the slow election" *
          doctest::test_suite("long")) {
  for (const std::string_view algorithm : {"bully", "garcia-molina", "chang-roberts"}) {
    CAPTURE(std::string(algorithm));
    Cluster cluster({"--pace=60ms", "--ping-interval=50ms", "--ping-timeout=1s",
                     "--algorithm=" + std::string(algorithm)});
    for (NodeId id = 1; id <= 4; ++id) cluster.start_and_agree(id);
    const bool is_highest_first = algorithm_named(algorithm).must_notice.has_value();
    const NodeId first = is_highest_first ? 3 : 1;
    // On a ring the news comes back to 4 at last. A process that found 4 gone while it passed the
    // news on would begin an election without its monitor.
    const auto is_over = [&] {
      return algorithm != "chang-roberts" || count_of(cluster, 4, "receive", "L") > 0;
    };
    REQUIRE(wait_until(is_over));
    cluster.kill_and_agree(4);
    CHECK(count_of(cluster, first, "suspect") == 1);
    CHECK(count_of(cluster, 4 - first, "suspect") + count_of(cluster, 2, "suspect") == 0);
    // If that one is stopped, the others do so after a while.
    const NodeId next = is_highest_first ? 2 : 1;
    kill(cluster.pid_of(next), SIGSTOP);
    cluster.kill(3);
    const NodeId other = 3 - next;
    CHECK(wait_until([&] { return count_of(cluster, other, "suspect") > 0; }));
    CHECK(cluster.count([](const TraceLine& line) { return line.reason == "hung"; }) == 0);
    kill(cluster.pid_of(next), SIGCONT);
    CHECK(cluster.agrees_in_time());
  }
}

TEST_CASE("A node that ends drops what it has not sent, and does not record it") {
  Cluster cluster({"--pace=3600s"});
  cluster.start_and_agree(1);
  cluster.start(2);
  REQUIRE(wait_until([&] { return cluster.status_of(2) && cluster.status_of(2)->coordinator; }));
  CHECK(cluster.end_by(SIGTERM, 2).exit_code == 0);
  CHECK(count_of(cluster, 2, "send") == 0);
  CHECK(count_of(cluster, 2, "stop") == 1);
}

}  // namespace bully
