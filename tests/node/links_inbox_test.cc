// links_inbox_test.cc: what one sender says is heard in the order in which it was said, though each
// message comes on a connection of its own.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "fixture/cluster.h"
#include "node/links.h"
#include "node/system.h"
#include "support/messages.h"

namespace bully {
namespace {

class Heard : public Recipient {
 public:
  void on_message(const Message& message, Descriptor&) override {
    numbers.push_back(message.number.value_or(0));
  }
  void on_dropped(std::string_view reason, std::string_view bytes) override {
    dropped.emplace_back(reason);
    inputs.emplace_back(bytes);
  }

  std::vector<std::uint64_t> numbers;
  std::vector<std::string> dropped;
  std::vector<std::string> inputs;
};

// An inbox on a socket of its own, and what it has delivered.
class Receiver {
 public:
  explicit Receiver(std::size_t max_waiting = 16, std::size_t max_held = 0)
      : inbox_(heard_, {.unfinished = max_waiting, .held = max_held}) {
    inbox_.listen_on(listen_at(path()));
  }

  Descriptor connect() const {
    Connection connection = connect_to(path());
    REQUIRE(connection.reach == Reach::reached);
    return std::move(connection.descriptor);
  }
  // Connects, sends and closes, as the outbox does.
  void say(std::uint64_t number) const { finish(connect(), number); }
  static void finish(const Descriptor connection, std::uint64_t number) {
    REQUIRE(send_once(connection, encode(wire_message(messages::value, 1, number))));
  }

  // Looks what is ready; what happens between that and receive() has not been seen.
  void look() {
    polled_.clear();
    inbox_.add_to(polled_);
    poll(polled_.data(), static_cast<nfds_t>(polled_.size()), 0);
  }
  void receive() { inbox_.receive(polled_.data(), monotonic_now(), std::chrono::seconds(1)); }
  void look_and_receive() {
    look();
    receive();
  }

  const std::vector<std::uint64_t>& numbers() const { return heard_.numbers; }
  const std::vector<std::string>& dropped() const { return heard_.dropped; }

 private:
  std::string path() const { return scratch_.path() + "/socket"; }

  Scratch scratch_;
  Heard heard_;
  Inbox inbox_;
  std::vector<pollfd> polled_;
};

TEST_CASE("A message that was late on its connection is not overtaken by its sender's next one") {
  Receiver receiver;
  Descriptor late = receiver.connect();
  receiver.look_and_receive();  // accepted, and silent
  receiver.say(9);              // somebody else's: the listener is ready
  receiver.look();
  Receiver::finish(std::move(late), 1);
  receiver.say(2);
  receiver.receive();
  CHECK(receiver.numbers() == std::vector<std::uint64_t>{1, 9, 2});
}

TEST_CASE("Of two that are late, the one that was accepted first is heard first") {
  Receiver receiver;
  Descriptor first = receiver.connect();
  Descriptor second = receiver.connect();
  receiver.look_and_receive();
  Receiver::finish(std::move(second), 2);
  receiver.look();  // sees that the second is ready, and the first not
  Receiver::finish(std::move(first), 1);
  receiver.receive();
  CHECK(receiver.numbers() == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("Many messages in a row are heard in order, more than may wait at a time") {
  Receiver receiver(8);
  constexpr std::uint64_t count = 500;
  std::vector<std::uint64_t> expected;
  for (std::uint64_t number = 1; number <= count; ++number) {
    receiver.say(number);
    expected.push_back(number);
  }
  receiver.look_and_receive();
  CHECK(receiver.numbers() == expected);
  CHECK(receiver.dropped().empty());
}

TEST_CASE("A connection is kept open if its ping asks for it, and closed otherwise") {
  Receiver receiver(16, 2);
  for (const auto& [said, is_kept] :
       std::vector<std::pair<std::string, bool>>{{"1;7;1;1", true},
                                                 {"1;7;1", false},
                                                 {"S;7;;1", false},
                                                 {"1;8;1;1", true},
                                                 {"1;9;1;1", false}}) {
    const std::string bytes = said;
    CAPTURE(bytes);
    const Descriptor connection = receiver.connect();
    REQUIRE(send_once(connection, bytes));
    shutdown(connection.get(), SHUT_WR);
    receiver.look_and_receive();
    std::string reply;
    CHECK((read_some(connection, reply) == Incoming::nothing) == is_kept);
  }
  CHECK(receiver.dropped().empty());
}

TEST_CASE("Elements are asked in their order, each once, and those that are left keep it") {
  std::deque<int> numbers = {1, 2, 3, 4, 5};
  std::vector<int> asked;
  erase_in_order(numbers, [&](int number) {
    asked.push_back(number);
    return number % 2 == 0;
  });
  CHECK(asked == std::vector<int>{1, 2, 3, 4, 5});
  CHECK(numbers == std::deque<int>{1, 3, 5});
  // What is not erased is not moved onto itself, which would empty it.
  std::deque<std::string> words = {"a", "b"};
  erase_in_order(words, [](const std::string&) { return false; });
  CHECK(words == std::deque<std::string>{"a", "b"});
}

TEST_CASE("Silent connections make room for those that say something") {
  Receiver receiver(8);
  std::vector<Descriptor> silent;
  for (int i = 0; i < 20; ++i) silent.push_back(receiver.connect());
  receiver.say(1);
  receiver.look_and_receive();
  CHECK(receiver.numbers() == std::vector<std::uint64_t>{1});
  CHECK(receiver.dropped().size() >= 12);
  for (const std::string& reason : receiver.dropped()) CHECK(reason == "crowded");
}

// As with so few descriptors that a quarter of them is none.
TEST_CASE("An inbox in which nothing may wait takes one at a time") {
  Receiver receiver(0);
  const Descriptor silent = receiver.connect();
  for (const std::uint64_t number : {1U, 2U, 3U}) receiver.say(number);
  receiver.look_and_receive();
  CHECK(receiver.numbers() == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(receiver.dropped() == std::vector<std::string>{"crowded"});
}

}  // namespace
}  // namespace bully
