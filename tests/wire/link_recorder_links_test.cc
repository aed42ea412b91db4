// link_recorder_links_test.cc: what a recorder concludes from what it sees on the links, without
// any process.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "support/messages.h"
#include "trace/environment.h"
#include "wire/link_recorder.h"

namespace bully {
namespace {

// A recording of what three processes are told to do.
class Seen {
 public:
  Seen() {
    for (const NodeId id : std::vector<NodeId>{1, 2, 3}) recording_.on_start(id);
  }
  void ping(NodeId from, NodeId coordinator) { reply(from, coordinator, coordinator); }
  void say(MessageType type, NodeId from, NodeId to, std::optional<std::uint64_t> number = 1) {
    const Message message{.type = type, .from = from, .number = number};
    recording_.on_message(message, to, LinkObserver::Way::sent, 1);
    recording_.on_message(message, to, LinkObserver::Way::delivered, 1);
  }
  void begin(NodeId id) { recording_.on_start(id); }
  void end(NodeId id) { recording_.on_end(id, false); }
  void find_gone(NodeId id) { recording_.on_gone(id, false); }
  // As a program that knows no replies: its receiver takes the ping and says nothing.
  void ping_silently(NodeId from, NodeId to) {
    say(messages::ping, from, to, std::nullopt);
    recording_.on_pinged(from, to, std::nullopt);
  }
  void reply(NodeId from, NodeId to, NodeId coordinator) {
    recording_.on_pinged(from, to, PingReply{to, coordinator});
  }
  void pass(Duration time) { now_ += time; }

  const std::vector<NodeId>& followed_by(NodeId id) { return kept_.followed[id]; }
  bool has_followed(NodeId id, NodeId coordinator) {
    return std::ranges::count(kept_.followed[id], coordinator) > 0;
  }
  // Of these, whom the process named itself.
  const std::vector<NodeId>& said_by(NodeId id) { return kept_.said[id]; }
  const std::vector<TraceEvent>& told_of(NodeId id) { return kept_.told[id]; }

 private:
  struct Kept : Sink {
    std::map<NodeId, std::vector<NodeId>> followed;
    std::map<NodeId, std::vector<NodeId>> said;
    std::map<NodeId, std::vector<TraceEvent>> told;
    void record(const Record& record) override {
      told[record.node].push_back(record.event);
      if (record.coordinator) followed[record.node].push_back(*record.coordinator);
      if (environment_of(record).from_reply) said[record.node].push_back(*record.coordinator);
    }
  };
  Kept kept_;
  Time now_ = std::chrono::hours(1);
  LinkRecorder recording_{"bully", 7, kept_, [this] { return now_; }};
};

}  // namespace

TEST_CASE("A process's coordinator is recorded anew after each election that it took part in") {
  Seen seen;
  seen.ping(1, 3);
  seen.ping(1, 3);
  CHECK(seen.followed_by(1) == std::vector<NodeId>{3});
  seen.say(messages::election, 1, 3);
  seen.ping(1, 3);  // it may look whether 3, which it asked, is still there
  CHECK(seen.followed_by(1) == std::vector<NodeId>{3});
  seen.say(messages::coordinator, 3, 1);
  seen.ping(1, 3);
  seen.ping(1, 3);
  CHECK(seen.followed_by(1) == std::vector<NodeId>{3, 3});
}

TEST_CASE("A process that pings the winner it heard of follows it, though the winner is stopped") {
  Seen seen;
  seen.say(messages::election, 3, 1);  // so 3 is known as one that replies
  seen.say(messages::coordinator, 3, 1);
  SUBCASE("and never replies") {
    seen.say(messages::ping, 1, 3);
    CHECK(seen.followed_by(1) == std::vector<NodeId>{3});
    seen.say(messages::election, 1, 2);
    seen.say(messages::ping, 1, 3);  // it may look whether that one is back
    CHECK(seen.followed_by(1) == std::vector<NodeId>{3});
  }
  SUBCASE("but not who has won since, and looks above itself") {
    seen.say(messages::election, 1, 2);
    seen.say(messages::coordinator, 1, 2);
    seen.say(messages::ping, 1, 3);
    CHECK(seen.followed_by(1) == std::vector<NodeId>{1});
  }
}

TEST_CASE("A process names its coordinator in its replies and by announcing, not by its pings") {
  Seen seen;
  seen.ping_silently(1, 3);
  CHECK(seen.followed_by(1) == std::vector<NodeId>{3});
  CHECK(seen.said_by(1).empty());
  seen.reply(2, 1, 3);
  seen.reply(2, 1, 3);
  CHECK(seen.said_by(1) == std::vector<NodeId>{3});
  seen.ping_silently(1, 3);  // as it has said already
  CHECK(seen.followed_by(1) == std::vector<NodeId>{3, 3});
  seen.say(messages::coordinator, 2, 1);
  CHECK(seen.said_by(2) == std::vector<NodeId>{2});
}

TEST_CASE("A ping that still waited when its sender was told of another winner shows no choice") {
  Seen seen;
  seen.say(messages::coordinator, 2, 1, std::nullopt);
  seen.say(messages::coordinator, 3, 1, std::nullopt);
  seen.ping_silently(1, 2);
  CHECK(seen.followed_by(1).empty());
  SUBCASE("and it follows the other") {
    seen.ping_silently(1, 3);
    CHECK(seen.followed_by(1) == std::vector<NodeId>{3});
  }
  SUBCASE("but one that it sends later does") {
    seen.pass(std::chrono::seconds(1));
    seen.ping_silently(1, 2);
    CHECK(seen.followed_by(1) == std::vector<NodeId>{2});
  }
  SUBCASE("as does one once the winner is gone") {
    seen.end(3);
    seen.ping_silently(1, 2);
    CHECK(seen.followed_by(1) == std::vector<NodeId>{2});
  }
}

TEST_CASE("Of a process that pings several others in turn each change is recorded") {
  constexpr Duration interval = std::chrono::seconds(1);
  Seen seen;
  SUBCASE("all others") {
    for (int round = 0; round < 4; ++round, seen.pass(interval)) {
      seen.ping_silently(1, 2);
      seen.ping_silently(1, 3);
    }
    for (const NodeId id : {2U, 3U}) CHECK(seen.has_followed(1, id));
    CHECK(seen.said_by(1).empty());
  }
  SUBCASE("all others, as fast as it can") {
    for (int i = 0; i < 2000; ++i, seen.pass(std::chrono::milliseconds(1))) {
      seen.ping_silently(1, i % 2 == 0 ? 2 : 3);
    }
    for (const NodeId id : {2U, 3U}) CHECK(seen.has_followed(1, id));
    CHECK(seen.followed_by(1).size() < 10);  // it fills no disk
  }
  SUBCASE("those below it, once it has won") {
    seen.say(messages::coordinator, 3, 1);
    seen.say(messages::coordinator, 3, 2);
    for (int round = 0; round < 4; ++round, seen.pass(interval)) {
      seen.ping_silently(3, 1);
      seen.ping_silently(3, 2);
    }
    CHECK(seen.followed_by(3).front() == 3);
    for (const NodeId id : {1U, 2U}) CHECK(seen.has_followed(3, id));
    CHECK(seen.said_by(3) == std::vector<NodeId>{3});
  }
}

TEST_CASE("Pings that arrive late after an election change nothing") {
  Seen seen;
  seen.ping_silently(1, 2);
  seen.say(messages::coordinator, 3, 1);
  for (int i = 0; i < 500; ++i, seen.pass(std::chrono::milliseconds(1))) {
    seen.ping_silently(1, 3);
    seen.ping_silently(1, 2);  // it had waited since before
  }
  CHECK(seen.followed_by(1) == std::vector<NodeId>{2, 3});
  for (int i = 0; i < 2000; ++i, seen.pass(std::chrono::milliseconds(1))) seen.ping_silently(1, 3);
  seen.say(messages::election, 1, 3);
  seen.ping_silently(1, 2);  // it asks around
  seen.say(messages::coordinator, 3, 1);
  seen.ping_silently(1, 3);
  seen.ping_silently(1, 2);
  CHECK(seen.followed_by(1) == std::vector<NodeId>{2, 3, 3});
}

TEST_CASE(
    "A process that is killed after its first word is seen to start and to end, and no other") {
  using enum TraceEvent;
  Seen seen;
  SUBCASE("under a new name") {
    for (const NodeId to : std::vector<NodeId>{1, 2}) {
      seen.say(messages::election, 9, to, to);
      seen.find_gone(9);
    }
    CHECK(seen.told_of(9) == std::vector{start, send, crash, send});
    seen.begin(9);
    CHECK(seen.told_of(9).back() == start);
  }
  SUBCASE("under one that was known") {
    seen.say(messages::election, 3, 1, 1);
    seen.end(3);
    seen.say(messages::election, 3, 2, 2);  // this was on its way
    seen.find_gone(3);
    CHECK(seen.told_of(3) == std::vector{start, send, crash, send});
    seen.say(messages::election, 3, 2, 1);
    seen.find_gone(3);
    CHECK(seen.told_of(3) == std::vector{start, send, crash, send, start, send, crash});
  }
  SUBCASE("but not one whose name is only found later") {
    seen.say(messages::election, 9, 1);
    seen.begin(9);
    seen.find_gone(9);
    CHECK(seen.told_of(9) == std::vector{start, send});
  }
  SUBCASE("nor one that numbers nothing: it may have no name yet") {
    seen.say(messages::election, 9, 1, std::nullopt);
    seen.find_gone(9);
    CHECK(seen.told_of(9) == std::vector{send});
  }
}

}  // namespace bully
