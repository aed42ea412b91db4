// bully_rules_test.cc: which rules fire at which event in which state, and what holds after any
// sequence of events.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>

#include "election/algorithm.h"
#include "election/bully.h"
#include "support/messages.h"
#include "support/script.h"

namespace bully {
namespace {

using test::answer;
using test::coordinator;
using test::election;
using test::Process;

constexpr std::array<std::string_view, 5> states = {"down", "follower", "candidate", "waiting",
                                                    "coordinator"};

// Process 4 of 3, 4, 5 and 6: follower of 6; candidate that asks 5 and 6; waiting, answered by 5;
// or coordinator.
Process process_4(std::string_view state) {
  Process process(4, {3, 4, 5, 6});
  if (state == "down") return process;
  process.start();
  if (state == "follower") process.coordinator_from(6);
  if (state == "waiting") process.answer_from(5);
  if (state == "coordinator") process.expire(Timer::answer);
  REQUIRE(process.state() == state);
  return process;
}

TEST_CASE("which rules fire, in order, in each state at each event") {
  struct Row {
    const char* event;
    Event given;
    std::array<std::string_view, 5> fired;  // by process 4 in each of the states
  };
  const std::array<Row, 29> table = {{
      {"start", Started{}, {"start ask", "start ask", "start ask", "start ask", "start ask"}},
      {"resumed", Started{true}, {"start ask", "start ask", "start ask", "start ask", "start ask"}},
      {"6 is down", Suspected{6, Suspicion::down}, {"", "suspect ask", "", "", ""}},
      {"6 is hung", Suspected{6, Suspicion::hung}, {"", "suspect ask", "", "", ""}},
      {"6 is deposed", Suspected{6, Suspicion::deposed}, {"", "deposed ask", "", "", ""}},
      {"5 is down", Suspected{5, Suspicion::down}, {"", "", "", "answerer-gone ask", ""}},
      {"5 is hung", Suspected{5, Suspicion::hung}, {"", "", "", "answerer-gone ask", ""}},
      {"5 is deposed", Suspected{5, Suspicion::deposed}, {}},
      {"4 is deposed", Suspected{4, Suspicion::deposed}, {"", "", "", "", "outranked ask"}},
      {"ELECTION from 3",
       election(3),
       {"", "answer take-over ask", "answer already-holding", "answer already-holding",
        "answer won-already"}},
      {"ELECTION from 3, which lost 6",
       election(3, 6),
       {"", "answer take-over ask", "answer already-holding", "answer already-holding",
        "answer successor-known"}},
      {"ELECTION from 3, which lost 5",
       election(3, 5),
       {"", "answer successor-known", "answer already-holding", "answer already-holding",
        "answer successor-known"}},
      {"ELECTION from 3, which lost 4",
       election(3, 4),
       {"", "answer successor-known", "answer already-holding", "answer already-holding",
        "answer won-already"}},
      {"ELECTION from 3, which was away",
       election(3, 3),  // as on the wire
       {"", "answer nobody-lost", "answer already-holding", "answer already-holding",
        "answer won-already"}},
      {"ELECTION from 5", election(5), {}},
      {"ELECTION from itself", election(4), {}},
      {"ANSWER from 5", answer(5), {"", "", "job-done", "another-answer", ""}},
      {"ANSWER from 6", answer(6), {"", "", "job-done", "another-answer", ""}},
      {"ANSWER from 9, which was not asked", answer(9), {"", "", "", "another-answer", ""}},
      {"ANSWER from 3", answer(3), {}},
      {"COORDINATOR from 5",
       coordinator(5),
       {"", "coordinator", "coordinator", "coordinator", "coordinator"}},
      {"COORDINATOR from 6",
       coordinator(6),
       {"", "coordinator", "coordinator", "coordinator", "coordinator"}},
      {"COORDINATOR from 3", coordinator(3), {"", "never-lower ask", "", "", "never-lower ask"}},
      {"COORDINATOR from itself",
       coordinator(4),
       {"", "never-lower ask", "", "", "never-lower ask"}},
      {"5 is gone", PeerGone{5}, {"", "", "gone", "", ""}},
      {"3 is gone", PeerGone{3}, {}},
      {"no ANSWER in time", Expired{Timer::answer}, {"", "", "no-answer win", "", ""}},
      {"no COORDINATOR in time",
       Expired{Timer::coordinator},
       {"", "", "", "no-coordinator ask", ""}},
      {"ping", Received{wire_message(messages::ping, 3)}, {}},
  }};
  std::set<std::string_view> seen;
  for (const Row& row : table) {
    for (std::size_t i = 0; i < states.size(); ++i) {
      CAPTURE(row.event);
      CAPTURE(states.at(i));
      Process process = process_4(states.at(i));
      process.on(row.given);
      CHECK(process.fired() == row.fired.at(i));
      // What no rule speaks of changes nothing.
      CHECK((row.fired.at(i).empty() ? process.actions.empty() : !process.actions.empty()));
      process.add_fired(seen);
    }
  }
  // Those that need more than one event.
  Process process = process_4("candidate");
  process.gone(5);
  process.gone(6);
  CHECK(process.fired() == "gone win");
  process = process_4("waiting");
  process.expire(Timer::coordinator);
  process.answer_from(6);
  process.expire(Timer::coordinator);
  CHECK(process.fired() == "never-told");
  Process highest(6, {4, 5, 6});
  highest.start();
  CHECK(highest.fired() == "start highest win");
  seen.insert({"highest", "never-told"});
  CHECK(seen == test::keys_of(bully_algorithm().rules));
}

// All that can happen to process 4 of 3, 4, 5 and 6.
std::vector<Event> every_event() {
  std::vector<Event> events = {Started{}, Expired{Timer::answer}, Expired{Timer::coordinator}};
  for (NodeId id = 3; id <= 6; ++id) {
    for (const Suspicion reason : {Suspicion::down, Suspicion::hung, Suspicion::deposed}) {
      events.emplace_back(Suspected{id, reason});
    }
    events.insert(events.end(), {PeerGone{id}, answer(id), coordinator(id), election(id)});
    for (NodeId lost = 3; lost <= 6; ++lost) events.push_back(election(id, lost));
  }
  return events;
}

TEST_CASE("after any events the timer of the present state runs, and no other") {
  const std::map<std::string, std::set<Timer>> timers = {{"candidate", {Timer::answer}},
                                                         {"waiting", {Timer::coordinator}}};
  const std::vector<Event> events = every_event();
  std::set<std::vector<std::uint64_t>> reached;
  std::vector<Process> to_visit = {process_4("down")};
  std::set<std::string_view> fired;
  while (!to_visit.empty()) {
    const Process before = to_visit.back();
    to_visit.pop_back();
    if (!reached.insert(before.saved()).second) continue;
    for (const Event& event : events) {
      Process after = before;
      after.on(event);
      const auto timer = timers.find(after.state());
      CHECK(after.running == (timer == timers.end() ? std::set<Timer>{} : timer->second));
      // Whoever looks on is told of every change.
      const bool changed =
          after.state() != before.state() || after.coordinator() != before.coordinator();
      const Actions& actions = after.actions;
      const bool told = std::ranges::find(actions, Action(Changed{})) != actions.end();
      CHECK((told || !changed));
      after.add_fired(fired);
      // A process that was saved and loaded is the same process.
      auto twin = before.loaded();
      twin.on(event);
      CHECK(twin.actions == actions);
      CHECK(twin.saved() == after.saved());
      to_visit.push_back(after);
    }
  }
  CHECK(reached.size() > 20);
  fired.insert("highest");  // process 4 is not
  CHECK(fired == test::keys_of(bully_algorithm().rules));
}

}  // namespace
}  // namespace bully
