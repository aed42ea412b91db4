// real_controlled_test.cc: controlled nodes: a test is their clock.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "fixture/cluster.h"
#include "node/peer_process.h"
#include "node/status_reply.h"
#include "trace/trace.h"

namespace bully {
namespace {

// In a time in which a node with a clock would have done a lot.
const Arguments controlled = {"--controlled", "--ping-interval=10ms", "--ping-timeout=10ms",
                              "--answer-timeout=10ms", "--coordinator-timeout=10ms"};

// Two that start at once may mislead a third, which only a ping would tell of it.
void start_in_turn(Cluster& cluster, std::initializer_list<NodeId> ids) {
  for (const NodeId id : ids) cluster.start_and_agree(id);
}

// Returns what the node replies when it has handled the event.
NodeStatus handle(const Cluster& cluster, NodeId id, const Event& event) {
  const Directory directory(cluster.directory(), false);
  return query_node(directory, id, std::chrono::seconds(10), query_with(event));
}

// Gives those nodes the time in which one with a clock notices a crash, elects, and is done.
void let_a_clock_run() {
  Cluster other({"--ping-interval=10ms"});
  other.start_and_agree(1, 2);
  other.kill(2);
  REQUIRE(other.agrees_in_time());
}

}  // namespace

TEST_CASE("A controlled node does nothing by itself: a question makes it suspect, or end a wait") {
  Cluster cluster(controlled);
  start_in_turn(cluster, {3, 2, 1});
  cluster.stop(2);
  cluster.kill(3);
  let_a_clock_run();
  CHECK(cluster.count("suspect") == 0);

  const std::size_t before = cluster.trace().size();
  handle(cluster, 1, Suspected{3, Suspicion::down});
  CHECK(sent_count(cluster.trace(), "E", before) == 2);
  CHECK(cluster.count("suspect") == 1);
  let_a_clock_run();
  CHECK(cluster.count("timeout") == 0);  // 2, which is stopped, does not answer

  handle(cluster, 1, Expired{Timer::answer});
  CHECK(cluster.trace_follows(1));
  CHECK(cluster.count("timeout") == 1);
  CHECK(cluster.count("wait") > 0);
  const Trace trace = read_traces({cluster.scratch("trace")});
  for (const Record& record : trace.records) {
    CHECK(!record.longest_ns);
  }
}

TEST_CASE("SIGUSR1 makes any node suspect its coordinator of a crash, SIGUSR2 of a hang") {
  const Arguments with_clock = {"--ping-interval=60s", "--answer-timeout=60s"};
  for (const Arguments& options : {with_clock, controlled}) {
    CAPTURE(options.front());
    Cluster cluster(options);
    start_in_turn(cluster, {2, 1});
    for (const auto& [signal, reason] : {std::pair(SIGUSR1, "down"), std::pair(SIGUSR2, "hung")}) {
      const std::size_t before = cluster.trace().size();
      kill(cluster.pid_of(2), signal);  // a coordinator does not suspect itself
      kill(cluster.pid_of(1), signal);
      REQUIRE(wait_until([&] { return sent_count(cluster.trace(), "E", before) > 0; }));
      const auto trace = cluster.trace();
      const auto suspicion = std::ranges::find(trace.begin() + static_cast<std::ptrdiff_t>(before),
                                               trace.end(), "suspect", &TraceLine::event);
      REQUIRE(suspicion != trace.end());
      CHECK(suspicion->node == 1);
      CHECK(suspicion->reason == reason);
      REQUIRE(cluster.agrees_in_time());
    }
    CHECK(cluster.count("suspect") == 2);
  }
}

TEST_CASE("A coordinator that goes on after a stop starts its election in spite of SIGUSR1") {
  Cluster cluster({"--ping-interval=60s"});
  start_in_turn(cluster, {2, 1});
  cluster.stop(2);
  const std::size_t before = cluster.trace().size();
  kill(cluster.pid_of(2), SIGUSR1);
  kill(cluster.pid_of(2), SIGCONT);
  CHECK(wait_until([&] { return sent_count(cluster.trace(), "C", before) > 0; }));
}

TEST_CASE("Only a controlled node handles the event in a question") {
  for (const bool is_controlled : {true, false}) {
    CAPTURE(is_controlled);
    Cluster cluster(is_controlled ? Arguments{"--controlled"} : Arguments{"--answer-timeout=60s"});
    start_in_turn(cluster, {3, 2, 1});
    cluster.stop(2);
    cluster.stop(3);
    const NodeStatus status = handle(cluster, 1, Suspected{3, Suspicion::hung});
    CHECK(status.controlled.has_value() == is_controlled);
    CHECK(cluster.count("suspect") == (is_controlled ? 1 : 0));
    if (!is_controlled) continue;
    CHECK(status.state == "candidate");
    CHECK(status.controlled->timers[0].start > 0);
    CHECK(status.controlled->timers[1].start == 0);
    // It runs no other timer, and so that one does not expire.
    const NodeStatus same = handle(cluster, 1, Expired{Timer::coordinator});
    CHECK(same.state == "candidate");
    CHECK(cluster.count("timeout") == 0);
    // Neither of those above it is there: it has won.
    for (const NodeId gone : std::initializer_list<NodeId>{2, 3})
      handle(cluster, 1, PeerGone{gone});
    CHECK(cluster.status_of(1)->coordinator == 1);
  }
}

TEST_CASE("A ring goes as its file says, at each election anew") {
  Cluster cluster({"--algorithm=dolev-klawe-rodeh", "--detector=eof"});
  const std::string file = cluster.scratch("ring");
  const auto write = [&](const char* order) {
    std::ofstream(file + ".new") << order;
    std::filesystem::rename(file + ".new", file);
  };
  write("1 3 2");
  for (NodeId id = 1; id <= 4; ++id) cluster.start(id, {"--ring=" + file});
  REQUIRE(cluster.agrees_in_time());
  const auto goes = [&](std::size_t first, NodeId from, NodeId to) {
    const auto is_it = [&](const TraceLine& line) {
      return line.event == "send" && line.from == from && line.to == to;
    };
    return cluster.count(is_it, first) > 0;
  };
  std::size_t before = cluster.trace().size();
  cluster.kill_and_agree(4);
  CHECK(goes(before, 1, 3));
  CHECK_FALSE(goes(before, 1, 2));
  write("3 2 1");
  before = cluster.trace().size();
  cluster.start_and_agree(5, {"--ring=" + file});
  CHECK(goes(before, 2, 1));
  CHECK_FALSE(goes(before, 1, 3));
}

}  // namespace bully
