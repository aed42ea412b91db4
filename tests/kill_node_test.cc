// kill_node_test.cc: `./kill_node.sh`, and so `bully kill`, run as a user runs it. Run from the top
// level.
#include <doctest/doctest.h>

#include <signal.h>
#include <unistd.h>
#include <algorithm>

#include <filesystem>
#include <string>
#include <vector>

#include "fixture/bystander.h"
#include "fixture/scripts.h"
#include "node/system.h"
#include "trace/trace.h"

using namespace bully;
namespace fs = std::filesystem;

namespace {

// Connections to a socket whose owner does not accept them, until its backlog is full.
class Queue {
 public:
  explicit Queue(const std::string& path) {
    while (true) {
      Connection connection = connect_to(path);
      if (connection.reach != Reach::reached) break;
      connections_.push_back(std::move(connection));
    }
  }

 private:
  std::vector<Connection> connections_;
};

// A name whose process is dead.
void leave_name(const Place& place, const std::string& name) {
  close(Bystander::listen_at(place.nodes() + "/" + name));
}

}  // namespace

TEST_CASE("kill_node.sh kills the coordinator, says so, and the rest elect another") {
  ScriptedCluster cluster(3);
  const std::string coordinator = std::to_string(cluster.highest());
  const Result result = cluster.kill({});
  CHECK(result.status == 0);
  CHECK(result.output ==
        "SIGKILL to " + coordinator + " (PID " + coordinator + "): the coordinator\n");
  CHECK(happens([&] { return cluster.place().agree(2); }));
}

TEST_CASE("kill_node.sh finds a node by its place, by lot, or by its id") {
  ScriptedCluster cluster(4);
  const std::string lowest = std::to_string(cluster.lowest());
  const Result first = cluster.kill({"--lowest", "--signal=TERM", "--lang=pt-BR"});
  CHECK(first.status == 0);
  CHECK(first.output == "SIGTERM em " + lowest + " (PID " + lowest + "): o menor de 4\n");
  CHECK(happens([&] { return cluster.place().agree(3); }));
  const std::string second = std::to_string(cluster.lowest());
  const Result named = cluster.kill({"000" + second, "--signal", "SIGKILL"});
  CHECK(named.status == 0);
  CHECK(
      contains(named.output, "SIGKILL to " + second + " (PID " + second + "): the one you named"));
  CHECK(happens([&] { return cluster.place().agree(2); }));
  const Result drawn = cluster.kill({"--random"});
  CHECK(drawn.status == 0);
  CHECK(contains(drawn.output, "chosen at random from 2"));
  CHECK(happens([&] { return cluster.place().agree(1); }));
}

TEST_CASE("a stopped node cannot reply, and is continued or killed all the same") {
  ScriptedCluster cluster(3);
  const NodeId stopped = cluster.highest();
  const std::string id = std::to_string(stopped);
  CHECK(cluster.kill({"--signal=STOP"}).status == 0);
  CHECK(happens([&] { return cluster.place().agree(2); }));
  const Result continued = cluster.kill({id, "--signal=CONT"});
  CHECK(continued.status == 0);
  CHECK(contains(continued.output, "SIGCONT to " + id));
  CHECK(contains(continued.output, "it does not answer, but runs bully"));
  CHECK(happens([&] { return cluster.place().agree(3); }));
  CHECK(cluster.highest() == stopped);
  CHECK(cluster.kill({"--signal=STOP"}).status == 0);
  CHECK(cluster.kill({id}).status == 0);
  CHECK(happens([&] { return cluster.place().agree(2); }));
}

TEST_CASE("kill_node.sh continues the node that it has stopped, without its id") {
  ScriptedCluster cluster(3);
  const std::string stopped = std::to_string(cluster.highest());
  const Result none = cluster.kill({"--signal=CONT"});
  CHECK(none.status == 1);
  CHECK(contains(none.output, "no node is stopped"));
  CHECK(cluster.kill({"--signal=STOP"}).status == 0);
  CHECK(happens([&] { return cluster.place().agree(2); }));
#ifdef __linux__  // where the kernel tells whose socket it is
  const Result continued = cluster.kill({"--signal=CONT"});
  CHECK(continued.status == 0);
  CHECK(contains(continued.output, "SIGCONT to " + stopped + " (PID " + stopped +
                                       "): the stopped one; it does not answer"));
  CHECK(happens([&] { return cluster.place().agree(3); }));
  CHECK(happens([&] {
    return contains(cluster.run().output(), stopped + "  !  was stopped, goes on, and starts over");
  }));
#endif
}

TEST_CASE("kill_node.sh writes into the trace what it did to a node, and nothing of SIGTERM") {
  const Scratch scratch;
  const std::string trace = scratch.path() + "/trace";
  ScriptedCluster cluster(3, {"--ids", "--trace=" + trace});
  const auto peers = cluster.place().live();
  REQUIRE(peers.size() == 3);
  const std::int64_t pid = peers.back().pid;
  CHECK(cluster.kill({"--signal=STOP", "--trace", trace}).status == 0);
  CHECK(happens([&] { return cluster.place().agree(2); }));
  const Words by_environment = {"BULLY_TRACE=" + trace};
  CHECK(run(cluster.place(), kill_node + Words{"3", "--signal=CONT"}, by_environment).status == 0);
  CHECK(happens([&] { return cluster.place().agree(3); }));
  CHECK(run(cluster.place(), kill_node + Words{"3"}, by_environment).status == 0);
  CHECK(happens([&] { return cluster.place().agree(2); }));
  CHECK(cluster.kill({"1", "--signal=TERM", "--trace=" + trace}).status == 0);
  CHECK(happens([&] { return cluster.place().agree(1); }));

  std::vector<TraceEvent> done;  // to 3
  TraceEvent last = TraceEvent::start;
  for (const auto& [i, record] : read_traces({trace}).records) {
    if (record.node == 3) last = record.event;
    if (!is_act_on(record)) continue;
    CHECK(record.node == 3);
    CHECK(record.pid == pid);
    done.push_back(record.event);
  }
  // A node that goes on says so as well.
  done.erase(std::unique(done.begin(), done.end()), done.end());
  CHECK(done == std::vector{TraceEvent::pause, TraceEvent::resume, TraceEvent::crash});
  CHECK(last == TraceEvent::crash);
}

TEST_CASE("kill_node.sh signals nobody if it cannot write the trace") {
  ScriptedCluster cluster(2);
  const std::string trace = cluster.place().path() / "none/trace";
  for (const char* target : {"--all", "--lowest"}) {
    const Result result = cluster.kill({target, "--trace=" + trace});
    CAPTURE(result.output);
    CHECK(result.status == 1);
    CHECK(contains(result.output, "open " + trace));
    CHECK(contains(result.output, "choose a writable file"));
    CHECK(!contains(result.output, "SIGKILL"));
  }
  CHECK(cluster.place().agree(2));
}

TEST_CASE("a node that came back under its id is signalled by its PID of now") {
  const Place place;
  Command node(place, {"./bully", "7"});
  REQUIRE(happens([&] { return place.agree(1); }));
  const Result wrong = run(place, kill_node + Words{std::to_string(node.pid())});
  CHECK(wrong.status == 1);
  CHECK(contains(wrong.output, "is the PID of node 7"));
  const Result right = run(place, kill_node + Words{"7"});
  CHECK(right.output ==
        "SIGKILL to 7 (PID " + std::to_string(node.pid()) + "): the one you named\n");
  CHECK(node.exit_status() == 128 + SIGKILL);
}

TEST_CASE("a process that listens there but has not identified itself as a node needs --force") {
  ScriptedCluster cluster(1);
  Bystander stranger(cluster.place().nodes() + "/77");
  const Result refused = cluster.kill({"77"});
  CHECK(refused.status == 1);
  CHECK(contains(refused.output, "77 listens, but has not identified itself as a node of bully"));
  CHECK(contains(refused.output, "--force"));
  const Result all = cluster.kill({"--all", "--signal=CONT"});
  CHECK(all.status == 1);  // not all
  CHECK(contains(all.output, "SIGCONT to " + std::to_string(cluster.highest())));
  CHECK(!contains(cluster.kill({"--lowest", "--signal=CONT"}).output, "SIGCONT to 77"));
  CHECK(stranger.is_alive());
#ifdef __linux__  // where the kernel tells whose socket it is
  const Result forced = cluster.kill({"77", "--force"});
  CAPTURE(forced.output);
  CHECK(forced.status == 0);
  CHECK(contains(forced.output, "SIGKILL to 77 (PID " + std::to_string(stranger.pid()) + ")"));
  CHECK(happens([&] { return !stranger.is_alive(); }));
#endif
}

#ifdef __linux__
TEST_CASE(
    "where nobody tells who listens, --force takes the name for a PID only if that holds it") {
  const Place place;
  Bystander bystander;
  // With a full backlog one cannot ask the kernel whose it is.
  const std::string theirs = place.nodes() + "/" + std::to_string(bystander.pid());
  Bystander other(theirs);
  const std::string own = std::to_string(other.pid());
  fs::rename(theirs, place.nodes() + "/" + own);
  const Queue full(place.nodes() + "/" + own);
  // It is bound as the bystander's, and held by another.
  const Result wrong = run(place, kill_node + Words{own, "--force"});
  CAPTURE(wrong.output);
  CHECK(wrong.status == 1);
  CHECK(contains(wrong.output, "the system does not say which process that is"));
  CHECK(other.is_alive());
  CHECK(bystander.is_alive());

  Bystander honest(place.nodes() + "/");
  const std::string name = std::to_string(honest.pid());
  const Queue also_full(place.nodes() + "/" + name);
  CHECK(run(place, kill_node + Words{name}).status == 1);
  CHECK(honest.is_alive());
  CHECK(run(place, kill_node + Words{name, "--force"}).status == 0);
  CHECK(happens([&] { return !honest.is_alive(); }));
}
#endif

TEST_CASE("a PID is not signalled because a dead process's name is the same, not even by force") {
  const Place place;
  Bystander bystander;
  const std::string name = std::to_string(bystander.pid());
  leave_name(place, name);
  for (const Words& options : {Words{name}, Words{name, "--force"}, Words{"--all", "--force"},
                               Words{"--lowest", "--force"}, Words{"--force"}}) {
    const Result result = run(place, kill_node + options);
    CAPTURE(result.output);
    CHECK(result.status == 1);
    CHECK(!contains(result.output, "SIG"));
  }
  CHECK(contains(run(place, kill_node + Words{name}).output, name + " is gone already"));
  CHECK(bystander.is_alive());
}

TEST_CASE("kill_node.sh says when there is nobody to signal") {
  const Place place;
  CHECK(contains(run(place, kill_node).output, "there is no node in " + place.nodes()));
  CHECK(run(place, kill_node).status == 1);
  CHECK(run(place, kill_node + Words{"--dir=/nonexistent/d"}).status == 1);
  Command node(place, {"./bully"});
  REQUIRE(happens([&] { return place.agree(1); }));
  const Result unknown = run(place, kill_node + Words{"1"});
  CHECK(unknown.status == 1);
  CHECK(contains(unknown.output, "there is no node 1 in "));
  node.signal(SIGTERM);
  CHECK(node.exit_status() == 0);
}

TEST_CASE("without a coordinator, kill_node.sh kills nobody") {
  const Place place;
  // It is answered by one that will never be coordinator; so it waits, for an hour.
  Command node(place, {"./bully", "5", "--answer-timeout=3600s"});
  REQUIRE(happens([&] { return place.agree(1); }));
  Bystander higher(place.nodes() + "/9");
  node.signal(SIGSTOP);
  node.signal(SIGCONT);  // it holds an election
  REQUIRE(happens([&] { return !place.agree(1); }));
  const Result result = run(place, kill_node);
  CHECK(result.status == 1);
  CHECK(contains(result.output, "there is no coordinator right now"));
  CHECK(!node.has_ended());
  node.signal(SIGTERM);
  CHECK(node.exit_status() == 0);
}

TEST_CASE("a wrong command line for kill_node.sh is refused, and signals nobody") {
  struct Case {
    Words options;
    std::string complaint;
  };
  const std::vector<Case> cases = {
      {{"abc"}, "'abc' is not the id of a node"},
      {{"-5"}, "unknown option -5"},
      {{""}, "'' is not the id of a node"},
      {{"1", "2"}, "only one: '2' as well as '1'?"},
      {{"--lowest", "--all"}, "only one"},
      {{"--signal=HUP"}, "--signal must be KILL, TERM, STOP or CONT, not 'HUP'"},
      {{"--signal"}, "option --signal needs a value"},
      {{"--signal="}, "--signal must be KILL, TERM, STOP or CONT, not ''"},
      {{"--dir="}, "option --dir needs a value"},
      {{"--lang=fr"}, "--lang must be en or pt-BR, not 'fr'"},
      {{"--bogus", "--lang=pt-BR"}, "opção desconhecida --bogus"},
  };
  ScriptedCluster cluster(1);
  for (const Case& given : cases) {
    const Result result = cluster.kill(given.options);
    CAPTURE(result.output);
    CHECK(result.status == 2);
    CHECK(contains(result.output, given.complaint));
  }
  CHECK(cluster.place().agree(1));
}
