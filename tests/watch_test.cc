// watch_test.cc: `bully watch`: what the model makes of snapshots and records, and the command in a
// terminal of its own over real nodes.
#include <doctest/doctest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "commands/terminal.h"
#include "fixture/cluster.h"
#include "support/messages.h"
#include "support/pseudo_terminal.h"
#include "view/style.h"
#include "view/watch.h"

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

// A watch whose times do not move, and all that its log has told since it was last taken.
struct Watched {
  explicit Watched(Language language = Language::english)
      : watch(
            {.language = language, .color = false}, [](std::int64_t) { return "00:00"; },
            [this](std::string_view lines) { told += lines; }) {}
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

std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("watch: a screen has each node, its coordinator, its counters, and what happened") {
  Watched watched;
  std::vector<NodeStatus> peers = three();
  peers[0].sent[messages::election] = 2;
  peers[0].dropped = 7;
  watched.watch.update(peers, {}, 0);
  CHECK(watched.screen(72, 13) ==
        "all follow 3  nodes: 3  in /d\n"
        "  ID   PID  STATE        COORDINATOR  SENT E/PE/C  RECEIVED  DROPPED\n"
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
  watched.watch.update(three(), {}, 0);
  watched.take();
  watched.watch.update(three(), {}, second);
  CHECK(watched.take().empty());

  watched.watch.update({node(1, "follower", 2), node(2, "coordinator", 2), stale(3)}, {}, second);
  CHECK(watched.take() ==
        "00:00      3  !  crashed: its process is gone, and its name is left\n"
        "00:00      1  *  follows coordinator 2\n"
        "00:00      2  *  COORDINATOR: 2 has won\n");
  NodeStatus back = node(3, "coordinator", 3);
  back.pid = 77;
  back.sent[messages::coordinator] = 2;
  watched.watch.update({node(1, "follower", 3), node(2, "follower", 3), back}, {}, 2 * second);
  CHECK(watched.take().find("3  !  came back (PID 77)\n") != std::string::npos);
  CHECK(watched.screen(90, 20).find("ELECTION 0, ANSWER 0, COORDINATOR 2 ") != std::string::npos);
  watched.watch.update({node(2, "follower", 3), back}, {}, 3 * second);
  CHECK(watched.take() == "00:00      1  !  has left\n");
}

TEST_CASE("watch: processes that a recorder sees are not asked, and shown as they were seen") {
  Watched watched;
  const std::vector<Record> records = {
      {.t_ns = 1, .node = 1, .algorithm = "bully", .observed = true},
      {.t_ns = 2, .node = 2, .algorithm = "bully", .observed = true},
      {.t_ns = 3,
       .node = 2,
       .event = TraceEvent::send,
       .type = messages::coordinator,
       .from = 2,
       .to = 1},
      {.t_ns = 4, .node = 2, .event = TraceEvent::coordinator, .coordinator = 2},
      {.t_ns = 5, .node = 1, .event = TraceEvent::coordinator, .coordinator = 2}};
  CHECK(watched.watch.meet_observed(records) == std::vector<NodeId>{1, 2});
  for (std::int64_t look = 0; look < 3; ++look) {
    watched.watch.update({silent(1), silent(2)}, look == 0 ? records : std::vector<Record>{},
                         look * second);
  }
  const std::string screen = watched.screen(90, 12);
  CAPTURE(screen);
  CHECK(screen.starts_with("all follow 2  nodes: 2"));
  CHECK(contains(screen, ">  2    -  -            2            0/0/1        0/0/0     -"));
  CHECK_FALSE(contains(watched.take(), "does not answer"));
  // A dead one is looked at again: whether its name is still there, nobody else tells.
  CHECK(watched.watch.meet_observed({{.t_ns = 6, .node = 2, .event = TraceEvent::crash}}) ==
        std::vector<NodeId>{1});
}

TEST_CASE("watch: one late reply is no sign; a node that stays silent is asked less often") {
  Watched watched;
  const std::vector<NodeStatus> stopped = {node(1, "follower", 3), node(2, "follower", 3),
                                           silent(3, 1003)};
  watched.watch.update(three(), {}, 0);
  watched.take();
  watched.watch.update(stopped, {}, 1);
  CHECK(watched.take().empty());
  CHECK(watched.watch.silent().empty());
  watched.watch.update(stopped, {}, 2);
  CHECK(watched.take() == "00:00      3  !  does not answer: is it stopped?\n");
  CHECK(watched.watch.silent() == std::vector<NodeId>{3});
  watched.watch.update(stopped, {}, 3);
  CHECK(watched.take().empty());
  watched.watch.update(three(), {}, 4);
  CHECK(watched.take() == "00:00      3  !  answers again\n");
}

TEST_CASE("watch: a node is the same as long as no other PID has had its name") {
  Watched watched;
  watched.watch.update({node(3, "coordinator", 3)}, {}, 0);
  watched.take();
  watched.watch.update({silent(3, 1003)}, {}, 1);  // stopped
  watched.watch.update({node(3, "coordinator", 3)}, {}, 2);
  CHECK(watched.take().empty());
  watched.watch.update({silent(3, 1004)}, {}, 3);  // another process has its name
  watched.watch.update({node(3, "coordinator", 3)}, {}, 4);
  CHECK(contains(watched.take(), "3  !  came back (PID 1003)"));
}

TEST_CASE("watch: a trace tells the messages; the snapshots add only the killed processes") {
  Watched watched(Language::portuguese);
  const auto at = [](std::int64_t t, NodeId id, TraceEvent event) {
    return Record{.t_ns = t, .node = id, .pid = 1, .event = event};
  };
  const auto sent = [](std::int64_t t, NodeId id, MessageType type, NodeId to) {
    return Record{
        .t_ns = t, .node = id, .event = TraceEvent::send, .type = type, .from = id, .to = to};
  };
  watched.watch.update(three(),
                       {at(1, 1, TraceEvent::start), at(2, 2, TraceEvent::start),
                        sent(4, 3, messages::coordinator, 1), sent(5, 3, messages::coordinator, 2),
                        at(3, 3, TraceEvent::start)},
                       second);
  CHECK(watched.take() ==
        "00:00      1  +  entra como processo 1 (PID 1)\n"
        "00:00      2  +  entra como processo 2 (PID 1)\n"
        "00:00      3  +  entra como processo 3 (PID 1)\n"
        "00:00      3  →  COORDENADOR    para 1, 2\n");
  // 3 is killed, 1 leaves.
  watched.watch.update(
      {node(2, "coordinator", 2)},
      {sent(4 * second, 2, messages::election, 3), sent(4 * second, 2, messages::ping, 3),
       at(5 * second, 1, TraceEvent::stop)},
      5 * second);
  CHECK(watched.take() ==
        "00:00      2  →  ELEIÇÃO        para 3\n"
        "00:00      1  -  sai\n"
        "00:00      3  !  caiu: o processo se foi e deixou o nome\n");
  CHECK(watched.screen(80, 24).find("última eleição: ELEIÇÃO 1, PARAR ELEIÇÃO 0, COORDENADOR 0") !=
        std::string::npos);
  watched.watch.view.pings = true;
  watched.watch.update({node(2, "coordinator", 2)}, {sent(6 * second, 2, messages::ping, 3)},
                       6 * second);
  CHECK(watched.take() == "00:00      2  →  PING           para 3\n");
}

TEST_CASE("watch: what a trace says was done to a process is said once, and is no sign of life") {
  Watched watched;
  const auto act = [](std::int64_t t, TraceEvent event) {
    return Record{.t_ns = t * second, .node = 3, .pid = 1003, .event = event};
  };
  watched.watch.update(three(), {act(0, TraceEvent::start)}, 0);
  watched.take();
  std::vector<NodeStatus> stopped = three();
  stopped[2] = silent(3, 1003);
  watched.watch.update(stopped, {act(1, TraceEvent::pause)}, second);
  watched.watch.update(stopped, {}, 2 * second);
  watched.watch.update(stopped, {}, 3 * second);
  CHECK(watched.take() == "00:00      3  !  stopped (SIGSTOP)\n");
  SUBCASE("it goes on") {
    watched.watch.update(stopped, {act(4, TraceEvent::resume)}, 4 * second);
    watched.watch.update(three(), {}, 5 * second);
    CHECK(watched.take() == "00:00      3  !  goes on (SIGCONT)\n");
    watched.watch.update(stopped, {}, 6 * second);
    watched.watch.update(stopped, {}, 7 * second);
    CHECK(watched.take() == "00:00      3  !  does not answer: is it stopped?\n");
  }
  SUBCASE("it is killed") {
    stopped[2] = stale(3);
    watched.watch.update(stopped, {act(4, TraceEvent::crash)}, 4 * second);
    stopped.pop_back();
    watched.watch.update(stopped, {}, 5 * second);
    CHECK(watched.take() == "00:00      3  ✗  crashed (SIGKILL)\n");
  }
}

TEST_CASE("watch: the coordinator is selected at first, and stays so when another takes over") {
  Watched watched;
  watched.watch.update({node(1, "follower", 3)}, {}, 0);
  CHECK(watched.watch.selected() == 1);  // there is none yet
  watched.watch.update(three(), {}, 1);
  CHECK(watched.watch.selected() == 3);
  const std::vector<NodeStatus> stopped = {node(1, "follower", 2), node(2, "coordinator", 2),
                                           silent(3, 1003)};
  for (std::int64_t look = 2; look < 5; ++look) watched.watch.update(stopped, {}, look);
  CHECK(watched.watch.selected() == 3);
  watched.watch.move_selection(-2);
  watched.watch.update(three(), {}, 5);
  CHECK(watched.watch.selected() == 1);
}

TEST_CASE("watch: two coordinators at once are named") {
  const std::vector<NodeStatus> two = {node(1, "follower", 2), node(2, "coordinator", 2),
                                       node(3, "coordinator", 3)};
  Watched watched;
  watched.watch.update(two, {}, 0);
  CHECK(watched.screen(80, 24).starts_with("two coordinators: 2, 3  nodes: 3"));
  Watched other(Language::portuguese);
  other.watch.update(two, {}, 0);
  CHECK(other.screen(80, 24).starts_with("dois coordenadores: 2, 3  nós: 3"));
}

TEST_CASE("watch: more nodes than rows scroll to where the selected one is") {
  Watched watched;
  std::vector<NodeStatus> many;
  for (NodeId id = 1; id <= 40; ++id) many.push_back(node(id, "follower", 40));
  watched.watch.update(many, {}, 0);
  CHECK(watched.screen(80, 16).find("(1 to 8 shown)") != std::string::npos);
  CHECK(watched.watch.selected() == 1);
  watched.watch.move_selection(-1);
  CHECK(watched.watch.selected() == 1);
  watched.watch.move_selection(9);
  const std::string scrolled = watched.screen(80, 16);
  CHECK(scrolled.find("(3 to 10 shown)") != std::string::npos);
  CHECK(scrolled.find("> 10  1010") != std::string::npos);
  watched.watch.move_selection(1000);
  CHECK(watched.watch.selected() == 40);
  CHECK(watched.screen(80, 16).find("(33 to 40 shown)") != std::string::npos);
  many.erase(many.begin() + 9, many.end());
  watched.watch.update(many, {}, 1);
  watched.watch.update(many, {}, 40 * second);  // those that went are no longer shown
  CHECK(watched.watch.selected() == 9);
  CHECK(watched.screen(80, 16).find("(2 to 9 shown)") != std::string::npos);
}

TEST_CASE("watch: the whole heading fits into 80 columns, with PIDs as ids, in both languages") {
  for (const Language language : {Language::english, Language::portuguese}) {
    Watched watched(language);
    NodeStatus peer = node(4194303, "coordinator", 4194303);
    peer.pid = 4194303;
    watched.watch.update({peer}, {}, 0);
    CHECK(watched.screen(80, 24).find(text(Text::watch_dropped, language)) != std::string::npos);
    CHECK(watched.screen(80, 24) == watched.screen(200, 24));
  }
}

TEST_CASE("watch: the columns stay where they are when a node falls silent") {
  for (const Language language : {Language::english, Language::portuguese}) {
    Watched watched(language);
    const std::vector<NodeStatus> stopped = {node(1, "follower", 3), silent(2, 1002),
                                             node(3, "coordinator", 3)};
    watched.watch.update(three(), {}, 0);
    const std::string before = watched.screen(80, 24);
    watched.watch.update(stopped, {}, 1);
    watched.watch.update(stopped, {}, 2);
    const std::string after = watched.screen(80, 24);
    const std::string heading(text(Text::ps_coordinator, language));
    CHECK(before != after);
    CHECK(before.find(heading) == after.find(heading));
  }
}

TEST_CASE("watch: a long path takes nothing from the screen but its own end") {
  Watched watched;
  std::vector<NodeStatus> many;
  for (NodeId id = 1; id <= 40; ++id) many.push_back(node(id, "follower", 40));
  watched.watch.update(many, {}, 0);
  watched.watch.view.rows = 16;
  watched.watch.view.place = std::string(100, 'd');
  const std::string title = watched.watch.screen()[0];
  CHECK(title.find("nodes: 40  (1 to 8 shown)  in ddd") != std::string::npos);
}

TEST_CASE("watch: an election is one, however slow its messages are and however late its answers") {
  Watched watched;
  watched.watch.update(three(), {}, 0);
  const auto state = [](std::int64_t t, NodeId id, const char* name) {
    return Record{.t_ns = t, .node = id, .event = TraceEvent::state, .state = name};
  };
  const auto sent = [](std::int64_t t, NodeId id, MessageType type, NodeId to) {
    return Record{
        .t_ns = t, .node = id, .event = TraceEvent::send, .type = type, .from = id, .to = to};
  };
  const auto shows = [&watched](const std::string& counts) {
    return watched.screen(90, 24).find("last election: " + counts + " ") != std::string::npos;
  };
  // As with --pace=3s: 1 asks, 2 wins, and answers 1 only then.
  watched.watch.update(
      {node(1, "candidate", 3), node(2, "follower", 3), stale(3)},
      {state(10 * second, 1, "candidate"), sent(10 * second, 1, messages::election, 2),
       state(13 * second, 2, "candidate"), sent(13 * second, 2, messages::election, 3)},
      13 * second);
  watched.watch.update(
      {node(1, "follower", 2), node(2, "coordinator", 2), stale(3)},
      {state(16 * second, 2, "coordinator"), sent(16 * second, 2, messages::coordinator, 1),
       state(16 * second, 1, "follower"), sent(19 * second, 2, messages::answer, 1)},
      19 * second);
  CHECK(shows("ELECTION 2, ANSWER 1, COORDINATOR 1"));
  // 3 comes back and takes over: another one.
  watched.watch.update(three(), {sent(20 * second, 3, messages::coordinator, 1)}, 20 * second);
  CHECK(shows("ELECTION 0, ANSWER 0, COORDINATOR 1"));
  // 4 joins soon after that: another one, too.
  watched.watch.update(
      three(),
      {Record{.t_ns = 20 * second + 1, .node = 4, .pid = 4, .event = TraceEvent::start},
       sent(20 * second + 2, 4, messages::coordinator, 1),
       sent(20 * second + 2, 4, messages::coordinator, 2)},
      20 * second + 3);
  CHECK(shows("ELECTION 0, ANSWER 0, COORDINATOR 2"));
  // 1 asks, and is killed at it: what comes after that, is another one again.
  watched.watch.update(
      three(), {state(30 * second, 1, "candidate"), sent(30 * second, 1, messages::election, 2)},
      30 * second);
  CHECK(shows("ELECTION 1, ANSWER 0, COORDINATOR 0"));
  watched.watch.update({stale(1), node(2, "follower", 3), node(3, "coordinator", 3)}, {},
                       31 * second);
  watched.watch.update({stale(1), node(2, "follower", 3), node(3, "coordinator", 3)},
                       {sent(40 * second, 3, messages::coordinator, 2)}, 40 * second);
  CHECK(shows("ELECTION 0, ANSWER 0, COORDINATOR 1"));
}

TEST_CASE(
    "watch: what a stopped node answers when it goes on is not of the election that follows") {
  Watched watched;
  watched.watch.update(three(), {}, 0);
  const auto sent = [](std::int64_t t, NodeId id, MessageType type, NodeId to) {
    return Record{
        .t_ns = t, .node = id, .event = TraceEvent::send, .type = type, .from = id, .to = to};
  };
  const auto state = [](std::int64_t t, NodeId id, const char* name) {
    return Record{.t_ns = t, .node = id, .event = TraceEvent::state, .state = name};
  };
  // 3 is stopped: 2 notices, asks it, and wins. 3 goes on, and hears 2's message only then.
  watched.watch.update(
      three(),
      {state(10 * second, 2, "candidate"), sent(10 * second, 2, messages::election, 3),
       state(11 * second, 2, "coordinator"), sent(11 * second, 2, messages::coordinator, 1),
       state(20 * second, 3, "candidate"), sent(20 * second, 3, messages::coordinator, 1),
       sent(20 * second, 3, messages::coordinator, 2), state(20 * second, 3, "coordinator"),
       sent(20 * second + 1, 3, messages::answer, 2)},
      21 * second);
  CHECK(watched.screen(90, 24).find("last election: ELECTION 0, ANSWER 0, COORDINATOR 2 ") !=
        std::string::npos);
}

TEST_CASE("watch: a screen of any size is filled exactly, with and without nodes") {
  for (const bool empty : {true, false}) {
    Watched watched;
    watched.watch.update(empty ? std::vector<NodeStatus>{} : three(), {}, 0);
    for (std::size_t rows = 0; rows <= 12; ++rows) {
      for (const std::size_t columns : {1U, 7U, 80U, 200U}) {
        CHECK(line_count(watched.screen(columns, rows)) == rows);
      }
    }
  }
  CHECK(fitted("\033[31meleição\033[0m", 4) == "\033[31melei\033[0m");
  CHECK(fitted("ção", 5) == "ção  ");
}

TEST_CASE("watch: keys as terminals send them") {
  CHECK(keys_in("\033[A\033OBx\033[5~\033[1;5CKq") ==
        std::vector<std::string_view>{"\033[A", "\033OB", "x", "\033[5~", "\033[1;5C", "K", "q"});
  CHECK(keys_in("\033[") == std::vector<std::string_view>{"\033["});
  CHECK(keys_in("\033") == std::vector<std::string_view>{"\033"});
  CHECK(keys_in("").empty());
}

TEST_CASE("watch: messages that wait stand between the nodes and the log") {
  Watched watched;
  watched.watch.update(three(), {}, 0);
  watched.watch.view.held = HeldView{};
  CHECK(watched.screen(72, 14).find("── messages will wait as soon as all nodes agree ──") !=
        std::string::npos);
  HeldView& held = *watched.watch.view.held;
  held.has_begun = true;
  held.waiting = {{{.type = messages::election, .from = 1}, 2},
                  {{.type = messages::answer, .from = 12}, 1},
                  {{.type = messages::coordinator, .from = 3}, 1}};
  held.selected = 1;
  held.lines = 2;
  held.last_line = "deliver E from 1 to 3";
  CHECK(watched.screen(78, 14) ==
        "all follow 3  nodes: 3  in /d\n"
        "  ID   PID  STATE        COORDINATOR  SENT E/PE/C  RECEIVED  DROPPED\n"
        "   1  1001  follower     3            0/0/0        0/0/0     0\n"
        "   2  1002  follower     3            0/0/0        0/0/0     0\n"
        ">  3  1003  coordinator  3            0/0/0        0/0/0     0\n"
        "── messages waiting: 3  script, step 2: deliver E from 1 to 3 ──\n"
        "   1 ───── ELECTION ────────▶ 2\n"
        "> 12 ╌╌╌╌╌ ANSWER ╌╌╌╌╌╌╌╌╌╌▶ 1\n"
        "   3 ═════ COORDINATOR ═════▶ 1\n"
        "── no election seen yet ──\n"
        "00:00      3  !  is here (PID 1003)\n"
        "00:00      3  *  COORDINATOR: 3 has won\n"
        "[ ] message  d deliver  x drop  a all  r run/hold  t timer expires  u suspect\n"
        "q quit  ↑↓ select  K kill  S stop  C continue  R restart  ? all keys\n");
  // Where there is room for one line only, it is the selected one.
  held.runs = true;
  held.selected = 2;
  const std::string small = watched.screen(78, 11);
  CHECK(small.find("messages waiting: 3, delivered as they come") != std::string::npos);
  CHECK(small.find(">  3 ═════ COORDINATOR ═════▶ 1") != std::string::npos);
  for (std::size_t rows = 0; rows < 12; ++rows) CHECK(line_count(watched.screen(40, rows)) == rows);
}

TEST_CASE("watch: the keys of --hold fit 80 columns in every language") {
  for (const Language language : languages) {
    CHECK(width(text(Text::hold_keys, language)) <= 80);
    CHECK(width(text(Text::watch_keys, language)) <= 80);
  }
}
