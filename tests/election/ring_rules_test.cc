// ring_rules_test.cc: which rules fire at which event in which state of a process on a ring, and
// what holds after any sequence of events.
#include <doctest/doctest.h>

#include <array>
#include <random>

#include "election/chang_roberts.h"
#include "election/dolev_klawe_rodeh.h"
#include "support/script.h"

namespace bully {
namespace {

using test::ProcessOf;

constexpr std::uint64_t far_epoch = std::uint64_t{1} << 60U;

Event message(MessageType type, NodeId from, Number number, std::uint64_t epoch) {
  return Received{wire_message(type, from, {}, number, epoch)};
}
Event value(NodeId from, NodeId number, std::uint64_t epoch) {
  return message(messages::value, from, number, epoch);
}
Event second(NodeId from, NodeId number, std::uint64_t epoch) {
  return message(messages::second, from, number, epoch);
}
Event leader(NodeId from, NodeId number, std::uint64_t epoch) {
  return message(messages::leader, from, number, epoch);
}
Event join(NodeId from, std::uint64_t epoch) {
  return message(messages::join, from, {}, epoch);
}

constexpr std::array<std::string_view, 6> states = {"down",  "joining",  "active",
                                                    "relay", "follower", "coordinator"};

// Process 3 of the ring 1, 2, 3, 4, in election 1 but for the first two states. Its clockwise
// neighbour is 4; its anticlockwise one, 2, has been heard in the last three states.
template <class Kind>
ProcessOf<Kind> process_3(std::string_view state) {
  ProcessOf<Kind> process(3, {1, 2, 3, 4});
  if (state == "down") return process;
  if (state == "joining") {
    process.start();
    return process;
  }
  process.on(Preset{4});
  process.suspect(4);
  if (state == "relay") {
    process.on(value(2, 4, 1));
    process.on(second(2, 5, 1));
  }
  if (state == "follower") process.on(leader(2, 4, 1));
  if (state == "coordinator") process.on(leader(2, 3, 1));
  REQUIRE(process.state() == state);
  return process;
}

struct Row {
  const char* event;
  Event given;
  std::array<std::string_view, 6> fired;  // by process 3 in each of the states
};

// The keys without what names the algorithm: "ring-newer plain-begin" as "newer begin".
std::string short_keys(std::string keys) {
  for (const std::string_view prefix : {"ring-", "plain-"}) {
    for (std::size_t at = keys.find(prefix); at != std::string::npos; at = keys.find(prefix)) {
      keys.erase(at, prefix.size());
    }
  }
  return keys;
}

template <class Kind>
void check(std::span<const Row> table, std::set<std::string_view>& seen) {
  for (const Row& row : table) {
    for (std::size_t i = 0; i < states.size(); ++i) {
      CAPTURE(row.event);
      CAPTURE(states.at(i));
      auto process = process_3<Kind>(states.at(i));
      process.on(row.given);
      CHECK(short_keys(process.fired()) == row.fired.at(i));
      process.add_fired(seen);
    }
  }
}

// What all rings have in common: down, joining, active, relay, follower, coordinator.
const std::vector<Row> common_table = {
    {"start", Started{}, {"start", "start", "start", "start", "start", "start"}},
    {"resumed", Started{true}, {"start", "start", "start", "start", "start", "start"}},
    {"4 is down",
     Suspected{4, Suspicion::down},
     {"", "passed-over", "passed-over", "passed-over", "suspect begin", ""}},
    {"4 is hung",
     Suspected{4, Suspicion::hung},
     {"", "passed-over", "passed-over", "passed-over", "suspect begin", ""}},
    {"4 is deposed", Suspected{4, Suspicion::deposed}, {"", "", "", "", "deposed", ""}},
    {"3 is deposed", Suspected{3, Suspicion::deposed}, {"", "", "", "", "", "deposed"}},
    {"2 is down", Suspected{2, Suspicion::down}, {}},
    {"2 is hung", Suspected{2, Suspicion::hung}, {}},
    {"JOIN, old",
     join(2, 0),
     {"", "asked begin", "asked begin", "asked begin", "asked begin", "asked begin"}},
    {"JOIN, newer",
     join(1, 7),
     {"", "asked begin", "asked begin", "asked begin", "asked begin", "asked begin"}},
    {"JOIN from itself", join(3, 7), {}},
    {"VALUE, old", value(2, 4, 0), {"", "apart", "stale", "stale", "stale", "stale"}},
    {"VALUE, newer",
     value(2, 4, 2),
     {"", "newer begin passes", "newer begin passes", "newer begin passes", "newer begin passes",
      "newer begin passes"}},
    {"VALUE, far",
     value(2, 4, far_epoch),
     {"", "newer begin passes", "stale", "stale", "stale", "stale"}},
    {"VALUE from a second neighbour",
     value(1, 4, 1),
     {"", "newer begin passes", "passes", "void begin", "void begin", "void begin"}},
    {"VALUE without a number", message(messages::value, 2, {}, 1), {}},
    {"LEADER 4", leader(2, 4, 1), {"", "stale", "lap", "lap", "lap-ends", "apart"}},
    {"LEADER 3", leader(2, 3, 1), {"", "stale", "lap", "lap", "apart", "lap-ends"}},
    {"LEADER 2",
     leader(2, 2, 1),
     {"", "stale", "low-leader begin", "low-leader begin", "apart", "apart"}},
    {"LEADER, old", leader(2, 4, 0), {"", "apart", "stale", "stale", "stale", "stale"}},
    {"LEADER, newer", leader(2, 4, 2), {"", "stale", "stale", "stale", "stale", "stale"}},
    {"LEADER from a second neighbour",
     leader(1, 4, 1),
     {"", "stale", "lap", "void begin", "void begin", "void begin"}},
    {"LEADER without a number", message(messages::leader, 2, {}, 1), {}},
    {"4 is gone",
     PeerGone{4},
     {"", "passed-over", "passed-over", "passed-over", "passed-over", "passed-over"}},
    {"2 is gone", PeerGone{2}, {}},
    {"no end in time", Expired{Timer::coordinator}, {"", "no-end", "no-end", "no-end", "", ""}},
    {"no answer in time", Expired{Timer::answer}, {}},
    {"ping", Received{wire_message(messages::ping, 2)}, {}},
};

const std::vector<Row> ring_table = {
    {"VALUE 4", value(2, 4, 1), {"", "newer begin passes", "passes", "relays", "apart", "apart"}},
    {"VALUE 3", value(2, 3, 1), {"", "newer begin leader", "leader", "relays", "apart", "apart"}},
    {"VALUE 2", value(2, 2, 1), {"", "newer begin passes", "passes", "relays", "apart", "apart"}},
    {"SECOND 2", second(2, 2, 1), {"", "newer begin passes", "passes", "relays", "apart", "apart"}},
};
const std::vector<Row> plain_table = {
    {"VALUE 4", value(2, 4, 1), {"", "newer begin passes", "passes", "passes", "apart", "apart"}},
    {"VALUE 3", value(2, 3, 1), {"", "newer begin leader", "leader", "leader", "apart", "apart"}},
    {"VALUE 2", value(2, 2, 1), {"", "newer begin stops", "stops", "stops", "apart", "apart"}},
};

// Rules of all rings that need more than one event, or a lone process. `said`: how many messages a
// relay has sent.
template <class Kind>
void check_sequences(std::set<std::string_view>& seen, int said) {
  ProcessOf<Kind> alone(3, {3});
  CHECK(alone.start() == "follow 3, start coordinator, follow 3");
  CHECK(alone.fired() == "ring-start ring-alone");
  alone.add_fired(seen);

  // Nobody is left on the way round. Those that were passed over may have come back: once more.
  ProcessOf<Kind> last(3, {1, 3});
  last.start();
  CHECK(last.gone(1) == "follow nobody, start coordinator, J>1");
  CHECK(last.fired().empty());
  CHECK(last.gone(1) == "follow 3");
  CHECK(last.fired() == "ring-alone");
  // The next way round has its second time as well.
  last.start();
  CHECK(last.gone(1) == "follow nobody, start coordinator, J>1");
  // One that has won already does not mind that its only neighbour is gone.
  last.on(Preset{3});
  CHECK(last.gone(1).empty());

  // No election of n processes sends more than n + 2 messages on one link: with four more than
  // there are processes, somebody has gone wrong.
  auto relay = process_3<Kind>("relay");
  int heard = 0;
  while (relay.fired().find("ring-too-many") == std::string::npos && ++heard < 100) {
    relay.on(value(2, 9, 1));
  }
  CHECK(relay.state() == "active");
  CHECK(relay.protocol().latest_election() == 2);
  CHECK(said + heard - 1 == 4 + 4);
  relay.add_fired(seen);
}

// Whatever can happen to process 3, of an election around its own.
template <class Kind>
Event any_event(ProcessOf<Kind>& process, std::minstd_rand& chance) {
  const NodeId peer = 1 + chance() % 4;
  const NodeId number = 1 + chance() % 5;
  const std::uint64_t epoch = process.protocol().latest_election() + chance() % 3 - 1;
  const std::array<Event, 12> events = {Started{},
                                        Suspected{peer, Suspicion::down},
                                        Suspected{peer, Suspicion::hung},
                                        Suspected{peer, Suspicion::deposed},
                                        PeerGone{peer},
                                        Expired{Timer::coordinator},
                                        value(peer, number, epoch),
                                        value(2, number, process.protocol().latest_election()),
                                        second(2, number, process.protocol().latest_election()),
                                        leader(2, number, process.protocol().latest_election()),
                                        leader(peer, number, epoch),
                                        join(peer, chance() % 50 == 0 ? far_epoch : epoch)};
  return events.at(chance() % events.size());
}

template <class Kind>
void check_any_events() {
  std::minstd_rand chance(7);
  for (int run = 0; run < 200; ++run) {
    auto process = process_3<Kind>("down");
    process.start();
    for (int i = 0; i < 60; ++i) {
      const Event event = any_event(process, chance);
      const auto before = process;
      auto twin = before.loaded();
      process.on(event);
      // During an election its timer runs, else none.
      const bool in_election = !process.coordinator();
      CHECK(process.running == (in_election ? std::set{Timer::coordinator} : std::set<Timer>{}));
      // Whoever looks on is told of every change but that of a process that gives way.
      const bool changed = process.coordinator() != before.coordinator();
      const bool told = std::find(process.actions.begin(), process.actions.end(),
                                  Action(Changed{})) != process.actions.end();
      CHECK((told || !changed));
      // A process that was saved and loaded is the same process.
      twin.on(event);
      CHECK(twin.actions == process.actions);
      CHECK(twin.saved() == process.saved());
      CHECK(twin.protocol().variables() == process.protocol().variables());
    }
  }
}

// [DKR82] Each sentence, on the ring 1, 2, 3, 4, whose coordinator 5 has left.
void check_sentences(std::set<std::string_view>& seen) {
  ProcessOf<DolevKlaweRodeh> one(1, {1, 2, 3, 4});
  ProcessOf<DolevKlaweRodeh> two(2, {1, 2, 3, 4});
  one.on(Preset{5});
  two.on(Preset{5});
  struct Step {
    ProcessOf<DolevKlaweRodeh>& process;
    Event event;
    std::string_view fired;
    std::string_view did;
    std::string_view variables;
  };
  const std::vector<Step> steps = {
      // Every process starts active, responsible for its own id, and sends it clockwise.
      {one, Suspected{5, Suspicion::down}, "ring-suspect ring-begin",
       "follow nobody, start coordinator, V 1>2", "d=1 e=- f=-"},
      // e ≠ d: it passes e on, and waits for f.
      {one, value(4, 4, 1), "ring-passes", "V2 4>2", "d=1 e=4 f=-"},
      // e is the largest of d, e and f: it takes it over, and stays active.
      {one, second(4, 3, 1), "ring-takes-over", "V 4>2", "d=4 e=4 f=3"},
      // e = d: d is the id of the leader, though this is process 1. A last lap tells everyone.
      {one, value(4, 4, 1), "ring-leader", "L 4>2, follow 4", "d=4 e=4 f=-"},
      // The lap comes back, and ends.
      {one, leader(4, 4, 1), "ring-lap-ends", "", "d=4 e=4 f=-"},
      // A process that knows of no election wakes up, and sends its own d before it answers.
      {two, value(1, 1, 1), "ring-newer ring-begin ring-passes",
       "follow nobody, start coordinator, V 2>3, V2 1>3", "d=2 e=1 f=-"},
      // Otherwise it becomes a relay, …
      {two, second(1, 4, 1), "ring-gives-way", "", "d=2 e=1 f=4"},
      // … and passes messages on, unread and unchanged.
      {two, value(1, 4, 1), "ring-relays", "V 4>3", "d=2 e=1 f=4"},
      {two, second(1, 3, 1), "ring-relays", "V2 3>3", "d=2 e=1 f=4"},
      {two, leader(1, 4, 1), "ring-lap", "L 4>3, follow 4", "d=2 e=1 f=4"},
  };
  for (const auto& [process, event, fired, did, expected] : steps) {
    CHECK(process.on(event) == did);
    CHECK(process.fired() == fired);
    process.add_fired(seen);
    std::string variables;
    for (const auto& [name, number] : process.protocol().variables()) {
      variables += (variables.empty() ? "" : " ") + std::string(name) + '=';
      variables += number ? std::to_string(*number) : "-";
    }
    CHECK(variables == expected);
  }
}

TEST_CASE("DolevKlaweRodeh: which rules fire, in order, in each state at each event") {
  std::set<std::string_view> seen;
  check<DolevKlaweRodeh>(common_table, seen);
  check<DolevKlaweRodeh>(ring_table, seen);
  check_sequences<DolevKlaweRodeh>(seen, 2);
  check_sentences(seen);
  CHECK(seen == test::keys_of(find_algorithm("dolev-klawe-rodeh")->rules));
  check_any_events<DolevKlaweRodeh>();
}

// The epoch of the JOIN that it sends when its election does not end in time.
std::optional<std::uint64_t> epoch_after_no_end(ProcessOf<DolevKlaweRodeh>& process) {
  process.expire(Timer::coordinator);
  for (const Action& action : process.actions) {
    const auto* send = std::get_if<Send>(&action);
    if (send != nullptr && send->message.type == messages::join) {
      return send->message.get(fields::epoch);
    }
  }
  return std::nullopt;
}

TEST_CASE(
    "DolevKlaweRodeh: a process misled to an epoch far away counts from 0 after two timeouts") {
  for (const std::uint64_t epoch : {far_epoch, std::uint64_t{5}}) {
    CAPTURE(epoch);
    auto process = process_3<DolevKlaweRodeh>("joining");
    process.on(value(2, 4, epoch));
    CHECK(epoch_after_no_end(process) == epoch);
    CHECK(epoch_after_no_end(process) == (epoch == far_epoch ? 0 : epoch));
    CHECK(epoch_after_no_end(process) == (epoch == far_epoch ? 0 : epoch));
  }
}

TEST_CASE("Chang and Roberts: which rules fire, in order, in each state at each event") {
  std::set<std::string_view> seen;
  check<ChangRoberts>(common_table, seen);
  check<ChangRoberts>(plain_table, seen);
  check_sequences<ChangRoberts>(seen, 3);
  CHECK(seen == test::keys_of(find_algorithm("chang-roberts")->rules));
  check_any_events<ChangRoberts>();
}

}  // namespace
}  // namespace bully
