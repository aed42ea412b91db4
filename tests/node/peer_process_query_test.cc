// peer_process_query_test.cc: who it is that somebody asks who is about to start, where the one
// that is asked dies, and returns, at that moment.
#include <doctest/doctest.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "fixture/cluster.h"
#include "node/directory.h"
#include "node/peer_process.h"
#include "node/system.h"

namespace bully {
namespace {

// How far a node has come with a question when it is killed.
enum class Moment : std::uint8_t { waiting, accepted, read };

// A name that is seen has a listener already.
Descriptor listen_whole(const std::string& name, const std::string& unpublished) {
  Descriptor listener = listen_at(unpublished);
  if (rename(unpublished.c_str(), name.c_str()) != 0) _exit(1);
  return listener;
}

// The next caller, however long it takes until there is one.
Descriptor next_caller(const Descriptor& listener) {
  pollfd asked{listener.get(), POLLIN, 0};
  poll(&asked, 1, -1);
  return accept_from(listener);
}

// All that it says, up to its end.
void hear_out(const Descriptor& caller) {
  char byte = 0;
  while (recv(caller.get(), &byte, 1, 0) != 0) continue;
}

// A process that has a name, is asked, and dies; but not before `successor` has the name.
Child start_mortal(const std::string& name, const std::string& successor, Moment moment) {
  return Child([&] {
    const Descriptor listener = listen_whole(name, successor + ".first");
    pollfd asked{listener.get(), POLLIN, 0};
    poll(&asked, 1, -1);
    Descriptor connection;
    if (moment != Moment::waiting) connection = accept_from(listener);
    if (moment == Moment::read) hear_out(connection);
    _exit(rename(successor.c_str(), name.c_str()));
  });
}

// The one with its name after it: replies to each question but the first few, which it keeps, until
// it is killed.
Child start_successor(const std::string& path, NodeId id, std::size_t unanswered = 0) {
  return Child([&] {
    const Descriptor listener = listen_whole(path, path + ".second");
    std::vector<Descriptor> kept;
    while (true) {
      Descriptor connection = next_caller(listener);
      if (kept.size() < unanswered) {
        kept.push_back(std::move(connection));
        continue;
      }
      hear_out(connection);
      NodeStatus status{{.id = id, .condition = Condition::running}, getpid()};
      status.algorithm = "dolev-klawe-rodeh";
      send_once(connection, encode(status));
    }
  });
}

bool listens(const std::string& path) {
  return SocketTable().may_be_node(path);
}

TEST_CASE(
    "A node that dies and returns while it is asked is not taken for the coursework's example") {
  for (const Moment moment : {Moment::waiting, Moment::accepted, Moment::read}) {
    for (const bool replies : {false, true}) {
      CAPTURE(static_cast<int>(moment));
      CAPTURE(replies);
      const Scratch scratch;
      const Directory directory(scratch.path() + "/nodes", true);
      const std::string successor = scratch.path() + "/successor";
      // It has just been started, and does not listen to anybody yet; or it replies.
      Descriptor silent;
      Child second;
      if (replies) {
        second = start_successor(successor, 1);
      } else {
        silent = listen_at(successor);
      }
      REQUIRE(wait_until([&] { return listens(successor); }));
      Child first = start_mortal(directory.socket_path(1), successor, moment);
      REQUIRE(wait_until([&] { return listens(directory.socket_path(1)); }));
      const auto peer = ask_one_node(directory, 2);
      CHECK(first.end().exit_code == 0);
      if (replies) {
        REQUIRE(peer);
        CHECK(peer->algorithm == "dolev-klawe-rodeh");
        CHECK(peer->pid == second.pid());
      } else {
        CHECK(!peer);
      }
    }
  }
}

TEST_CASE("Nor is a process that keeps both questions to itself until it dies") {
  const Scratch scratch;
  const Directory directory(scratch.path() + "/nodes", true);
  Child mute([&] {
    const Descriptor listener =
        listen_whole(directory.socket_path(1), scratch.path() + "/unpublished");
    std::vector<Descriptor> kept;
    for (int question = 0; question < 2; ++question) {
      kept.push_back(next_caller(listener));
      char byte = 0;
      while (recv(kept.back().get(), &byte, 1, 0) > 0) continue;
    }
  });
  REQUIRE(wait_until([&] { return listens(directory.socket_path(1)); }));
  CHECK(!ask_one_node(directory, 2));
  CHECK(mute.end().exit_code == 0);
}

TEST_CASE("A node that runs, but is held up, is asked until it replies") {
  const Scratch scratch;
  const Directory directory(scratch.path() + "/nodes", true);
  const Child slow = start_successor(directory.socket_path(1), 1, 7);
  REQUIRE(wait_until([&] { return listens(directory.socket_path(1)); }));
  const auto peer = ask_one_node(directory, 2);
  REQUIRE(peer);
  CHECK(peer->pid == slow.pid());
}

}  // namespace
}  // namespace bully
