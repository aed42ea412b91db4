// participant_test.cc: what is recorded of a step, and in which order it is carried out.
#include "election/participant.h"
#include "election/algorithm.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "election/bully.h"
#include "support/messages.h"
#include "support/script.h"
#include "trace/trace.h"

namespace bully {
namespace {

// Does nothing but write down what it is told, one word for each.
struct Notes : Environment {
  Loss send(NodeId to, const Message& message) override {
    note("sends " + std::string(message.type->name) + ' ' + std::to_string(to));
    numbers.push_back(message.number.value_or(0));
    if (on_send) on_send();
    return gone.contains(to) ? Loss::gone : Loss::none;
  }
  void start_timer(const StartTimer& action) override {
    note("starts " + std::string(timer_name(action.timer)));
  }
  void stop_timer(Timer) override {}
  void watch(const WatchTarget& watch) override {
    note("watches " + (watch.whom ? std::to_string(*watch.whom) : std::string("nobody")));
  }
  void record(Record record) override {
    std::string words(fields_of(record.event).name);
    if (record.event == TraceEvent::state) words.append(" ").append(record.state);
    if (record.event == TraceEvent::rule) words.append(" ").append(record.rule);
    if (is_about_message(record)) words += ' ' + std::to_string(record.to);
    note(words);
  }
  void note(const std::string& words) { told.push_back(words); }

  std::set<NodeId> gone;
  std::vector<std::string> told;
  std::vector<std::uint64_t> numbers;
  std::function<void()> on_send;
};

using Told = std::vector<std::string>;

// Process 1 of a cluster, and what is written down of it.
struct Written {
  explicit Written(std::initializer_list<NodeId> ids,
                   std::unique_ptr<Protocol> protocol = std::make_unique<Bully>(1))
      : peers(ids), participant(std::move(protocol), "bully") {}
  void handle(const Event& event) { participant.handle(event, peers, notes); }
  std::ptrdiff_t count(std::string_view words) const {
    return std::ranges::count(notes.told, words);
  }

  test::FixedPeers peers;
  Notes notes;
  Participant participant;
};

}  // namespace

TEST_CASE("messages that leave together are told of before the first one leaves") {
  Written one({1, 2, 3});
  one.handle(Started{});
  CHECK(one.notes.told == Told{"start", "rule start", "rule ask", "state candidate",
                               "starts answer", "send 2", "send 3", "sends election 2",
                               "sends election 3"});
  CHECK(one.notes.numbers == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("a message that is too long is lost before it is sent") {
  static constexpr Field all{"all", Field::Meaning::ids};
  static constexpr MessageKind kind{"X", "x", Role::asks, {}, &all};
  struct Talker : Bully {
    using Bully::Bully;
    void handle(const Event&, const Peers&, Actions& actions) override {
      for (const std::size_t ids : {32'765U, 32'766U}) {
        Message message{.type = kind, .from = 1};
        message.values.set_list(FieldValues::List(ids, 5));
        actions.emplace_back(Send{2, message});
      }
    }
  };
  Written one({1, 2}, std::make_unique<Talker>(1));
  one.handle(Started{});
  CHECK(one.notes.numbers == std::vector<std::uint64_t>{1});
  CHECK(one.count("sends x 2") == 1);
  CHECK(one.count("lost 2") == 1);
}

TEST_CASE("a process that turns out to be gone is known before anything else happens") {
  Written one({1, 2, 3});
  one.notes.gone = {2, 3};
  one.handle(Started{});
  CHECK(one.participant.protocol().coordinator() == NodeId{1});
  CHECK(one.count("lost 2") == 1);
  CHECK(one.notes.told.back() == "watches 1");
}

TEST_CASE("a process that had only been stopped does not start a second time") {
  Written one({1});
  one.handle(Started{});
  one.handle(Started{.resumed = true});
  CHECK(one.count("start") == 1);
}

TEST_CASE("a message that is lost while others are being sent does not disturb them") {
  Written one({1, 2, 3, 4});
  // As an outbox does that has no room: it gives up the oldest message to a peer, which may be
  // gone.
  bool is_full = true;
  one.notes.on_send = [&] {
    if (std::exchange(is_full, false))
      one.participant.lose(4, {.type = messages::answer, .from = 1}, Loss::gone, one.peers,
                           one.notes);
  };
  one.handle(Started{});
  CHECK(one.notes.numbers == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(one.participant.protocol().state_name() == "candidate");
}

TEST_CASE("remarks about a process that is not watched are not recorded") {
  Written one({1, 2});
  one.handle(Preset{2});
  one.notes.told.clear();
  one.handle(Suspected{7, Suspicion::down});
  CHECK(one.notes.told.empty());
}

}  // namespace bully
