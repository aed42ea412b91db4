// wire_test.cc: the stand-ins on the links between processes. The processes here are sockets of the
// test's own.
#include "wire/wire.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <filesystem>
#include <string>

#include "election/algorithm.h"
#include "election/bully.h"
#include "node/directory.h"
#include "support/messages.h"
#include "support/scratch.h"

namespace bully {
namespace {

// Processes 1, 2, … that listen, and say what the test wants.
class Processes {
 public:
  explicit Processes(NodeId count) {
    for (NodeId id = 1; id <= count; ++id) start(id);
  }

  void start(NodeId id) {
    Directory own(wire.make_directory(id), false);
    listeners_[id] = own.publish(id);
    wire.publish(id);
  }
  void kill(NodeId id, Wire::State state) {
    listeners_[id].reset();
    wire.bury(id, state);
  }
  Reach say(NodeId from, NodeId to, const std::string& bytes) {
    const Connection connection = connect(from, to);
    if (connection.reach == Reach::reached) send_once(connection.descriptor, bytes);
    return connection.reach;
  }
  Connection connect(NodeId from, NodeId to) const {
    return connect_to(directory(from) + '/' + std::to_string(to));
  }
  // What the next connection to this process brings; nothing if there is none.
  std::string heard(NodeId id) {
    const Descriptor connection = accept_from(listeners_[id]);
    char bytes[256];
    const ssize_t got = connection ? recv(connection.get(), bytes, sizeof bytes, 0) : 0;
    return {bytes, static_cast<std::size_t>(got)};
  }
  Descriptor& listener(NodeId id) { return listeners_[id]; }
  std::string directory(NodeId id) const { return scratch_.path() + '/' + std::to_string(id); }

 private:
  Scratch scratch_;
  std::map<NodeId, Descriptor> listeners_;

 public:
  Wire wire{scratch_.path()};
};

}  // namespace

TEST_CASE("a message waits until it is passed on, whole, in any order") {
  Processes processes(3);
  CHECK(processes.say(1, 3, "E;1;7") == Reach::reached);
  CHECK(processes.say(1, 3, "E;1;8;2;and;more") == Reach::reached);
  CHECK(processes.say(2, 3, "E;2;7") == Reach::reached);
  CHECK_FALSE(processes.wire.ticket_for(1, 3, 7));  // it has not been taken in
  processes.wire.carry(1);
  processes.wire.carry(2);
  CHECK(processes.heard(3) == "");

  const auto first = processes.wire.ticket_for(1, 3, 7);
  const auto second = processes.wire.ticket_for(1, 3, 8);
  const auto third = processes.wire.ticket_for(2, 3, 7);
  REQUIRE((first && second && third));
  CHECK_FALSE(processes.wire.ticket_for(1, 3, 7));  // given once
  CHECK(processes.wire.pass(1, 3, *second));
  CHECK(processes.heard(3) == "E;1;8;2;and;more");
  processes.wire.drop(1, 3, *first);
  CHECK_FALSE(processes.wire.pass(1, 3, *first));
  CHECK(processes.wire.pass(2, 3, *third));
  CHECK(processes.heard(3) == "E;2;7");
  CHECK_FALSE(processes.wire.pass(2, 3, *third));
}

TEST_CASE("each process meets the others in its own directory, and a newcomer all of them") {
  Processes processes(2);
  CHECK(Directory(processes.directory(1), false).ids() == std::vector<NodeId>{1, 2});
  processes.kill(2, Wire::State::refused);
  processes.start(3);
  for (const NodeId id : std::vector<NodeId>{1, 2, 3}) {
    CHECK(Directory(processes.directory(id), false).ids() == std::vector<NodeId>{1, 2, 3});
  }
  CHECK(processes.say(3, 2, "E;3") == Reach::gone);  // the name of somebody dead
  CHECK(processes.say(3, 1, "E;3") == Reach::reached);
  processes.wire.remove(2);
  CHECK(Directory(processes.directory(3), false).ids() == std::vector<NodeId>{1, 3});
  CHECK_FALSE(std::filesystem::exists(processes.directory(2)));
}

TEST_CASE("a dead process is refused, or not known to be dead; alone, if a link is set apart") {
  Processes processes(3);
  processes.kill(3, Wire::State::full);
  CHECK(processes.say(1, 3, "E;1;1") == Reach::busy);
  CHECK(processes.say(2, 3, "E;2;1") == Reach::busy);
  processes.wire.set(1, 3, Wire::State::refused, false);
  CHECK(processes.say(1, 3, "E;1;1") == Reach::gone);
  CHECK(processes.say(2, 3, "E;2;1") == Reach::busy);

  processes.wire.set(2, 3, Wire::State::full, true);
  processes.start(3);
  CHECK(processes.say(1, 3, "E;1;2") == Reach::reached);
  CHECK(processes.say(2, 3, "E;2;1") == Reach::busy);
  const std::string name = processes.directory(2) + "/3";
  const auto before = socket_at(name);
  processes.wire.set(2, 3, Wire::State::open, false);
  CHECK(socket_at(name) == before);  // 2, which tries again, is not refused meanwhile
  CHECK(processes.say(2, 3, "E;2;1") == Reach::reached);
  processes.wire.carry(2);
  CHECK(processes.wire.ticket_for(2, 3, 1));
}

TEST_CASE("what was on its way to a process that dies is gone, what it said itself is not") {
  Processes processes(2);
  processes.say(1, 2, "E;1;1");
  processes.say(2, 1, "C;2;1");
  processes.wire.carry(1);
  processes.wire.carry(2);
  const auto to = processes.wire.ticket_for(1, 2, 1);
  const auto from = processes.wire.ticket_for(2, 1, 1);
  REQUIRE((to && from));
  processes.kill(2, Wire::State::refused);
  CHECK_FALSE(processes.wire.pass(1, 2, *to));
  processes.start(2);
  CHECK_FALSE(processes.wire.pass(1, 2, *to));

  // The new one numbers its messages from 1 again.
  processes.say(2, 1, "E;2;1");
  processes.wire.carry(2);
  const auto fresh = processes.wire.ticket_for(2, 1, 1);
  REQUIRE(fresh);
  CHECK(processes.wire.pass(2, 1, *fresh));
  CHECK(processes.heard(1) == "E;2;1");
  CHECK(processes.wire.pass(2, 1, *from));
  CHECK(processes.heard(1) == "C;2;1");
}

TEST_CASE("a question is carried on at once, and its reply back") {
  Processes processes(2);
  const Connection asking = processes.connect(1, 2);
  REQUIRE(asking.reach == Reach::reached);
  send_once(asking.descriptor, "S;1");
  shutdown(asking.descriptor.get(), SHUT_WR);
  processes.wire.carry(1);
  Descriptor asked = accept_from(processes.listener(2));
  REQUIRE(asked);
  char bytes[64];
  CHECK(std::string(bytes, static_cast<std::size_t>(recv(asked.get(), bytes, sizeof bytes, 0))) ==
        "S;1");
  send_once(asked, "{}");
  asked.reset();
  processes.wire.carry(1);
  CHECK(std::string(bytes, static_cast<std::size_t>(
                               recv(asking.descriptor.get(), bytes, sizeof bytes, 0))) == "{}");
  CHECK(recv(asking.descriptor.get(), bytes, sizeof bytes, 0) == 0);
}

}  // namespace bully
