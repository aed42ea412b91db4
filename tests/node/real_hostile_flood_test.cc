// real_hostile_flood_test.cc: more of everything than a node can want, while it has an election to
// hold. The election ends in time, memory and descriptors stay bounded, and when the flood is over
// the cluster is right again at once.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <limits>

#include "election/algorithm.h"
#include "fixture/stranger.h"
#include "node/system.h"
#include "support/messages.h"
#include "support/process.h"
#include "support/skip.h"

namespace bully {
namespace {

// What a node may grow by while it is flooded. The sanitizers keep what has been freed.
constexpr std::uint64_t max_growth_kib = 4096;

class MemoryOf {
 public:
  explicit MemoryOf(const Cluster& cluster) {
    for (const NodeId id : cluster.live()) before_[id] = own_kib(cluster.pid_of(id));
  }
  void check(const Cluster& cluster) const {
    for (const NodeId id : cluster.live()) {
      CAPTURE(id);
      CHECK(own_kib(cluster.pid_of(id)) <= before_.at(id) + max_growth_kib);
    }
  }

 private:
  std::map<NodeId, std::uint64_t> before_;
};

TEST_CASE("A thousand connections that say nothing hold up no election") {
  if (lacks_descriptors(1200)) return;
  RunningCluster cluster(1, 4, quick_pings);
  const MemoryOf memory(cluster);
  std::vector<Descriptor> silent;
  for (int i = 0; i < 1000; ++i) silent.push_back(connect_in_time(cluster, 3));
  const std::size_t before = cluster.trace().size();
  cluster.kill_and_agree(4);
  CHECK(election_ns(cluster.trace(), before) < trickle_ns);
  CHECK(wait_until([&] { return dropped(cluster, 3) == 1000; }));
  CHECK(cluster.agrees());
  memory.check(cluster);
}

// From the first suspicion after line `first` to the last following: the most that a node dropped.
std::uint64_t most_dropped_in_election(std::vector<TraceLine> trace, std::size_t first) {
  while (trace[first].event != "suspect") ++first;
  while (trace.back().event != "coordinator") trace.pop_back();
  std::map<NodeId, std::uint64_t> dropped;
  std::uint64_t most = 0;
  for (; first < trace.size(); ++first)
    if (trace[first].event == "drop") most = std::max(most, ++dropped[trace[first].node]);
  return most;
}

TEST_CASE("Tens of thousands of messages of garbage hold up no election, and are forgotten") {
  RunningCluster cluster(1, 4, quick_pings);
  const MemoryOf memory(cluster);
  std::uint64_t said = 0;
  const auto garbage = [&](std::uint64_t part) {
    for (std::uint64_t i = 0; i < part; ++i) say(cluster, 1 + i % 3, "garbage");
    said += part;
  };
  const std::uint64_t part = is_soak() ? 50'000 : 15'000;  // more than a backlog holds
  garbage(part);
  const std::size_t before = cluster.trace().size();
  cluster.kill(4);
  garbage(part);
  REQUIRE(wait_until([&] {
    garbage(500);
    return cluster.agrees();
  }));
  // A node waits for two messages at most, each behind one backlog.
  CHECK(most_dropped_in_election(cluster.trace(), before) <= 2 * SOMAXCONN);
  CHECK(wait_until(
      [&] { return dropped(cluster, 1) + dropped(cluster, 2) + dropped(cluster, 3) == said; }));
  CHECK(cluster.agrees());
  memory.check(cluster);
}

// The waits are longer than by default. Eight flooders leave the nodes little of a processor, and a
// message waits behind thousands: where others want the machine, too, a node that lives is hung.
void check_flooded(const Algorithm& algorithm, Flood::Manner manner) {
  RunningCluster cluster(
      1, 4,
      {"--ping-interval=50ms", "--ping-timeout=5s", "--answer-timeout=2s",
       "--coordinator-timeout=5s", "--algorithm=" + std::string(algorithm.name)});
  const MemoryOf memory(cluster);
  {
    const Flood flood(cluster, {3, 4}, 8, manner, [](std::size_t) { return "1;99"; });
    // More than two full backlogs. A machine may serve them as fast as they come.
    REQUIRE(wait_until([&] { return flood.said() > 10'000; }));
    cluster.kill(4);
    // Where messages meet a full backlog again and again, it takes a part of a second.
    CHECK(wait_until([&] { return cluster.trace_follows(3); }, 3 * patience));
  }
  CHECK(cluster.agrees_in_time());
  memory.check(cluster);
}

// A flood meets links, which are the same for all: one election is enough.
TEST_CASE(
    "Eight processes that ping at full speed, or press into a full backlog, hold up nothing") {
  for (const Algorithm& algorithm : algorithms()) {
    if (&algorithm != &default_algorithm() && !is_soak()) continue;
    CAPTURE(algorithm.name);
    check_flooded(algorithm, Flood::Manner::waiting);
    check_flooded(algorithm, Flood::Manner::pressing);
  }
}

TEST_CASE("Pings that are to be held open, and are dropped unread, cost no descriptors for long") {
  RunningCluster cluster(1, 2, quick_pings);
  const std::size_t before = descriptor_count(cluster.pid_of(2));
  for (int i = 0; i < 500; ++i) {
    const Descriptor connection = connect_in_time(cluster, 2);
    const linger at_once{1, 0};
    setsockopt(connection.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    send(connection.get(), "1;99;1;1", 8, 0);  // and its close, with a reply unread, is a reset
  }
  for (int i = 0; i < 200; ++i) say(cluster, 2, "E;");
  CHECK(wait_until([&] { return dropped(cluster, 2) == 200; }));
  CHECK(wait_until([&] { return descriptor_count(cluster.pid_of(2)) < before + 100; }));
  CHECK(cluster.agrees());
  cluster.kill_and_agree(2);
}

// Messages that nodes of this algorithm understand, in the name of those who are there, those who
// are not, and the receiver itself; about anyone; of any epoch.
std::string forged(const Algorithm& algorithm, std::size_t i) {
  constexpr std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
  constexpr std::array<std::uint64_t, 7> ids = {1, 2, 3, 4, 99, 0, top};
  constexpr std::array<std::uint64_t, 8> epochs = {top, 0,  1,           2,
                                                   3,   10, top / 2 + 1, std::uint64_t{1} << 32U};
  const auto pick = [&i](const auto& choice) {
    const auto picked = choice[i % choice.size()];
    i /= choice.size();
    return picked;
  };
  // The numbers go round through all combinations, in an order of their own.
  i *= 7919;
  Message message{.type = pick(algorithm.messages)};
  message.from = pick(ids);
  message.number = i;
  const std::optional<std::uint64_t> subject = pick(ids);
  set_wire(message, subject, pick(epochs));
  return encode(message);
}

TEST_CASE("Forged messages of each algorithm do no harm that outlasts them") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    RunningCluster cluster(1, 4,
                           {"--ping-interval=50ms", "--coordinator-timeout=200ms", "--quiet",
                            "--algorithm=" + std::string(algorithm.name)});
    const MemoryOf memory(cluster);
    const std::size_t some = 3'000;
    for (std::size_t i = 0; i < some; ++i) {
      say(cluster, 1 + i % 4, forged(algorithm, i));
      if (i == some / 2) cluster.kill(4);
      if (i == some / 2) cluster.start(4);
    }
    CHECK(cluster.agrees_in_time());
    // And the next election is as any other.
    cluster.kill_and_agree(4);
    memory.check(cluster);
    cluster.start_and_agree(5);
  }
}

}  // namespace
}  // namespace bully
