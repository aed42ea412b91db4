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
#include "trace/trace.h"

namespace bully {
namespace {

// A world that does nothing but write down what it carries out, one word for each output.
struct Notes {
  explicit Notes(std::unique_ptr<Protocol> protocol, std::initializer_list<NodeId> ids,
                 Outputs queue = Outputs())
      : peers(ids), participant(std::move(protocol), "bully"), outputs(std::move(queue)) {}

  void handle(const Event& event) {
    participant.handle(event, peers, outputs);
    do {
      while (Output* next = outputs.take()) {
        std::visit([this](auto& output) { carry_out(output); }, *next);
      }
    } while (participant.handle_gone(peers, outputs));
  }
  void carry_out(const Send& send) {
    told.push_back("sends " + std::string(send.message.type->name) + ' ' + std::to_string(send.to));
    numbers.push_back(send.message.number.value_or(0));
    if (on_send) on_send();
    if (!gone.contains(send.to)) return;
    told.push_back("lost " + std::to_string(send.to));
    outputs.add_gone(send.to);
  }
  void carry_out(const StartTimer& start) {
    told.push_back("starts " + std::string(timer_name(start.timer)));
  }
  void carry_out(const StopTimer&) {}
  void carry_out(const WatchTarget& watch) {
    told.push_back("watches " + (watch.whom ? std::to_string(*watch.whom) : std::string("nobody")));
  }
  void carry_out(Flush) { told.emplace_back("shows"); }
  void carry_out(Pause) { told.emplace_back("pauses"); }
  void carry_out(const std::unique_ptr<Record>& record) {
    std::string words(fields_of(record->event).name);
    if (record->event == TraceEvent::state) words.append(" ").append(record->state);
    if (record->event == TraceEvent::rule) words.append(" ").append(record->rule);
    if (is_about_message(*record)) words += ' ' + std::to_string(record->to);
    told.push_back(words);
  }

  FixedPeers peers;
  Participant participant;
  Outputs outputs;
  std::set<NodeId> gone;
  std::vector<std::string> told;
  std::vector<std::uint64_t> numbers;
  std::function<void()> on_send;
};

using Told = std::vector<std::string>;

}  // namespace

TEST_CASE("messages that leave together are told of before the first one leaves") {
  Notes notes(std::make_unique<Bully>(1), {1, 2, 3});
  notes.handle(Started{});
  CHECK(notes.told == Told{"start", "rule start", "rule ask", "state candidate", "starts answer",
                           "send 2", "send 3", "shows", "sends election 2", "sends election 3"});
  CHECK(notes.numbers == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("with a pace each message leaves after a pause, and is told of when it does") {
  Notes notes(std::make_unique<Bully>(1), {1, 2, 3}, Outputs(true, true));
  notes.handle(Started{});
  CHECK(notes.told == Told{"start", "rule start", "rule ask", "state candidate", "starts answer",
                           "pauses", "send 2", "shows", "sends election 2", "pauses", "send 3",
                           "shows", "sends election 3"});
}

TEST_CASE("no record is made that nobody reads") {
  Notes notes(std::make_unique<Bully>(1), {1, 2}, Outputs(false));
  notes.handle(Started{});
  CHECK(notes.told == Told{"starts answer", "shows", "sends election 2"});
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
  Notes notes(std::make_unique<Talker>(1), {1, 2});
  notes.handle(Started{});
  CHECK(notes.numbers == std::vector<std::uint64_t>{1});
  CHECK(std::count(notes.told.begin(), notes.told.end(), "sends x 2") == 1);
  CHECK(std::count(notes.told.begin(), notes.told.end(), "lost 2") == 1);
}

TEST_CASE("a process that turns out to be gone is known before anything else happens") {
  Notes notes(std::make_unique<Bully>(1), {1, 2, 3});
  notes.gone = {2, 3};
  notes.handle(Started{});
  CHECK(notes.participant.protocol().coordinator() == NodeId{1});
  CHECK(std::count(notes.told.begin(), notes.told.end(), "lost 2") == 1);
  CHECK(notes.told.back() == "watches 1");
}

TEST_CASE("a process that had only been stopped does not start a second time") {
  Notes notes(std::make_unique<Bully>(1), {1});
  notes.handle(Started{});
  notes.handle(Started{.resumed = true});
  CHECK(std::count(notes.told.begin(), notes.told.end(), "start") == 1);
}

TEST_CASE("a message that is lost while others are being sent does not disturb them") {
  Notes notes(std::make_unique<Bully>(1), {1, 2, 3, 4});
  // As an outbox does that has no room: it gives up the oldest message to a peer, which may be
  // gone.
  bool is_full = true;
  notes.on_send = [&] {
    if (std::exchange(is_full, false)) notes.outputs.add_gone(4);
  };
  notes.handle(Started{});
  CHECK(notes.numbers == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(notes.participant.protocol().state_name() == "candidate");
}

TEST_CASE("remarks about a process that is not watched are not recorded") {
  Notes notes(std::make_unique<Bully>(1), {1, 2});
  notes.handle(Preset{2});
  notes.told.clear();
  notes.handle(Suspected{7, Suspicion::down});
  CHECK(notes.told.empty());
}

}  // namespace bully
