// real_ring_test.cc: the links of a ring of real processes, many of which are stopped; and what
// becomes of nodes of two algorithms in one directory.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>

#include "fixture/said.h"
#include "fixture/stranger.h"
#include "node/system.h"
#include "support/legacy_peer.h"
#include "support/messages.h"
#include "support/names.h"

namespace bully {
namespace {

const Arguments quick = {"--algorithm=dolev-klawe-rodeh", "--ping-interval=50ms"};

TEST_CASE("[PyBully] A node does not start beside a peer of the example, which is bully") {
  Cluster cluster;
  cluster.start_and_agree(3);  // makes the directory, and leaves it
  cluster.end_all();
  const LegacyPeer peer(cluster.directory(), {.id = 4});
  check_refused({"--dir=" + cluster.directory(), "9", "--algorithm=dolev-klawe-rodeh", "--lang=en"},
                1, {"4", cluster.directory(), "start it with --algorithm=bully"});
  CHECK(cluster.name_count() == 1);
  cluster.start(3);
  CHECK(wait_until([&] {
    const auto status = cluster.status_of(3);
    return status && status->coordinator == 4;
  }));
}

TEST_CASE("Nodes of two algorithms that met all the same both say so") {
  RunningCluster cluster(2, {"--ping-interval=50ms"});
  cluster.stop(2);  // it cannot be asked now
  cluster.start(3, {"--algorithm=dolev-klawe-rodeh"});
  REQUIRE(wait_until([&] { return cluster.has_name(3); }));
  cluster.resume(2);
  const auto log = [&] { return contents(cluster.scratch("log")); };
  REQUIRE(wait_until([&] { return contains(log(), "2 sent a message of another algorithm"); }));
  REQUIRE(wait_until([&] { return contains(log(), "3 sent a message of another algorithm"); }));
}

TEST_CASE("[PyBully] A ring node reports a peer of another algorithm once, and is not misled") {
  RunningCluster cluster(1, 3, quick);
  for (const char* bytes : {"E;5", "C;5", "PE;5", "C;5"}) say(cluster, 2, bytes);
  REQUIRE(wait_until([&] { return dropped(cluster, 2) == 4; }));
  CHECK(cluster.agrees());
  CHECK(cluster.count([](const TraceLine& line) {
    return line.event == "lost" && line.reason == "foreign" && line.node == 2 && line.from == 5;
  }) == 4);
  CHECK(count_of(contents(cluster.scratch("log")), "5 sent a message of another algorithm") == 1);
}

TEST_CASE("A process that finds its successor gone looks for another among the same processes") {
  Cluster cluster(
      {"--algorithm=chang-roberts", "--pace=500ms", "--ping-interval=60s", "--ping-timeout=60s"});
  REQUIRE(mkdir(cluster.directory().c_str(), S_IRWXU) == 0);
  Descriptor successor = listen_at(cluster.socket_path(5));
  cluster.start(1);
  const auto sends = [&](std::uint64_t values) {
    return wait_until([&] {
      const auto status = cluster.status_of(1);
      return status && status->sent.of(messages::value) == values;
    });
  };
  REQUIRE(wait_until([&] { return cluster.status_of(1).has_value(); }));
  const auto epoch = static_cast<std::uint64_t>(monotonic_now().count());
  const auto pass_on = [&](NodeId value) {
    say(cluster, 1, encode(wire_message(messages::value, 4, value, value, epoch)));
  };
  pass_on(8);
  REQUIRE(sends(2));  // its own as well
  successor.reset();
  pass_on(9);
  // It has looked at the other processes, and pauses before it sends to 5.
  REQUIRE(wait_until([&] { return cluster.status_of(1)->received.of(messages::value) == 2; }));
  const Descriptor newcomer = listen_at(cluster.socket_path(7));
  const auto sent_to_newcomer = [&] {
    return cluster.count([](const TraceLine& line) { return line.to == 7; });
  };
  CHECK(wait_until([&] { return cluster.count("coordinator") > 0 || sent_to_newcomer() > 0; }));
  CHECK(sent_to_newcomer() == 0);
}

TEST_CASE("A process repeats its messages to each dead process of a large ring, and goes on") {
  Cluster cluster({"--algorithm=chang-roberts", "--ping-interval=60s", "--ping-timeout=60s",
                   "--coordinator-timeout=60s"});
  REQUIRE(mkdir(cluster.directory().c_str(), S_IRWXU) == 0);
  Descriptor successor = listen_at(cluster.socket_path(2));
  cluster.start(1);
  REQUIRE(wait_until([&] { return cluster.status_of(1).has_value(); }));
  constexpr NodeId last = 300;
  for (NodeId id = 3; id <= last; ++id) leave_dead_name(cluster.socket_path(id));
  const auto epoch = static_cast<std::uint64_t>(monotonic_now().count());
  const auto pass_on = [&](NodeId value) {
    say(cluster, 1, encode(wire_message(messages::value, last, value, value, epoch)));
  };
  constexpr NodeId values = 100;
  for (NodeId value = 0; value < values; ++value) pass_on(1'000 + value);
  REQUIRE(wait_until([&] { return cluster.status_of(1)->sent.of(messages::value) > values; }));
  successor.reset();
  pass_on(2'000);
  CHECK(wait_until([&] {
    const auto status = cluster.status_of(1);
    return status && status->coordinator == 1;
  }));
}

// Each of them was once pinged when the one before it had been passed over. False if it takes
// longer than one wait for the coordinator's echo, and one for those of all others, with half as
// much for what a machine needs besides.
bool are_found_together(const std::vector<NodeId>& stopped, std::chrono::seconds timeout) {
  Cluster cluster({"--algorithm=dolev-klawe-rodeh", "--ping-interval=500ms",
                   "--ping-timeout=" + std::to_string(timeout.count()) + "s"});
  cluster.start_and_agree(1, 8);
  const std::int64_t begin_ns = monotonic_now().count();
  for (const NodeId id : stopped) cluster.stop(id);
  REQUIRE(cluster.agrees_in_time());
  std::int64_t end_ns = begin_ns;
  for (const TraceLine& line : cluster.trace()) {
    if (line.event == "coordinator") end_ns = std::max(end_ns, line.t_ns);
  }
  for (const NodeId id : stopped) cluster.resume(id);
  CHECK(cluster.agrees_in_time());
  return Duration(end_ns - begin_ns) < timeout * 7 / 2;
}

TEST_CASE("Any stopped nodes on a ring are found at the same time") {
  for (const std::vector<NodeId>& stopped : {std::vector<NodeId>{5, 6, 7, 8}, {2, 4, 6, 8}}) {
    // The busier the machine, the longer the waits: one after the other they are always too long.
    std::chrono::seconds timeout(1);
    while (timeout.count() < 16 && !are_found_together(stopped, timeout)) timeout *= 2;
    CHECK(timeout.count() < 16);
  }
}

}  // namespace
}  // namespace bully
