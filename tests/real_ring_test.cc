// real_ring_test.cc: elections on a ring among real processes: agreement, crashes in the middle,
// joins, stops and returns; and what becomes of nodes of two algorithms in one directory.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>

#include "fixture/cluster.h"
#include "node/system.h"
#include "support/legacy_peer.h"
#include "support/messages.h"

namespace bully {
namespace {

// On a ring a dead process is noticed by the next ping, or at once with the eof detector.
const Arguments quick = {"--algorithm=dolev-klawe-rodeh", "--ping-interval=50ms"};
const Arguments quick_to_doubt = {"--algorithm=dolev-klawe-rodeh", "--ping-interval=50ms",
                                  "--ping-timeout=200ms", "--coordinator-timeout=600ms"};
// Slow enough to be hit in the middle of an election.
const Arguments slow = {"--algorithm=dolev-klawe-rodeh", "--detector=eof", "--pace=30ms"};

// The last state that `node` has recorded from line `first` on.
std::string state_since(const std::vector<TraceLine>& trace, NodeId node, std::size_t first) {
  std::string state;
  for (std::size_t i = first; i < trace.size(); ++i) {
    if (trace[i].node == node && trace[i].event == "state") state = trace[i].state;
  }
  return state;
}

std::size_t count_in(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Sends bytes to a node as a process of its own would.
void say(const Cluster& cluster, NodeId to, const std::string& bytes) {
  REQUIRE(wait_until([&] {
    const Connection connection = connect_to(cluster.socket_path(to));
    return connection.reach == Reach::reached && send_once(connection.descriptor, bytes);
  }));
}

TEST_CASE("Processes on a ring agree on the highest, and again when it is killed") {
  for (const char* detector : {"--detector=ping", "--detector=eof"}) {
    for (const NodeId count : {3U, 5U, 8U, 20U}) {
      CAPTURE(detector);
      CAPTURE(count);
      Cluster cluster({"--algorithm=dolev-klawe-rodeh", detector});
      cluster.start_range(1, count);
      REQUIRE(cluster.agrees_in_time());
      cluster.kill(count);
      REQUIRE(cluster.agrees_in_time());
    }
  }
}

TEST_CASE(
    "[CR79] Five processes of Chang and Roberts agree, and again when the highest is killed") {
  Cluster cluster({"--algorithm=chang-roberts", "--detector=eof"});
  cluster.start_range(1, 5);
  REQUIRE(cluster.agrees_in_time());
  cluster.kill(5);
  REQUIRE(cluster.agrees_in_time());
  cluster.start(5);
  REQUIRE(cluster.agrees_in_time());
}

TEST_CASE("[Tan95] Twelve processes that pass a list round agree, also when the highest dies") {
  for (const char* detector : {"--detector=ping", "--detector=eof"}) {
    CAPTURE(detector);
    Cluster cluster({"--algorithm=tanenbaum-ring", detector});
    cluster.start_range(1, 12);
    REQUIRE(cluster.agrees_in_time());
    const std::size_t before = cluster.trace().size();
    cluster.kill(12);
    REQUIRE(cluster.agrees_in_time());
    CHECK(cluster.highest() == 11);
    // By a list that has gone round.
    const auto trace = cluster.trace();
    CHECK(std::any_of(
        trace.begin() + static_cast<std::ptrdiff_t>(before), trace.end(),
        [](const TraceLine& line) { return line.event == "receive" && line.type == "TC"; }));
  }
}

TEST_CASE("[DKR82] An election of real processes takes exactly the textbook's messages") {
  constexpr NodeId n = 5;
  // Only 2 notices, and no timer interferes.
  Cluster cluster(
      {"--algorithm=dolev-klawe-rodeh", "--coordinator-timeout=60s", "--ping-timeout=60s"});
  for (NodeId id = 1; id <= n; ++id) {
    cluster.start(id, {id == 2 ? "--ping-interval=50ms" : "--ping-interval=3600s"});
    REQUIRE(cluster.agrees_in_time());
  }
  const std::size_t before = cluster.trace().size();
  cluster.kill(n);
  REQUIRE(cluster.agrees_in_time());
  const auto heard = [&](const char* type) {
    const auto trace = cluster.trace();
    return std::count_if(
        trace.begin() + static_cast<std::ptrdiff_t>(before), trace.end(),
        [&](const TraceLine& line) { return line.event == "receive" && line.type == type; });
  };
  // In the order of their ids it is the best case, 4n with n = 4: one round, and then d goes round
  // once more.
  REQUIRE(wait_until([&] { return heard("L") >= 4; }));
  CHECK(heard("V") == 8);
  CHECK(heard("V2") == 4);
  CHECK(heard("L") == 4);
  CHECK(heard("J") == 0);
}

TEST_CASE("The coordinator of a ring is killed, and the highest few at once, down to the last") {
  Cluster cluster(quick);
  cluster.start_range(0, 6);
  REQUIRE(cluster.agrees_in_time());
  cluster.kill(6);
  REQUIRE(cluster.agrees_in_time());
  for (const NodeId id : {5U, 4U, 3U}) ::kill(cluster.pid_of(id), SIGKILL);
  for (const NodeId id : {5U, 4U, 3U}) cluster.kill(id);
  REQUIRE(cluster.agrees_in_time());
  CHECK(cluster.highest() == 2);
  for (const NodeId id : {2U, 1U}) {
    cluster.kill(id);
    REQUIRE(cluster.agrees_in_time());
  }
}

TEST_CASE("A relay is killed in mid-election, and the election goes on without it") {
  for (const NodeId count : {3U, 5U, 8U, 20U}) {
    CAPTURE(count);
    Cluster cluster(slow);
    cluster.start_range(1, count);
    REQUIRE(wait_until([&] { return cluster.agrees(); }, 6 * patience));
    const std::size_t before = cluster.trace().size();
    cluster.kill(count);
    NodeId relay = 0;
    REQUIRE(wait_until([&] {
      const auto trace = cluster.trace();
      for (const NodeId id : cluster.live()) {
        if (state_since(trace, id, before) == "relay") relay = id;
      }
      return relay != 0;
    }));
    cluster.kill(relay);
    REQUIRE(wait_until([&] { return cluster.agrees(); }, 6 * patience));
  }
}

TEST_CASE("A process joins in mid-election, and takes part") {
  for (const NodeId joining : {4U, 9U}) {
    CAPTURE(joining);
    Cluster cluster(slow);
    for (const NodeId id : {1U, 2U, 3U, 5U, 6U}) cluster.start(id);
    REQUIRE(cluster.agrees_in_time());
    const std::size_t before = cluster.trace().size();
    cluster.kill(6);
    REQUIRE(wait_until([&] { return state_since(cluster.trace(), 3, before) == "active"; }));
    cluster.start(joining);
    REQUIRE(cluster.agrees_in_time());
    CHECK(cluster.highest() == std::max<NodeId>(joining, 5));
  }
}

TEST_CASE("A stopped coordinator of a ring is replaced, and takes over when it is continued") {
  for (const char* detector : {"--detector=ping", "--detector=eof"}) {
    CAPTURE(detector);
    Arguments options = quick_to_doubt;
    options.emplace_back(detector);
    Cluster cluster(options);
    cluster.start_range(1, 5);
    REQUIRE(cluster.agrees_in_time());
    cluster.stop(5);
    REQUIRE(cluster.agrees_in_time());
    CHECK(cluster.highest() == 4);
    cluster.resume(5);
    REQUIRE(cluster.agrees_in_time());
    CHECK(cluster.highest() == 5);
  }
}

TEST_CASE("A stopped follower does not hold up a ring, and follows when it is continued") {
  Cluster cluster(quick_to_doubt);
  cluster.start_range(1, 5);
  REQUIRE(cluster.agrees_in_time());
  cluster.stop(2);
  cluster.kill(5);
  REQUIRE(cluster.agrees_in_time());
  cluster.resume(2);
  REQUIRE(cluster.agrees_in_time());
}

TEST_CASE(
    "On a ring, too, a process that comes back takes over, noticed or not, and one may leave") {
  Cluster cluster(quick);
  cluster.start_range(1, 5);
  REQUIRE(cluster.agrees_in_time());
  cluster.kill(5);
  REQUIRE(cluster.agrees_in_time());
  cluster.start(5);
  REQUIRE(cluster.agrees_in_time());
  cluster.kill(5);
  cluster.start(5);  // at once
  REQUIRE(cluster.agrees_in_time());
  for (const NodeId id : {5U, 2U}) {
    CHECK(cluster.end_by(SIGTERM, id).exit_code == 0);
    REQUIRE(cluster.agrees_in_time());
  }
}

TEST_CASE("Links are FIFO: many messages in a row, to one that is stopped and to one that runs") {
  Cluster cluster({"--algorithm=dolev-klawe-rodeh"});
  cluster.start(7);
  REQUIRE(cluster.agrees_in_time());
  constexpr std::uint64_t at_a_time = 1500;
  std::uint64_t number = 0;
  // Of an election long past: they are heard, and change nothing.
  const auto say_many = [&] {
    for (std::uint64_t i = 0; i < at_a_time; ++i) {
      say(cluster, 7, encode(wire_message(messages::value, 3, ++number, 3, 0)));
    }
  };
  cluster.stop(7);
  say_many();
  cluster.resume(7);
  say_many();
  const auto heard = [&] {
    std::vector<std::uint64_t> numbers;
    for (const TraceLine& line : cluster.trace()) {
      if (line.event == "receive" && line.from == 3) numbers.push_back(line.number.value_or(0));
    }
    return numbers;
  };
  REQUIRE(wait_until([&] { return heard().size() == 2 * at_a_time; }));
  const auto numbers = heard();
  CHECK(std::is_sorted(numbers.begin(), numbers.end()));
}

TEST_CASE("A node does not start beside one of another algorithm, and says what to do") {
  const auto refused = [](const Cluster& cluster, const Arguments& options) {
    Arguments arguments = {"--dir=" + cluster.directory(), "9"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const std::size_t names = cluster.name_count();
    const Finished finished = run_to_end(cluster.scratch(""), {.arguments = arguments});
    CHECK(finished.outcome.exit_code == 1);
    CHECK(contains(finished.errors, "4"));
    CHECK(contains(finished.errors, cluster.directory()));
    CHECK(contains(finished.errors, "--dir=DIR"));
    CHECK(cluster.name_count() == names);
    return finished.errors;
  };
  SUBCASE("of ours, in either language") {
    Cluster cluster;
    cluster.start(4);
    REQUIRE(cluster.agrees_in_time());
    CHECK(contains(refused(cluster, {"--algorithm=dolev-klawe-rodeh"}),
                   "start it with --algorithm=bully"));
    CHECK(contains(refused(cluster, {"--algorithm=dolev-klawe-rodeh", "--lang=pt-BR"}),
                   "inicie-o com --algorithm=bully"));
    cluster.end_all();
    cluster.start(4, {"--algorithm=dolev-klawe-rodeh"});
    REQUIRE(cluster.agrees_in_time());
    CHECK(contains(refused(cluster, {}), "start it with --algorithm=dolev-klawe-rodeh"));
    CHECK(
        contains(refused(cluster, {"--algorithm=chang-roberts"}), "--algorithm=dolev-klawe-rodeh"));
  }
  SUBCASE("[PyBully] that speaks only the example's protocol, which is bully") {
    Cluster cluster;
    cluster.start(3);  // makes the directory, and leaves it
    REQUIRE(cluster.agrees_in_time());
    cluster.end_all();
    const LegacyPeer peer(cluster.directory(), {.id = 4});
    CHECK(contains(refused(cluster, {"--algorithm=dolev-klawe-rodeh"}),
                   "start it with --algorithm=bully"));
    cluster.start(3);
    CHECK(wait_until([&] {
      const auto status = cluster.status_of(3);
      return status && status->coordinator == 4;
    }));
  }
}

TEST_CASE("Nodes of two algorithms that met all the same both say so") {
  Cluster cluster({"--ping-interval=50ms"});
  cluster.start(2);
  REQUIRE(cluster.agrees_in_time());
  cluster.stop(2);  // it cannot be asked now
  cluster.start(3, {"--algorithm=dolev-klawe-rodeh"});
  REQUIRE(wait_until([&] { return cluster.has_name(3); }));
  cluster.resume(2);
  const auto log = [&] { return contents(cluster.scratch("log")); };
  REQUIRE(wait_until([&] { return contains(log(), "2 sent a message of another algorithm"); }));
  REQUIRE(wait_until([&] { return contains(log(), "3 sent a message of another algorithm"); }));
}

TEST_CASE("[PyBully] A ring node reports a peer of another algorithm once, and is not misled") {
  Cluster cluster(quick);
  cluster.start_range(1, 3);
  REQUIRE(cluster.agrees_in_time());
  for (const char* bytes : {"E;5", "C;5", "PE;5", "C;5"}) say(cluster, 2, bytes);
  REQUIRE(wait_until([&] {
    const auto status = cluster.status_of(2);
    return status && status->dropped == 4;
  }));
  CHECK(cluster.agrees());
  const auto trace = cluster.trace();
  CHECK(std::count_if(trace.begin(), trace.end(), [](const TraceLine& line) {
          return line.event == "drop" && line.reason == "foreign" && line.node == 2;
        }) == 4);
  CHECK(count_in(contents(cluster.scratch("log")), "5 sent a message of another algorithm") == 1);
}

// Each of them was once pinged when the one before it had been passed over.
TEST_CASE("Any stopped nodes on a ring are found at the same time") {
  constexpr std::int64_t timeout_ns = 1'000'000'000;
  for (const std::vector<NodeId>& stopped : {std::vector<NodeId>{5, 6, 7, 8}, {2, 4, 6, 8}}) {
    Cluster cluster(
        {"--algorithm=dolev-klawe-rodeh", "--ping-interval=500ms", "--ping-timeout=1s"});
    cluster.start_range(1, 8);
    REQUIRE(cluster.agrees_in_time());
    const std::int64_t begin_ns = monotonic_now().count();
    for (const NodeId id : stopped) cluster.stop(id);
    REQUIRE(cluster.agrees_in_time());
    std::int64_t end_ns = begin_ns;
    for (const TraceLine& line : cluster.trace()) {
      if (line.event == "coordinator") end_ns = std::max(end_ns, line.t_ns);
    }
    MESSAGE("ms with four of eight stopped: " << (end_ns - begin_ns) / 1'000'000);
    // One wait for the coordinator's echo, and one for those of all others.
    CHECK(end_ns - begin_ns < timeout_ns * 7 / 2);
    for (const NodeId id : stopped) cluster.resume(id);
    CHECK(cluster.agrees_in_time());
  }
}

}  // namespace
}  // namespace bully
