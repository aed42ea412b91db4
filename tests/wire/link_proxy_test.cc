// link_proxy_test.cc: what peers meet at a stand-in is what they would meet at the process itself.
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fixture/proxied.h"

namespace bully {
namespace {

using Words = std::vector<std::string>;

// While it exists, this process cannot open more descriptors than these.
class NoDescriptors {
 public:
  explicit NoDescriptors(rlim_t but = 0) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const Descriptor lowest_free(dup(STDIN_FILENO));
    const rlimit few{static_cast<rlim_t>(lowest_free.get()) + but, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

bool is_closed(const Descriptor& connection) {
  pollfd polled{connection.get(), 0, 0};
  return poll(&polled, 1, 0) > 0 && (polled.revents & POLLHUP) != 0;
}

}  // namespace

TEST_CASE("All bytes go through unchanged, both ways, and so do half-closing and closing") {
  std::minstd_rand random(1);
  const auto some_bytes = [&](std::size_t size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
  };
  StageOf4 stage;
  for (const std::size_t size : {0U, 1U, 10U, 255U, 256U, 4096U, 150'000U}) {
    CAPTURE(size);
    const Descriptor caller = stage.connected(4);
    const Descriptor accepted = stage.accept();
    const auto pass = [&](const Descriptor& from, const Descriptor& to) {
      const std::string bytes = some_bytes(size);
      std::string got;
      std::size_t sent = 0;
      REQUIRE(stage.comes([&] {
        const ssize_t gone =
            send(from.get(), bytes.data() + sent, bytes.size() - sent, MSG_DONTWAIT);
        if (gone > 0) sent += static_cast<std::size_t>(gone);
        if (sent == bytes.size()) shutdown(from.get(), SHUT_WR);
        char some[4096];
        const ssize_t count = recv(to.get(), some, sizeof some, MSG_DONTWAIT);
        if (count > 0) got.append(some, static_cast<std::size_t>(count));
        return count == 0;
      }));
      CHECK(got == bytes);
    };
    pass(caller, accepted);
    CHECK_FALSE(is_closed(accepted));
    pass(accepted, caller);
    CHECK(stage.comes([&] { return is_closed(caller) && is_closed(accepted); }));
  }
}

TEST_CASE("A connection that is held open stays open, until its process closes it") {
  StageOf4 stage;
  const Descriptor caller = stage.connected(4);
  REQUIRE(send_once(caller, "1;7"));
  Descriptor accepted = stage.accept();
  REQUIRE(stage.is_noted("sent 1;7 to 4"));
  REQUIRE(send_once(accepted, "1;4;9"));
  REQUIRE(stage.is_noted("pinged 4 by 7: 1;4;9"));
  CHECK(stage.passes("E;3"));
  CHECK_FALSE(is_closed(caller));
  accepted.reset();
  CHECK(stage.comes([&] { return is_closed(caller); }));
}

TEST_CASE(
    "A message with a long list, which comes in pieces, is seen once, whole, and passed on so") {
  std::string list = "T;1;1;;1;1000001";
  for (NodeId id = 1'000'002; id <= 1'005'000; ++id) list += ',' + std::to_string(id);
  REQUIRE(decode(list));
  StageOf4 stage;
  Descriptor caller = stage.connected(4);
  const Descriptor accepted = stage.accept();
  std::string got;
  const std::size_t piece = list.size() / 3 + 1;
  for (std::size_t at = 0; at < list.size(); at += piece) {
    CHECK(stage.notes.words == Words{"start 4"});
    REQUIRE(send_once(caller, list.substr(at, piece)));
    // All of this piece is through before the next one is sent.
    REQUIRE(stage.comes([&] {
      got += read_ready(accepted);
      return got.size() == std::min(list.size(), at + piece);
    }));
  }
  caller.reset();
  CHECK(stage.read_all(accepted).empty());
  CHECK(got == list);
  CHECK(stage.notes.words ==
        Words{"start 4", "sent " + list + " to 4", "delivered " + list + " to 4"});
}

TEST_CASE("A full backlog is a wait: nothing is lost, and no process is taken for dead") {
  StageOf4 stage;
  listen(stage.four.get(), 1);  // like the example
  std::vector<std::string> said;
  REQUIRE(stage.comes([&] {
    const Connection connection = connect_to(stage.path(4));
    if (connection.reach == Reach::reached) {
      said.push_back("E;" + std::to_string(100 + said.size()));
      send_once(connection.descriptor, said.back());
    }
    CHECK(connection.reach != Reach::gone);
    return connection.reach == Reach::busy && said.size() > 4;
  }));
  CHECK(said.size() < 40);  // hardly more than without a stand-in
  CHECK_FALSE(stage.notes.has("dead 4"));
  for (const std::string& each : said) CHECK(stage.next() == each);
  CHECK(stage.passes("E;3"));
}

TEST_CASE("Messages of one sender arrive in order, whatever was seen of them when") {
  for (const bool is_sent_late : {true, false}) {
    CAPTURE(is_sent_late);
    StageOf4 stage;
    Descriptor slow = stage.connected(4);
    if (!is_sent_late) send_once(slow, "E;3;1");
    const Descriptor first = stage.accept();
    if (is_sent_late) send_once(slow, "E;3;1");
    slow.reset();  // not seen yet when the next one is there
    stage.say(4, "C;3;2");
    const Descriptor second = stage.accept();
    // It has all of the first message, and its end.
    char bytes[8];
    CHECK(recv(first.get(), bytes, sizeof bytes, MSG_DONTWAIT) == 5);
    CHECK(recv(first.get(), bytes, sizeof bytes, MSG_DONTWAIT) == 0);
  }
}

TEST_CASE("A process that leaves is not taken for dead, though a message to it waits") {
  StageOf4 stage;
  stage.say(4, "E;3;7");
  stage.leave(4);
  stage.four.reset();
  CHECK(stage.is_noted("left 4"));
  CHECK(!stage.notes.has("dead 4"));
}

TEST_CASE("The dead refuse connections at once, and those that are waiting just then are reset") {
  StageOf4 stage;
  listen(stage.four.get(), 0);
  std::vector<Descriptor> callers;
  REQUIRE(stage.comes([&] {
    Connection connection = connect_to(stage.path(4));
    if (connection.reach != Reach::reached) return true;
    send_once(connection.descriptor, "E;3;7");
    callers.push_back(std::move(connection.descriptor));
    return false;
  }));
  stage.four.reset();
  REQUIRE(stage.is_noted("dead 4"));
  CHECK(stage.notes.has("refused E;3;7 to 4"));
  CHECK(connect_to(stage.path(4)).reach == Reach::gone);
  char byte = 0;
  CHECK(recv(callers.back().get(), &byte, 1, MSG_DONTWAIT) == -1);
  CHECK(errno == ECONNRESET);

  // It comes back under its name; and once more so soon that nobody has noticed its death.
  Descriptor again = stage.process(4);
  REQUIRE(stage.comes([&] { return stage.notes.count("start 4") == 2; }));
  stage.say(4, "E;3;8");
  CHECK(stage.read_all(stage.accept(again)) == "E;3;8");
  again.reset();
  std::filesystem::remove(stage.path(4));
  again = listen_at(stage.path(4));
  REQUIRE(stage.comes([&] { return stage.notes.count("start 4") == 3; }));
  CHECK(stage.notes.count("dead 4") + stage.notes.count("left 4") == 2);
}

TEST_CASE("Before a process's first message is passed on, its own name has a stand-in") {
  Stage stage;
  const Descriptor four = stage.process(4);
  stage.begin();
  const Descriptor three = stage.process(3);
  stage.say(4, "E;3");
  REQUIRE(stage.is_noted("delivered E;3 to 4"));
  stage.say(3, "PE;4");
  CHECK(stage.is_noted("delivered PE;4 to 3"));
  CHECK(stage.notes.words == Words{"start 4", "start 3", "sent E;3 to 4", "delivered E;3 to 4",
                                   "sent PE;4 to 3", "delivered PE;4 to 3"});
}

TEST_CASE("A process that takes a dead one's name is seen to start, however soon it speaks") {
  Stage stage;
  Descriptor three = stage.process(3);
  const Descriptor four = stage.process(4);
  stage.begin();
  REQUIRE(stage.notes.has("start 3"));
  stage.notes.words.clear();
  three.reset();
  const Descriptor next = stage.process(3);
  stage.say(4, "E;3;1");
  REQUIRE(stage.is_noted("delivered E;3;1 to 4"));
  CHECK(stage.notes.words == Words{"dead 3", "start 3", "sent E;3;1 to 4", "delivered E;3;1 to 4"});
}

TEST_CASE("A process that removes its name has left; noise is passed on, and said") {
  StageOf4 stage;
  CHECK(stage.passes("S;7"));
  CHECK_FALSE(stage.notes.has("noise to 4"));
  CHECK(stage.passes("hello?"));
  CHECK(stage.notes.has("noise to 4"));
  stage.withdraw(4);
  CHECK(stage.is_noted("left 4"));
  CHECK(connect_to(stage.path(4)).reach == Reach::gone);
}

TEST_CASE("A process that leaves while the link proxy looks has left, and has not crashed") {
  constexpr int rounds = 100;
  Stage stage;
  stage.begin();
  for (int round = 0; round < rounds; ++round) {
    Descriptor listener = stage.process(1);
    REQUIRE(stage.is_noted("start 1"));
    std::thread leaves([&] {
      stage.leave(1);
      listener.reset();
    });
    while (stage.relay().has_proxy(1)) stage.relay().look();
    leaves.join();
    CHECK(stage.notes.words.back() == "left 1");
    REQUIRE(stage.comes([&] { return !stage.relay().has_proxy(1); }));
    stage.notes.words.clear();
  }
}

TEST_CASE("An endless or overlong message holds up no process") {
  StageOf4 stage;
  const Descriptor silent = stage.connected(4);
  const Descriptor open = stage.connected(4);
  send_once(open, "E;3");
  const std::string longest(max_message_bytes + 1, 'E');
  stage.say(4, longest);
  const Descriptor first = stage.accept();
  const Descriptor second = stage.accept();
  CHECK(stage.next() == longest);
  CHECK(stage.notes.has("noise to 4"));
  CHECK(stage.notes.has("delivered E;3 to 4"));
  CHECK_FALSE(is_closed(first));
  CHECK_FALSE(is_closed(second));
}

TEST_CASE("A process that replaces its socket is found again; other names are left alone") {
  Stage stage;
  Descriptor process = stage.process(4);
  const Descriptor other = listen_at(stage.path(4) + ".txt");
  stage.begin();
  stage.say(4, "E;3;1");
  CHECK(stage.read_all(stage.accept(process)) == "E;3;1");
  stage.withdraw(4);  // as the example does: unlink, bind, listen
  process = listen_at(stage.path(4));
  REQUIRE(stage.comes([&] {
    stage.say(4, "E;3;2");
    return stage.notes.has("delivered E;3;2 to 4");
  }));
  CHECK(accept_from(process));
  CHECK(connect_to(stage.path(4) + ".txt").reach == Reach::reached);
  CHECK(accept_from(other));
}

TEST_CASE("Without descriptors connections wait; if there are none for long, the relay ends") {
  if (is_sanitized) return;  // the sanitizer needs descriptors of its own to look at an object
  StageOf4 stage;
  stage.say(4, "E;3");
  {
    const NoDescriptors none;
    CHECK(stage.is_noted("trouble " + std::to_string(EMFILE)));
  }
  CHECK(stage.next() == "E;3");
  stage.say(4, "E;5");
  {
    const NoDescriptors none;
    CHECK_THROWS_AS(stage.comes([] { return false; }), SetupError);
  }
  stage.end();
  CHECK(stage.next() == "E;5");
}

TEST_CASE("Without descriptors for all connections, those that have waited longest come first") {
  if (is_sanitized) return;
  Stage stage;
  const Descriptor four = stage.process(4);
  const Descriptor five = stage.process(5);
  stage.begin();
  std::vector<Descriptor> silent;
  for (int i = 0; i < 12; ++i) silent.push_back(stage.connected(4));
  stage.say(5, "E;3");
  const NoDescriptors but_for_two_connections(4);
  const auto is_exhausted_again = [&] {
    const auto trouble = [&] { return stage.notes.count("trouble " + std::to_string(EMFILE)); };
    const auto before = trouble();
    return stage.comes([&] { return trouble() >= before + 4; });
  };
  REQUIRE(is_exhausted_again());
  // Two of those to 4 end, one after the other, and many more to 4 have waited as long as the one
  // to 5.
  for (const std::size_t ended : {0U, 1U}) {
    CHECK_FALSE(stage.notes.has("delivered E;3 to 5"));
    dup2(STDIN_FILENO, silent[ended].get());
    REQUIRE(is_exhausted_again());
  }
  CHECK(stage.notes.has("delivered E;3 to 5"));
}

TEST_CASE("When the relay ends, what is on its way arrives, and the name is the process's own") {
  StageOf4 stage;
  stage.say(4, "E;1");
  stage.say(4, "E;2");
  stage.end();
  CHECK(stage.next() == "E;1");
  CHECK(stage.next() == "E;2");
  CHECK(stage.passes("E;3"));
}

}  // namespace bully
