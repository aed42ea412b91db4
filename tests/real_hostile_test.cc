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

using namespace std::string_view_literals;

TEST_CASE("Every malformed message is dropped and counted, and changes nothing") {
  RunningCluster cluster(1, 2);
  const std::size_t before = cluster.trace().size();
  const std::string digits(300, '1');
  const std::vector<std::string_view> malformed = {
      "",
      ";",
      "E",
      "E;",
      ";1",
      "X;1",
      "e;1",
      "EE;1",
      " E;1",
      "E ;1",
      "E; 1",
      "E;1 ",
      "E;1\n",
      "E;+1",
      "E;-1",
      "E;01",
      "E;0x1",
      "E;1.0",
      "E;1e3",
      "E;one",
      "E;18446744073709551616",
      "C;99999999999999999999999",
      "PE;\xc3\xa9",
      "\xff\xfe\xfd",
      "E;\xd9\xa1",
      "E;1\0"sv,
      "\0"sv,
      "1",
      "1;",
      "S",
      "S;x",
      "C;;1",
      "E,1",
      "E:1",
      "GET / HTTP/1.1\r\n\r\n",
      digits,
  };
  for (const std::string_view bytes : malformed) say(cluster, 2, bytes);
  say(cluster, 2, std::string(100'000, 'x'));
  say(cluster, 2, "E;1;" + std::string(252, '9'));  // 256 bytes
  CHECK(wait_until([&] { return dropped(cluster, 2) == malformed.size() + 2; }));
  CHECK(cluster.agrees());
  CHECK(cluster.count("drop", before) == malformed.size() + 2);
  CHECK(cluster.trace().size() == before + malformed.size() + 2);
}

TEST_CASE("Further fields are ignored, whatever they are") {
  RunningCluster cluster(1, 2);
  for (const char* bytes : {"E;1", "E;1;", "E;1;7", "E;1;x", "E;1;7;8;9;\xff", "E;1;;;;;;"}) {
    const auto answers = [&] { return sent_count(cluster.trace(), "PE"); };
    const std::size_t before = answers();
    say(cluster, 2, bytes);
    CHECK(wait_until([&] { return answers() == before + 1; }));
  }
  CHECK(dropped(cluster, 2) == 0);
  say(cluster, 2, "E;2");  // in its own name
  CHECK(wait_until([&] { return dropped(cluster, 2) == 1; }));
  CHECK(cluster.agrees_in_time());
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

TEST_CASE("An ANSWER or ELECTION from no process changes nothing for good") {
  RunningCluster cluster(1, 3, quick_pings);
  for (const char* bytes : {"PE;99", "PE;1", "PE;0", "E;0", "E;99", "E;2;5;77"}) {
    for (const NodeId id : {1U, 2U, 3U}) say(cluster, id, bytes);
    CHECK(cluster.agrees_in_time());
  }
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
