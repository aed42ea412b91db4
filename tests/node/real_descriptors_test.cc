// real_descriptors_test.cc: nodes that may have few descriptors say so at once, or agree; and none
// is busy for want of them.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "fixture/stranger.h"
#include "node/beyond_posix.h"
#include "support/messages.h"

namespace bully {
namespace {

std::uint64_t pings_of(const Cluster& cluster) {
  std::uint64_t pings = 0;
  for (const NodeStatus& peer : cluster.status()) {
    pings += peer.sent.of(messages::ping);
  }
  return pings;
}

// The processor time that each of these processes and of their children has used.
std::map<pid_t, Duration> used_by(const std::vector<pid_t>& nodes) {
  std::map<pid_t, Duration> used;
  for (const ProcessEntry& entry : all_processes()) {
    const bool is_ours =
        std::ranges::count(nodes, entry.pid) > 0 || std::ranges::count(nodes, entry.parent) > 0;
    const auto state = is_ours ? process_state(entry.pid) : std::nullopt;
    if (state) used[entry.pid] = state->processor;
  }
  return used;
}

// Whether these wait: beside them a process never does, until it has used this time; the system
// would give as much to one of them that is as busy.
bool are_idle(const std::vector<pid_t>& nodes) {
  constexpr Duration enough = std::chrono::milliseconds(500);
  const Child busy([] {
    while (getppid() > 0) continue;
  });
  const std::map<pid_t, Duration> before = used_by(nodes);
  REQUIRE(wait_until(
      [&] {
        const auto state = process_state(busy.pid());
        return state && state->processor >= enough;
      },
      std::chrono::minutes(5)));
  Duration used{0};
  for (const auto& [pid, now] : used_by(nodes)) {
    const auto known = before.find(pid);
    used += now - (known == before.end() ? Duration(0) : known->second);
  }
  return used < enough / 2;
}

TEST_CASE("With few descriptors nodes say so and end, or they agree and are idle") {
  struct Case {
    NodeId nodes;
    unsigned limit;
  };
  for (const Case& given :
       {Case{6, 8}, Case{6, 10}, Case{6, 11}, Case{6, 12}, Case{6, 13}, Case{6, 14}, Case{6, 16},
        Case{6, 18}, Case{6, 20}, Case{6, 24}, Case{20, 16}, Case{20, 24}}) {
    CAPTURE(given.nodes);
    CAPTURE(given.limit);
    Cluster cluster({"--detector=eof"});
    for (NodeId id = 1; id <= given.nodes; ++id) cluster.start_limited(id, given.limit);
    const std::vector<NodeId> ids = cluster.live();
    const auto all_have_ended = [&] {
      return std::ranges::none_of(ids, [&](NodeId id) { return is_running(cluster.pid_of(id)); });
    };
    REQUIRE(wait_until([&] { return all_have_ended() || cluster.agrees(); }));
    if (all_have_ended()) {
      for (const NodeId id : ids) CHECK(cluster.end_by(SIGTERM, id).exit_code == 1);
      CHECK(contains(contents(cluster.scratch("log")), "ulimit -n"));
      CHECK(cluster.name_count() == 0);
      continue;
    }
    std::vector<pid_t> pids;
    for (const NodeId id : ids) pids.push_back(cluster.pid_of(id));
    const std::uint64_t before = pings_of(cluster);
    const Time began = monotonic_now();
    CHECK(are_idle(pids));
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(monotonic_now() - began).count();
    // In each interval, and in the one that had begun: a ping, and another to ask why the last one
    // was not held open.
    CHECK(pings_of(cluster) - before <= given.nodes * 2 * static_cast<std::uint64_t>(seconds + 1));
    cluster.kill_and_agree(given.nodes);
  }
}

TEST_CASE("Connections that others held are closed when they have gone, and room is held again") {
#ifdef __linux__
  for (const unsigned limit : {40U, 64U}) {
    CAPTURE(limit);
    Cluster cluster({"--detector=eof", "--ping-interval=100ms"});
    cluster.start_limited(99, limit);
    REQUIRE(cluster.agrees_in_time());
    const auto descriptors = [&] { return descriptors_of(cluster.pid_of(99)); };
    REQUIRE(wait_until([&] {  // once it sleeps, it has closed the connection of that question
      const auto state = process_state(cluster.pid_of(99));
      return state && state->letter == 'S';
    }));
    const std::size_t alone = descriptors();
    CHECK(alone > 0);
    cluster.start_and_agree(1);
    CHECK(wait_until([&] { return descriptors() == alone + 1; }));
    cluster.end_by(SIGTERM, 1);
    CHECK(wait_until([&] { return descriptors() == alone; }));
    cluster.start_and_agree(2, 50);
    REQUIRE(wait_until([&] { return descriptors() > alone + limit / 4; }));
    for (NodeId id = 2; id <= 50; ++id) cluster.kill(id);
    CHECK(wait_until([&] { return descriptors() <= alone; }));
    cluster.start_and_agree(51);
    CHECK(wait_until([&] { return descriptors() == alone + 1; }));
  }
#endif
}

TEST_CASE("A node that cannot accept for want of descriptors is idle until it can") {
#ifdef __linux__
  RunningCluster cluster(1, 2, {"--detector=eof", "--ping-interval=50ms"});
  const pid_t node = cluster.pid_of(2);
  rlimit usual{};
  const rlimit none{5, 1024};  // what it has open stays open
  REQUIRE(prlimit(node, RLIMIT_NOFILE, &none, &usual) == 0);
  const Descriptor waits = connect_in_time(cluster, 2);
  CHECK(are_idle({node}));
  const rlimit raised{1024, 1024};
  REQUIRE(prlimit(node, RLIMIT_NOFILE, &raised, nullptr) == 0);
  CHECK(cluster.agrees_in_time());
#endif
}

TEST_CASE("A node whose poll(2) fails ends with an error, and a monitor's is replaced") {
#ifdef __linux__
  RunningCluster cluster(1, 2, {"--ping-interval=50ms", "--ping-timeout=2s"});
  const pid_t node = cluster.pid_of(1);
  const rlimit none{0, 0};  // poll(2) refuses more entries than that: EINVAL
  const auto monitor = [node] {
    const auto children = children_of(node);
    return children.empty() ? pid_t{0} : children.front().pid;
  };
  const pid_t first = monitor();
  REQUIRE(prlimit(first, RLIMIT_NOFILE, &none, nullptr) == 0);
  CHECK(wait_until([&] { return monitor() != 0 && monitor() != first; }));
  REQUIRE(cluster.agrees_in_time());
  REQUIRE(prlimit(node, RLIMIT_NOFILE, &none, nullptr) == 0);
  kill(node, SIGCONT);  // it looks again
  CHECK(wait_until([&] { return !is_running(node); }));
  CHECK(contains(contents(cluster.scratch("log")), "poll: Invalid argument"));
#endif
}

}  // namespace
}  // namespace bully
