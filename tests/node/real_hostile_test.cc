// real_hostile_test.cc: whatever comes in that is no message, or a wrong one, is dropped and
// counted, and holds nobody up.
#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <string_view>

#include "fixture/stranger.h"
#include "node/system.h"
#include "support/messages.h"
#include "support/process.h"

namespace bully {
namespace {

TEST_CASE("Every malformed message is dropped and counted, and changes nothing") {
  RunningCluster cluster(1, 2);
  const std::size_t before = cluster.trace().size();
  for (const std::string_view bytes : malformed_messages) say(cluster, 2, bytes);
  for (const char* in_its_own_name : {"E;2", "C;2"}) say(cluster, 2, in_its_own_name);
  say(cluster, 2, std::string_view("E;1\0", 4));
  say(cluster, 2, "E;18446744073709551616");
  say(cluster, 2, std::string(300, '1'));
  say(cluster, 2, std::string(100'000, 'x'));
  say(cluster, 2, "E;1;" + std::string(252, '9'));  // 256 bytes
  const std::size_t said = malformed_messages.size() + 7;
  CHECK(wait_until([&] { return dropped(cluster, 2) == said; }));
  CHECK(cluster.agrees());
  CHECK(cluster.status_of(2)->received.of(messages::election) == 0);
  CHECK(cluster.status_of(2)->received.of(messages::coordinator) == 0);
  // What is a message, but not for this process, is lost.
  CHECK(cluster.count("drop", before) == said - 2);
  CHECK(cluster.count("lost", before) == 2);
  CHECK(cluster.trace().size() == before + said);
}

TEST_CASE("Silent and trickling connections are dropped in time, and hold up no election") {
  RunningCluster cluster(1, 4, quick_pings);
  std::vector<Descriptor> silent;
  for (const NodeId id : {1U, 2U, 3U}) {
    for (int i = 0; i < 20; ++i) silent.push_back(connect_in_time(cluster, id));
  }
  const Descriptor trickling = connect_in_time(cluster, 3);
  const std::size_t before = cluster.trace().size();
  cluster.kill(4);
  // Digits for ever: never more at a time than one, and never the end.
  REQUIRE(wait_until([&] {
    send(trickling.get(), "1", 1, 0);
    return cluster.agrees();
  }));
  CHECK(election_ns(cluster.trace(), before) < trickle_ns);
  CHECK(wait_until([&] {
    send(trickling.get(), "1", 1, 0);
    return dropped(cluster, 3) == 21 && dropped(cluster, 1) == 20;
  }));
  CHECK(cluster.agrees());
}

TEST_CASE("More silent connections than a node has descriptors hold up no election") {
  for (const auto& limits : {std::pair(20U, 50U), std::pair(40U, 200U)}) {
    const auto& [descriptors, connections] = limits;
    CAPTURE(limits.first);
    RunningCluster cluster(1, 2, quick_pings);
    cluster.start_limited(3, descriptors);
    cluster.start_and_agree(4);
    std::vector<Descriptor> silent;
    while (silent.size() < connections) silent.push_back(connect_in_time(cluster, 3));
    const std::size_t before = cluster.trace().size();
    cluster.kill_and_agree(4);
    CHECK(cluster.highest() == 3);
    CHECK(election_ns(cluster.trace(), before) < trickle_ns);
    CHECK(wait_until([&] { return dropped(cluster, 3) == silent.size(); }));
    cluster.start_and_agree(4);
  }
}

TEST_CASE("A COORDINATOR in the name of no process, a lower one or a rival is set right") {
  RunningCluster cluster(1, 4, quick_pings);
  const auto set_right = [&](NodeId to, const char* bytes, std::size_t received) {
    CAPTURE(bytes);
    say(cluster, to, bytes);
    REQUIRE(wait_until(
        [&] { return cluster.status_of(to)->received.of(messages::coordinator) > received; }));
    CHECK(cluster.agrees_in_time());
  };
  for (const char* bytes : {"C;99", "C;3", "C;0"}) {
    for (const NodeId id : {1U, 4U, 2U}) {
      const auto status = cluster.status_of(id);
      REQUIRE(status);
      set_right(id, bytes, status->received.of(messages::coordinator));
    }
  }
}

TEST_CASE("A neighbour that names a dead process at each election causes no loop of elections") {
  const Duration interval = std::chrono::milliseconds(300);
  RunningCluster cluster(1, 1, {"--detector=eof", "--ping-interval=300ms"});
  const std::size_t before = cluster.trace().size();
  const Descriptor listener = listen_at(cluster.socket_path(9));
  const Child liar([&] {
    while (true) {
      pollfd polled{listener.get(), POLLIN, 0};
      poll(&polled, 1, -1);
      const Descriptor connection = accept_from(listener);
      polled = {connection.get(), POLLIN, 0};
      std::string bytes;
      while (connection && read_some(connection, bytes) == Incoming::nothing) poll(&polled, 1, -1);
      if (bytes.starts_with("E;")) say(cluster, 1, "C;8");
    }
  });
  say(cluster, 1, "C;8");
  constexpr std::size_t deaths = 5;
  REQUIRE(wait_until([&] { return cluster.count("suspect", before) >= deaths; }));
  std::vector<Time> suspected;
  for (const TraceLine& line : cluster.trace()) {
    const bool is_of_dead = line.event == "suspect" && line.coordinator == 8;
    if (is_of_dead) suspected.emplace_back(line.t_ns);
  }
  REQUIRE(suspected.size() >= deaths);
  CHECK(suspected[deaths - 1] - suspected[0] >= (deaths - 1) * interval * 9 / 10);
}

TEST_CASE("A peer that closes before it can be asked does not end `bully ps`") {
  RunningCluster cluster(1);
  const std::string path = cluster.socket_path(2);
  // Accepts and closes as fast as it can, unread, in a process of its own.
  const Child closer([&] {
    const Descriptor listener = listen_at(path);
    while (true) {
      pollfd polled{listener.get(), POLLIN, 0};
      poll(&polled, 1, -1);
      Descriptor(accept(listener.get(), nullptr, nullptr)).reset();
    }
  });
  REQUIRE(wait_until([&] { return cluster.has_name(2); }));
  for (std::size_t i = 0; i < 100; ++i) {
    const Finished shown = run_bully({"ps", "--dir=" + cluster.directory()});
    REQUIRE(shown.outcome.exit_code == 0);
  }
}

}  // namespace
}  // namespace bully
