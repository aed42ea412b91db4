// links_outbox_test.cc: what waits for a peer's full backlog leaves in the order in which it was
// given, whatever else is sent meanwhile.
#include "node/links.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <string>
#include <utility>
#include <vector>

#include "fixture/cluster.h"
#include "node/registry.h"
#include "node/system.h"
#include "support/messages.h"
#include "support/names.h"

namespace bully {
namespace {

constexpr Duration patience_of_outbox = std::chrono::hours(1);

struct Observer {
  void on_lost(NodeId to, const Message& message, Loss loss) {
    (loss == Loss::gone ? gone : late).emplace_back(to, message.number.value_or(0));
  }
  std::vector<std::pair<NodeId, std::uint64_t>> gone;
  std::vector<std::pair<NodeId, std::uint64_t>> late;
};

// A peer with a backlog that the test fills and empties.
class Peer {
 public:
  explicit Peer(std::string path) : path_(std::move(path)), listener_(listen_at(path_)) {}

  void fill() { fillers_ = fill_backlog(path_); }
  // The numbers of all that it has been told.
  std::vector<std::uint64_t> hear() {
    std::vector<std::uint64_t> numbers;
    fillers_.clear();
    while (const Descriptor connection = accept_from(listener_)) {
      char bytes[max_message_bytes];
      const ssize_t got = recv(connection.get(), bytes, sizeof bytes, MSG_DONTWAIT);
      if (got <= 0) continue;
      const auto message = decode({bytes, static_cast<std::size_t>(got)});
      REQUIRE(message);
      numbers.push_back(message->number.value_or(0));
    }
    return numbers;
  }
  void die() { listener_.reset(); }

 private:
  std::string path_;
  Descriptor listener_;
  std::vector<Connection> fillers_;
};

struct Post {
  Post()
      : directory(scratch.path(), false),
        outbox(directory, patience_of_outbox, [this](auto... news) { observer.on_lost(news...); }) {
  }

  std::string path(NodeId id) const { return directory.socket_path(id); }
  void send(NodeId to, std::uint64_t number) { outbox.send(to, message(number), Time(0)); }
  // As late as it takes for everything to be tried again.
  void retry() { outbox.retry(now += std::chrono::minutes(10)); }
  static Message message(std::uint64_t number) { return wire_message(messages::value, 1, number); }

  Scratch scratch;
  Registry directory;
  Observer observer;
  Outbox outbox;
  Time now = Time(0);
};

TEST_CASE("A message that is sent when there is room again does not overtake those before it") {
  Post post;
  Peer dies(post.path(2));
  Peer lives(post.path(3));
  dies.fill();
  lives.fill();
  post.send(2, 1);
  for (const std::uint64_t number : {2U, 3U}) post.send(3, number);
  CHECK(lives.hear().empty());  // there is room now
  post.send(3, 4);
  dies.die();
  post.retry();
  CHECK(lives.hear() == std::vector<std::uint64_t>{2, 3, 4});
  CHECK(post.observer.gone.size() == 1);
  CHECK(post.outbox.next_deadline() == never);
}

TEST_CASE("A message that its peer cannot take in time is given up, and the next one is not") {
  Post post;
  Peer peer(post.path(2));
  peer.fill();
  post.send(2, 1);
  post.now = patience_of_outbox;
  post.outbox.send(2, Post::message(2), post.now);
  post.retry();
  CHECK(post.observer.late == std::vector<std::pair<NodeId, std::uint64_t>>{{2, 1}});
  CHECK(peer.hear().empty());
  post.retry();
  CHECK(peer.hear() == std::vector<std::uint64_t>{2});
}

TEST_CASE("A socket of another type belongs to no process: what is sent there is lost") {
  Post post;
  const Descriptor datagram = bind_at(post.path(2), SOCK_DGRAM);
  post.send(2, 1);
  CHECK(post.observer.gone == std::vector<std::pair<NodeId, std::uint64_t>>{{2, 1}});
  CHECK(post.directory.sweep(2));
  CHECK(connect_to(post.path(2)).reach == Reach::foreign);  // it is left alone
}

}  // namespace
}  // namespace bully
