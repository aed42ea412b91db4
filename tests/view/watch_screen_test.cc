// watch_screen_test.cc: `bully watch`: what the model makes of snapshots and records, and the
// command in a terminal of its own over real nodes.
#include <doctest/doctest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "base/layout.h"
#include "fixture/cluster.h"
#include "fixture/said.h"
#include "support/messages.h"
#include "support/pseudo_terminal.h"
#include "terminal/screen.h"
#include "trace/environment.h"
#include "view/watch_screen.h"

using namespace bully;

namespace {

constexpr std::int64_t second = 1'000'000'000;

NodeStatus node(NodeId id, std::string state, NodeId coordinator) {
  const Snapshot snapshot{.id = id,
                          .condition = Condition::running,
                          .state = std::move(state),
                          .coordinator = coordinator};
  return {snapshot, static_cast<std::int64_t>(id) + 1000};
}

NodeStatus silent(NodeId id, std::int64_t pid = 0) {
  return {{.id = id, .condition = Condition::stopped}, pid};
}

NodeStatus stale(NodeId id) {
  return {{.id = id, .condition = Condition::crashed}};
}

std::vector<NodeStatus> three() {
  return {node(1, "follower", 3), node(2, "follower", 3), node(3, "coordinator", 3)};
}

std::vector<NodeStatus> followers_of_40() {
  std::vector<NodeStatus> many;
  for (NodeId id = 1; id <= 40; ++id) many.push_back(node(id, "follower", 40));
  return many;
}

Record state(std::int64_t t, NodeId id, const char* name) {
  return {.t_ns = t, .node = id, .event = TraceEvent::state, .state = name};
}
Record sent(std::int64_t t, NodeId id, MessageType type, NodeId to) {
  return {.t_ns = t, .node = id, .event = TraceEvent::send, .type = type, .from = id, .to = to};
}

Record received(std::int64_t t, NodeId id, MessageType type, NodeId from) {
  return {
      .t_ns = t, .node = id, .event = TraceEvent::receive, .type = type, .from = from, .to = id};
}
Record suspected(std::int64_t t, NodeId id, NodeId other, const char* reason) {
  return {
      .t_ns = t, .node = id, .event = TraceEvent::suspect, .reason = reason, .coordinator = other};
}
Record follows(std::int64_t t, NodeId id, NodeId coordinator) {
  return {.t_ns = t, .node = id, .event = TraceEvent::coordinator, .coordinator = coordinator};
}

// A watch whose times do not move, and all that its log has told since it was last taken.
struct Watched {
  explicit Watched(Language language = Language::english)
      : watch(
            {.language = language, .color = false}, [](std::int64_t) { return "00:00"; },
            [this](std::string_view lines) { told += lines; }) {}
  void update(const std::vector<NodeStatus>& peers, const std::vector<Record>& records = {},
              std::int64_t now_ns = 0) {
    watch.update(peers, records, now_ns);
  }
  std::string take() { return std::exchange(told, ""); }
  std::string screen(std::size_t columns, std::size_t rows) {
    watch.view.columns = columns;
    watch.view.rows = rows;
    watch.view.place = "/d";
    std::string all;
    for (std::string line : watch.screen()) {
      CHECK(width(line) == columns);
      line.erase(line.find_last_not_of(' ') + 1);
      all += line + '\n';
    }
    return all;
  }
  std::string told;
  Watch watch;
};

}  // namespace

TEST_CASE("watch: a screen has each node, its coordinator, its counters, and what happened") {
  Watched watched;
  std::vector<NodeStatus> peers = three();
  peers[0].sent[messages::election] = 2;
  peers[0].dropped = 7;
  watched.update(peers);
  CHECK(watched.screen(72, 13) ==
        "all follow 3  nodes: 3  in /d\n"
        "  ID   PID  STATE        COORDINATOR  SENT E/PE/C  RECEIVED  IGNORED\n"
        "   1  1001  follower     3            2/0/0        0/0/0     7\n"
        "   2  1002  follower     3            0/0/0        0/0/0     0\n"
        ">  3  1003  coordinator  3            0/0/0        0/0/0     0\n"
        "── no election seen yet ──\n"
        "00:00      1  !  is here (PID 1001)\n"
        "00:00      1  *  follows coordinator 3\n"
        "00:00      2  !  is here (PID 1002)\n"
        "00:00      2  *  follows coordinator 3\n"
        "00:00      3  !  is here (PID 1003)\n"
        "00:00      3  *  COORDINATOR: 3 has won\n"
        "q quit  ↑↓ select  K kill  S stop  C continue  R restart  ? all keys\n");
}

TEST_CASE("watch: without a trace, the changes from one snapshot to the next are told") {
  Watched watched;
  watched.update(three());
  watched.take();
  watched.update(three(), {}, second);
  CHECK(watched.take().empty());

  watched.update({node(1, "follower", 2), node(2, "coordinator", 2), stale(3)}, {}, second);
  CHECK(watched.take() ==
        "00:00      3  !  crashed: its process is gone, and its name is left\n"
        "00:00      1  *  follows coordinator 2\n"
        "00:00      2  *  COORDINATOR: 2 has won\n");
  NodeStatus back = node(3, "coordinator", 3);
  back.pid = 77;
  back.sent[messages::coordinator] = 2;
  watched.update({node(1, "follower", 3), node(2, "follower", 3), back}, {}, 2 * second);
  CHECK(contains(watched.take(), "3  !  came back (PID 77)\n"));
  CHECK(contains(watched.screen(90, 20), "ELECTION 0, ANSWER 0, COORDINATOR 2 "));
  watched.update({node(2, "follower", 3), back}, {}, 3 * second);
  CHECK(watched.take() == "00:00      1  !  is gone, and so is its name\n");
}

TEST_CASE("watch: processes that a recorder sees are not asked, and shown as they were seen") {
  Watched watched;
  const auto observed = std::make_shared<const Environment>(Environment{.observed = true});
  const std::vector<Record> records = {
      {.t_ns = 1, .node = 1, .algorithm = "bully", .environment = observed},
      {.t_ns = 2, .node = 2, .algorithm = "bully", .environment = observed},
      sent(3, 2, messages::coordinator, 1),
      {.t_ns = 4, .node = 2, .event = TraceEvent::coordinator, .coordinator = 2},
      {.t_ns = 5, .node = 1, .event = TraceEvent::coordinator, .coordinator = 2}};
  CHECK(watched.watch.meet_observed(records) == std::vector<NodeId>{1, 2});
  for (std::int64_t look = 0; look < 3; ++look) {
    watched.update({silent(1), silent(2)}, look == 0 ? records : std::vector<Record>{},
                   look * second);
  }
  const std::string screen = watched.screen(90, 12);
  CHECK(screen.starts_with("all follow 2  nodes: 2"));
  check_says(screen, {">  2    -  -            2            0/0/1        0/0/0     -"});
  CHECK_FALSE(contains(watched.take(), "does not answer"));
  // A dead one is looked at again: whether its name is still there, nobody else tells.
  CHECK(watched.watch.meet_observed({{.t_ns = 6, .node = 2, .event = TraceEvent::crash}}) ==
        std::vector<NodeId>{1});
}

TEST_CASE("watch: a killed process stays, to be started again; one that has left does not") {
  Watched watched;
  watched.update(three());
  NodeStatus killed = node(3, "coordinator", 3);
  killed.condition = Condition::crashed;
  watched.update({node(1, "follower", 3), killed}, {}, second);
  // Another has removed the name.
  watched.update({node(1, "follower", 3)}, {}, 100 * second);
  const std::string screen = watched.screen(72, 13);
  check_says(screen, {"nodes: 2", ">  3     -  down"});
  CHECK(!contains(screen, "\n   2  "));
}

TEST_CASE("watch: a narrow screen has all keys, and the list of keys has the whole screen") {
  Watched watched;
  watched.update(three());
  watched.watch.view.held = HeldMessages{};
  check_says(watched.screen(50, 24), {"b back\nq quit", "? all keys"});
  watched.watch.view.helps = true;
  check_says(watched.screen(80, 24), {"Keys with --hold:", "Keys of the screen:", "? all keys"});
  watched.watch.view.held.reset();
  check_says(watched.screen(60, 20), {"Keys of the screen:", "quit", "? all keys"});
  CHECK(!contains(watched.screen(60, 20), "--hold"));
}

TEST_CASE("watch: the heading of held messages says that their script has ended") {
  HeldMessages held{.has_begun = true};
  held.has_script_ended = true;
  CHECK(contains(held_heading(held, 100, Language::english), "the script has ended"));
}

TEST_CASE("watch: one late reply is no sign; a node that stays silent is asked less often") {
  Watched watched;
  const std::vector<NodeStatus> stopped = {node(1, "follower", 3), node(2, "follower", 3),
                                           silent(3, 1003)};
  watched.update(three());
  watched.take();
  watched.update(stopped, {}, 1);
  CHECK(watched.take().empty());
  CHECK(watched.watch.silent().empty());
  watched.update(stopped, {}, 2);
  CHECK(watched.take() == "00:00      3  !  does not answer: is it stopped?\n");
  CHECK(watched.watch.silent() == std::vector<NodeId>{3});
  watched.update(stopped, {}, 3);
  CHECK(watched.take().empty());
  watched.update(three(), {}, 4);
  CHECK(watched.take() == "00:00      3  !  answers again\n");
}

TEST_CASE("watch: a node that does not reply at the first look is introduced when it does") {
  Watched watched;
  watched.update({node(1, "follower", 3), silent(3, 1003)});
  watched.take();
  watched.update(three(), {}, 1);
  CHECK(contains(watched.take(), "00:00      3  !  is here (PID 1003)\n"));
  // It has published its name, and is slow to reply.
  Watched late_start;
  late_start.update({node(1, "follower", 2), node(2, "coordinator", 2)});
  late_start.update({node(1, "follower", 2), node(2, "coordinator", 2), silent(3, 1003)}, {}, 1);
  late_start.take();
  late_start.update(three(), {}, 2);
  CHECK(contains(late_start.take(), "00:00      3  +  joins as process 3 (PID 1003)\n"));
  Watched stale_name;
  stale_name.update({node(1, "follower", 2), stale(3)});
  stale_name.update(three(), {}, 1);
  CHECK(contains(stale_name.take(), "00:00      3  !  came back (PID 1003)\n"));
}

TEST_CASE("watch: a node is the same as long as no other PID has had its name") {
  Watched watched;
  watched.update({node(3, "coordinator", 3)});
  watched.take();
  watched.update({silent(3, 1003)}, {}, 1);  // stopped
  watched.update({node(3, "coordinator", 3)}, {}, 2);
  CHECK(watched.take().empty());
  watched.update({silent(3, 1004)}, {}, 3);  // another process has its name
  watched.update({node(3, "coordinator", 3)}, {}, 4);
  CHECK(contains(watched.take(), "3  !  came back (PID 1003)"));
}

TEST_CASE("watch: a trace tells the messages; the snapshots add only the killed processes") {
  Watched watched(Language::portuguese);
  const auto at = [](std::int64_t t, NodeId id, TraceEvent event) {
    const auto pid = static_cast<std::int64_t>(id) + 1000;
    return Record{.t_ns = t, .node = id, .pid = pid, .event = event};
  };
  watched.update(three(),
                 {at(1, 1, TraceEvent::start), at(2, 2, TraceEvent::start),
                  sent(4, 3, messages::coordinator, 1), sent(5, 3, messages::coordinator, 2),
                  at(3, 3, TraceEvent::start)},
                 second);
  CHECK(watched.take() ==
        "00:00      1  +  entra como processo 1 (PID 1001)\n"
        "00:00      2  +  entra como processo 2 (PID 1002)\n"
        "00:00      3  +  entra como processo 3 (PID 1003)\n"
        "00:00      3  →  COORDENADOR    para 1, 2\n");
  // 3 is killed, 1 leaves.
  watched.update({node(2, "coordinator", 2)},
                 {sent(4 * second, 2, messages::election, 3),
                  sent(4 * second, 2, messages::ping, 3), at(5 * second, 1, TraceEvent::leave)},
                 5 * second);
  CHECK(watched.take() ==
        "00:00      2  →  ELEIÇÃO        para 3\n"
        "00:00      1  -  sai\n"
        "00:00      3  !  não existe mais, nem o nome dele\n");
  CHECK(contains(watched.screen(80, 24),
                 "última eleição: ELEIÇÃO 1, PARAR ELEIÇÃO 0, COORDENADOR 2"));
  watched.watch.view.pings = true;
  watched.update({node(2, "coordinator", 2)}, {sent(6 * second, 2, messages::ping, 3)}, 6 * second);
  CHECK(watched.take() == "00:00      2  →  PING           para 3\n");
}

TEST_CASE("watch: one that comes back without a trace is shown, though the trace knows its id") {
  Watched watched;
  watched.update(three(), {{.t_ns = 0, .node = 3, .pid = 1003}}, 0);
  watched.take();
  const Record crash{.t_ns = second, .node = 3, .pid = 1003, .event = TraceEvent::crash};
  // The reply is older than the end that the trace has meanwhile.
  watched.update(three(), {crash}, second);
  CHECK(watched.take() == "00:00      3  ✗  crashed (SIGKILL)\n");
  watched.update({node(1, "follower", 1), stale(3)}, {}, 2 * second);
  watched.take();
  NodeStatus back = node(3, "coordinator", 3);
  back.pid = 77;
  watched.update({node(1, "follower", 3), back}, {}, 3 * second);
  CHECK(contains(watched.take(), "3  !  came back (PID 77)\n"));
  // A late record of the former process is not about this one.
  watched.update({node(1, "follower", 3), back}, {crash}, 4 * second);
  CHECK(contains(watched.screen(90, 12), "77  coordinator"));
  watched.update({node(1, "follower", 3)}, {}, 5 * second);
  CHECK(contains(watched.take(), "3  !  is gone, and so is its name\n"));
}

TEST_CASE("watch: without a trace, an election goes on while a process is in it") {
  Watched watched;
  watched.update(three());
  NodeStatus asks = node(2, "waiting", 3);
  asks.coordinator.reset();
  asks.sent[messages::election] = 1;
  watched.update({node(1, "follower", 3), asks}, {}, second);
  watched.update({node(1, "follower", 3), asks}, {}, 2 * second);
  NodeStatus won = node(2, "coordinator", 2);
  won.sent[messages::election] = 1;
  won.sent[messages::coordinator] = 1;
  watched.update({node(1, "follower", 2), won}, {}, 3 * second);
  CHECK(contains(watched.screen(90, 20), "ELECTION 1, ANSWER 0, COORDINATOR 1 "));
}

TEST_CASE("watch: what a trace says was done to a process is said once, and is no sign of life") {
  Watched watched;
  const auto act = [](std::int64_t t, TraceEvent event) {
    return Record{.t_ns = t * second, .node = 3, .pid = 1003, .event = event};
  };
  watched.update(three(), {act(0, TraceEvent::start)}, 0);
  watched.take();
  std::vector<NodeStatus> stopped = three();
  stopped[2] = silent(3, 1003);
  watched.update(stopped, {act(1, TraceEvent::pause)}, second);
  watched.update(stopped, {}, 2 * second);
  watched.update(stopped, {}, 3 * second);
  CHECK(watched.take() == "00:00      3  !  stopped (SIGSTOP)\n");
  SUBCASE("it goes on") {
    watched.update(stopped, {act(4, TraceEvent::resume)}, 4 * second);
    watched.update(three(), {}, 5 * second);
    CHECK(watched.take() == "00:00      3  !  goes on (SIGCONT)\n");
    watched.update(stopped, {}, 6 * second);
    watched.update(stopped, {}, 7 * second);
    CHECK(watched.take() == "00:00      3  !  does not answer: is it stopped?\n");
  }
  SUBCASE("it is killed") {
    stopped[2] = stale(3);
    watched.update(stopped, {act(4, TraceEvent::crash)}, 4 * second);
    stopped.pop_back();
    watched.update(stopped, {}, 5 * second);
    CHECK(watched.take() == "00:00      3  ✗  crashed (SIGKILL)\n");
  }
}

TEST_CASE("watch: the coordinator is selected, also stopped, until a key moves the selection") {
  Watched watched;
  watched.update({node(1, "follower", 3)});
  CHECK(watched.watch.selected() == 1);  // there is none yet
  watched.update({node(1, "coordinator", 1), node(2, "candidate", 2)});
  CHECK(watched.watch.selected() == 1);
  watched.update(three(), {}, 1);
  CHECK(watched.watch.selected() == 3);  // it took over
  const std::vector<NodeStatus> stopped = {node(1, "follower", 2), node(2, "coordinator", 2),
                                           silent(3, 1003)};
  for (std::int64_t look = 2; look < 5; ++look) watched.update(stopped, {}, look);
  CHECK(watched.watch.selected() == 3);
  watched.watch.move_selection(-2);
  watched.update(three(), {}, 5);
  CHECK(watched.watch.selected() == 1);
}

TEST_CASE("watch: more nodes than rows scroll to where the selected one is") {
  Watched watched;
  std::vector<NodeStatus> many = followers_of_40();
  watched.update(many);
  CHECK(contains(watched.screen(80, 16), "(1 to 8 shown)"));
  CHECK(watched.watch.selected() == 1);
  watched.watch.move_selection(-1);
  CHECK(watched.watch.selected() == 1);
  watched.watch.move_selection(9);
  check_says(watched.screen(80, 16), {"(3 to 10 shown)", "> 10  1010"});
  watched.watch.move_selection(1000);
  CHECK(watched.watch.selected() == 40);
  CHECK(contains(watched.screen(80, 16), "(33 to 40 shown)"));
  many.erase(many.begin() + 9, many.end());
  watched.update(many, {}, 1);
  watched.update(many, {}, 40 * second);  // those that went are no longer shown
  CHECK(watched.watch.selected() == 9);
  CHECK(contains(watched.screen(80, 16), "(2 to 9 shown)"));
}

TEST_CASE("watch: the whole heading fits into 80 columns, with PIDs as ids, in both languages") {
  for (const Language language : {Language::english, Language::portuguese}) {
    Watched watched(language);
    NodeStatus peer = node(4194303, "coordinator", 4194303);
    peer.pid = 4194303;
    watched.update({peer});
    CHECK(contains(watched.screen(80, 24), text(Text::watch_dropped, language)));
    CHECK(watched.screen(80, 24) == watched.screen(200, 24));
  }
}

TEST_CASE("watch: the columns stay where they are when a node falls silent") {
  for (const Language language : {Language::english, Language::portuguese}) {
    Watched watched(language);
    const std::vector<NodeStatus> stopped = {node(1, "follower", 3), silent(2, 1002),
                                             node(3, "coordinator", 3)};
    watched.update(three());
    const std::string before = watched.screen(80, 24);
    watched.update(stopped, {}, 1);
    watched.update(stopped, {}, 2);
    const std::string after = watched.screen(80, 24);
    const std::string heading(text(Text::ps_coordinator, language));
    CHECK(before != after);
    CHECK(before.find(heading) == after.find(heading));
  }
}

TEST_CASE("watch: a long path takes nothing from the screen but its own end") {
  Watched watched;
  watched.update(followers_of_40());
  watched.watch.view.rows = 16;
  watched.watch.view.place = std::string(100, 'd');
  const std::string title = watched.watch.screen()[0];
  CHECK(contains(title, "nodes: 40  (1 to 8 shown)  in ddd"));
}

TEST_CASE("watch: an election is one, however slow its messages are and however late its answers") {
  Watched watched;
  watched.update(three());
  const auto shows = [&watched](const std::string& counts) {
    return contains(watched.screen(90, 24), "last election: " + counts + " ");
  };
  // As with --pace=3s: 1 asks, 2 wins, and answers 1 only then.
  watched.update(
      {node(1, "candidate", 3), node(2, "follower", 3), stale(3)},
      {suspected(10 * second, 1, 3, "down"), state(10 * second, 1, "candidate"),
       sent(10 * second, 1, messages::election, 2), received(13 * second, 2, messages::election, 1),
       state(13 * second, 2, "candidate"), sent(13 * second, 2, messages::election, 3)},
      13 * second);
  watched.update(
      {node(1, "follower", 2), node(2, "coordinator", 2), stale(3)},
      {state(16 * second, 2, "coordinator"), sent(16 * second, 2, messages::coordinator, 1),
       received(17 * second, 1, messages::coordinator, 2), state(17 * second, 1, "follower"),
       follows(17 * second, 1, 2), sent(19 * second, 2, messages::answer, 1),
       received(19 * second, 1, messages::answer, 2)},
      19 * second);
  CHECK(shows("ELECTION 2, ANSWER 1, COORDINATOR 1"));
  // 3 comes back and takes over: another one.
  const auto takes_over = [](std::int64_t t, NodeId id, std::initializer_list<NodeId> others) {
    std::vector<Record> records = {{.t_ns = t,
                                    .node = id,
                                    .pid = static_cast<std::int64_t>(10 * id),
                                    .event = TraceEvent::start},
                                   state(t, id, "coordinator")};
    records.back().pid = records.front().pid;
    for (const NodeId other : others) {
      records.push_back(sent(t, id, messages::coordinator, other));
      records.back().pid = records.front().pid;
    }
    for (const NodeId other : others) {
      records.push_back(received(t + 1, other, messages::coordinator, id));
      records.push_back(state(t + 1, other, "follower"));
      records.push_back(follows(t + 1, other, id));
    }
    return records;
  };
  watched.update(three(), takes_over(20 * second, 3, {1, 2}), 20 * second + 1);
  CHECK(shows("ELECTION 0, ANSWER 0, COORDINATOR 2"));
  // 4 joins soon after that: another one, too.
  watched.update(three(), takes_over(20 * second + 2, 4, {1, 2}), 20 * second + 3);
  CHECK(shows("ELECTION 0, ANSWER 0, COORDINATOR 2"));
  // 1 goes on after a stop, asks, and is killed at it: the next one is another one again.
  watched.update(three(),
                 {{.t_ns = 30 * second, .node = 1, .event = TraceEvent::step, .reason = "resumed"},
                  state(30 * second, 1, "candidate"),
                  sent(30 * second, 1, messages::election, 2)},
                 30 * second);
  CHECK(shows("ELECTION 1, ANSWER 0, COORDINATOR 0"));
  const std::vector<NodeStatus> without_1 = {stale(1), node(2, "follower", 3),
                                             node(3, "coordinator", 3)};
  watched.update(without_1,
                 {received(31 * second, 2, messages::election, 1),
                  {.t_ns = 31 * second, .node = 1, .event = TraceEvent::crash}},
                 31 * second);
  watched.update(without_1, takes_over(40 * second, 5, {2}), 40 * second + 1);
  CHECK(shows("ELECTION 0, ANSWER 0, COORDINATOR 1"));
}

TEST_CASE(
    "watch: what a stopped node answers when it goes on is not of the election that follows") {
  Watched watched;
  watched.update(three());
  // 3 is stopped: 2 notices, asks it, and wins. 3 goes on, and hears 2's message only then.
  watched.update(
      three(),
      {suspected(10 * second, 2, 3, "hung"), state(10 * second, 2, "candidate"),
       sent(10 * second, 2, messages::election, 3), state(11 * second, 2, "coordinator"),
       sent(11 * second, 2, messages::coordinator, 1),
       received(11 * second, 1, messages::coordinator, 2), state(11 * second, 1, "follower"),
       follows(11 * second, 1, 2), state(20 * second, 3, "candidate"),
       sent(20 * second, 3, messages::coordinator, 1),
       sent(20 * second, 3, messages::coordinator, 2), state(20 * second, 3, "coordinator"),
       received(20 * second + 1, 3, messages::election, 2),
       sent(20 * second + 1, 3, messages::answer, 2)},
      21 * second);
  CHECK(contains(watched.screen(90, 24), "last election: ELECTION 0, ANSWER 0, COORDINATOR 2 "));
}

TEST_CASE("watch: a screen of any size is filled exactly, with and without nodes") {
  for (const bool empty : {true, false}) {
    Watched watched;
    watched.update(empty ? std::vector<NodeStatus>{} : three());
    for (std::size_t rows = 0; rows <= 12; ++rows) {
      for (const std::size_t columns : {1U, 7U, 80U, 200U}) {
        CHECK(count_of(watched.screen(columns, rows), "\n") == rows);
      }
    }
  }
  CHECK(fitted("\033[31meleição\033[0m", 4) == "\033[31melei\033[0m");
  CHECK(fitted("ção", 5) == "ção  ");
}

TEST_CASE("watch: keys as terminals send them") {
  CHECK(keys_in("\033[A\033OBx\033[5~\033[1;5CKq") ==
        std::vector<std::string>{"\033[A", "\033[B", "x", "\033[5~", "\033[1;5C", "K", "q"});
  CHECK(keys_in("\033[") == std::vector<std::string>{"\033["});
  CHECK(keys_in("\033") == std::vector<std::string>{"\033"});
  CHECK(keys_in("").empty());
}

TEST_CASE("watch: messages that wait stand between the nodes and the log") {
  Watched watched;
  watched.update(three());
  watched.watch.view.held = HeldMessages{};
  CHECK(contains(watched.screen(72, 14), "── messages will be held as soon as all nodes agree ──"));
  HeldMessages& held = *watched.watch.view.held;
  held.has_begun = true;
  held.waiting = {{2, {.type = messages::election, .from = 1}},
                  {1, {.type = messages::answer, .from = 12}},
                  {1, {.type = messages::coordinator, .from = 3}}};
  held.selected = 1;
  held.lines = 2;
  held.last_line = "deliver E from 1 to 3";
  CHECK(watched.screen(80, 14) ==
        "all follow 3  nodes: 3  in /d\n"
        "  ID   PID  STATE        COORDINATOR  SENT E/PE/C  RECEIVED  IGNORED\n"
        "   1  1001  follower     3            0/0/0        0/0/0     0\n"
        "   2  1002  follower     3            0/0/0        0/0/0     0\n"
        ">  3  1003  coordinator  3            0/0/0        0/0/0     0\n"
        "── messages held: 3  script, step 2: deliver E from 1 to 3 ──\n"
        "   1 ───── ELECTION ────────▶ 2\n"
        "> 12 ╌╌╌╌╌ ANSWER ╌╌╌╌╌╌╌╌╌╌▶ 1\n"
        "   3 ═════ COORDINATOR ═════▶ 1\n"
        "── no election seen yet ──\n"
        "00:00      3  !  is here (PID 1003)\n"
        "00:00      3  *  COORDINATOR: 3 has won\n"
        "[ ] message  d deliver  x drop  a all  r run  t timer  u suspect  / cut  b back\n"
        "q quit  ↑↓ select  K kill  S stop  C continue  R restart  ? all keys\n");
  // Where there is room for one line only, it is the selected one.
  held.is_released = true;
  held.selected = 2;
  check_says(watched.screen(80, 11),
             {"messages held: 3, delivered as they come", ">  3 ═════ COORDINATOR ═════▶ 1"});
  for (std::size_t rows = 0; rows < 12; ++rows)
    CHECK(count_of(watched.screen(40, rows), "\n") == rows);
}

TEST_CASE("watch: the keys of --hold fit 80 columns in every language") {
  for (const Language language : languages) {
    CHECK(width(text(Text::hold_keys, language)) <= 80);
    CHECK(width(text(Text::watch_keys, language)) <= 80);
  }
}
