// controlled_script_test.cc: what a person does with held messages, as a script that plays again.
// The processes here are simulated.
#include <doctest/doctest.h>
#include <signal.h>

#include <string>

#include "base/interruption.h"
#include "fixture/played.h"
#include "stage/controlled_script.h"
#include "support/messages.h"

using namespace bully;

namespace {

using Lines = std::vector<std::string>;

struct Table {
  explicit Table(NodeId last, const char* algorithm = "bully")
      : script(algorithm_named(algorithm), one_to(last)) {}

  // The place of the last such message among those that wait.
  std::size_t place(NodeId from, NodeId to, MessageType type) const {
    const std::vector<Send> waiting = script.waiting();
    for (std::size_t i = waiting.size(); i-- > 0;) {
      const auto& [at, message] = waiting[i];
      if (message.from == from && at == to && message.type == type) return i;
    }
    FAIL("there is none");
    return 0;
  }
  void deliver(NodeId from, NodeId to, MessageType type) {
    CHECK(!script.deliver(place(from, to, type)));
  }
  void drop(NodeId from, NodeId to, MessageType type) {
    CHECK(!script.drop(place(from, to, type)));
  }

  ControlledScript script;
};

// Whether a play of this script keeps all that it expects.
bool plays(const std::string& script) {
  const Scenario scenario = parsed(script);
  SimulatedBackend backend(scenario);
  Listener nobody;
  const PlayResult result = play(scenario, backend, nobody);
  return result.broken == 0 && result.kept > 0;
}

}  // namespace

// Its script is saved then, and would expect what no line of it brings about.
TEST_CASE("controlled: a signal that asks to leave during an act does not cut the act in two") {
  Table at(3);
  CHECK(!at.script.on_end(3, false));
  CHECK(!at.script.on_start(9));
  CHECK(!at.script.on_end(9, false));
  note_request_to_leave(SIGTERM);
  CHECK(!at.script.on_start(9));
  note_request_to_leave(0);
  const std::string script = at.script.script();
  CAPTURE(script);
  CHECK(plays(script));
}

TEST_CASE("controlled: each action is a line, and those of messages that met nobody are added") {
  Table at(4);
  ControlledScript& script = at.script;
  CHECK(!script.on_end(4, false));
  CHECK(!script.suspect(2));
  REQUIRE(script.waiting().size() == 1);
  at.deliver(2, 3, messages::election);
  CHECK(script.waiting().size() == 3);
  CHECK(!script.deliver_all());
  CHECK(script.waiting().empty());
  CHECK(script.deliver_all());
  CHECK(script.lines() == Lines{"crash 4", "suspect 2", "deliver gone from 4 to 2",
                                "deliver ELECTION from 2 to 3", "deliver gone from 4 to 3",
                                "deliver"});
  CHECK(script.script() ==
        "algorithm bully\n"
        "nodes 1..4\n"
        "hold\n"
        "crash 4\n"
        "suspect 2\n"
        "deliver gone from 4 to 2\n"
        "deliver ELECTION from 2 to 3\n"
        "deliver gone from 4 to 3\n"
        "deliver\n"
        "expect coordinators 3\n"
        "expect messages E 3 PE 1 C 2 all 6\n");
  CHECK(plays(script.script()));
  CHECK(script.script(false).ends_with("deliver\n"));
}

TEST_CASE(
    "controlled: all are delivered in one step, and what they find gone is told of after it") {
  Table at(4);
  at.script.on_end(4, false);
  at.script.suspect(1);
  CHECK(!at.script.deliver_all());
  CHECK(at.script.lines() == Lines{"crash 4", "suspect 1", "deliver gone from 4 to 1", "deliver",
                                   "deliver gone from 4 to 2", "deliver gone from 4 to 3"});
  CHECK(plays(at.script.script()));
}

TEST_CASE("controlled: two of one kind on one link are told apart by their place") {
  Table at(4);
  at.script.on_end(4, false);
  at.script.suspect(1);
  at.deliver(1, 3, messages::election);
  at.deliver(3, 1, messages::answer);
  CHECK(!at.script.expire(1));  // it has waited for COORDINATOR long enough
  CHECK(at.script.lines()[at.script.lines().size() - 2] == "expire 1 coordinator");
  REQUIRE(at.script.waiting().size() == 5);
  at.drop(1, 2, messages::election);
  CHECK(at.script.lines().back() == "drop ELECTION from 1 to 2 only 2");
  CHECK(plays(at.script.script()));
}

TEST_CASE("controlled: a process suspects the one that it watches as that one is") {
  Table at(3);
  CHECK(!at.script.suspect(1));
  CHECK(!at.script.expire(1));
  CHECK(at.script.expire(2));  // no timer of 2 runs
  CHECK(!at.script.suspect(1));
  CHECK(at.script.lines() == Lines{"suspect 1 hung", "expire 1 answer", "suspect 1 deposed"});
  CHECK(at.script.suspect(9)->key == "play_not_running");
  CHECK(at.script.suspect(3)->key == "play_watches_nobody");  // the highest: none could depose it
  CHECK(plays(at.script.script()));
}

TEST_CASE(
    "controlled: a process that is stopped handles no event, and one that goes on starts over") {
  Table at(3);
  at.script.on_stop(2);
  at.script.on_stop(2);
  CHECK(at.script.lines() == Lines{"pause 2"});
  CHECK(at.script.suspect(2));
  CHECK(at.script.expire(2));
  at.script.on_go_on(2);
  at.place(2, 3, messages::election);
  at.script.on_go_on(3);  // it ran all the time
  CHECK(at.script.lines() == Lines{"pause 2", "resume 2", "pause 3", "resume 3"});
  CHECK(plays(at.script.script()));
}

TEST_CASE("controlled: messages for a process that ends are lost, and it may come back") {
  Table at(4);
  at.script.on_end(4, false);
  at.script.suspect(1);
  at.script.suspect(2);
  at.deliver(1, 2, messages::election);  // and 2 is killed after it has answered
  CHECK(!at.script.on_end(2, false));
  CHECK(!at.script.runs(2));
  at.place(2, 1, messages::answer);
  CHECK(!at.script.on_end(3, true));
  CHECK(at.script.lines().back() == "leave 3");
  CHECK(at.script.waiting().size() == 1);
  CHECK(!at.script.on_end(3, true));
  CHECK(!at.script.on_start(2));
  CHECK(!at.script.on_start(9));
  CHECK(!at.script.on_start(9));
  const Lines& lines = at.script.lines();
  CHECK(std::ranges::count(lines, "restart 2") == 1);
  CHECK(std::ranges::count(lines, "start 9") == 1);
  CHECK(plays(at.script.script()));
}

TEST_CASE("controlled: the selection stays with its message, and moves on when that is gone") {
  Table at(4);
  at.script.suspect(1);
  Selection selection;
  const auto place = [&] { return selection.place_in(at.script.waiting()); };
  const auto move = [&](std::ptrdiff_t steps) { selection.move(at.script.waiting(), steps); };
  CHECK(place() == 0);
  move(-1);
  CHECK(place() == 0);
  move(1);
  at.drop(1, 2, messages::election);
  CHECK(place() == 0);
  CHECK(at.script.waiting()[0].to == 3);
  move(9);
  at.drop(1, 4, messages::election);
  CHECK(at.script.waiting()[place()].to == 3);
  at.drop(1, 3, messages::election);
  CHECK(place() == 0);
  move(1);
  CHECK(place() == 0);
}

TEST_CASE("controlled: on a ring, no message may pass an older one") {
  Table at(4, "chang-roberts");
  at.script.on_end(4, false);
  at.script.suspect(3);
  CHECK(at.script.lines().back() == "deliver gone from 4 to 3");
  at.script.suspect(1);
  at.deliver(3, 1, messages::value);
  REQUIRE(at.script.waiting().size() == 2);
  const std::size_t steps = at.script.lines().size();
  CHECK(at.script.deliver(at.place(1, 2, messages::value))->key == "play_fifo");
  CHECK(at.script.lines().size() == steps);
  CHECK(!at.script.deliver_all());
  CHECK(at.script.script().starts_with("algorithm chang-roberts\nnodes 1..4\nhold\n"));
  CHECK(at.script.script().find("expect coordinators") == std::string::npos);
  CHECK(plays(at.script.script()));
}
