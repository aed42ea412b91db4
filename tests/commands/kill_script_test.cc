// kill_script_test.cc: `./kill_node.sh`, and so `bully kill`, run as a user runs it. Run from the
// top level.
#include <doctest/doctest.h>

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/layout.h"
#include "fixture/bystander.h"
#include "fixture/scripts.h"
#include "node/system.h"
#include "support/names.h"
#include "support/process.h"
#include "support/skip.h"

using namespace bully;
namespace fs = std::filesystem;

namespace {

void check_refused(const Result& result, std::initializer_list<std::string_view> parts) {
  check_said(result, 1, parts);
  CHECK(!contains(result.output, "SIG"));
}

}  // namespace

TEST_CASE("kill_node.sh --all signals each process, and names it") {
  ScriptedCluster cluster(2);
  std::string expected;
  for (const NodeId id : {cluster.lowest(), cluster.highest()}) {
    expected +=
        "SIGKILL to " + std::to_string(id) + " (PID " + std::to_string(id) + "): all processes\n";
  }
  // Then may come the names that were left, unless the cluster's own end has removed them.
  CHECK(output_of(cluster.place(), kill_node + Words{"--all"}).starts_with(expected));
  CHECK(happens([&] { return cluster.place().has_no_socket(); }));
  CHECK(happens([&] { return cluster.place().live().empty(); }));
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

  check_acts(trace, 3, pid);
}

#ifdef __linux__
TEST_CASE("a foreign listener named 77 is refused, stopped or not, and though it is called bully") {
  const Place place;
  Command node(place, {"./bully", "9"});
  REQUIRE(happens([&] { return place.agree(1); }));
  std::array<char, 16> name{};
  REQUIRE(prctl(PR_GET_NAME, name.data()) == 0);
  prctl(PR_SET_NAME, "bully");
  Bystander stranger(place.nodes() + "/77");
  prctl(PR_SET_NAME, name.data());
  for (const bool stop : {false, true}) {
    CAPTURE(stop);
    if (stop) {
      stranger.signal(SIGSTOP);
      REQUIRE(stranger.is_stopped_in_time());
    }
    for (const Words& words : {Words{"77"}, Words{"77", "--signal=CONT"}, Words{"--signal=CONT"}}) {
      check_refused(run(place, kill_node + words), {});
    }
    check_said(run(place, kill_node + Words{"9", "--signal=CONT"}), 1, {"9 is not stopped"});
    check_said(run(place, kill_node + Words{"--all", "--signal=STOP"}), 1, {"SIGSTOP to 9"});
    check_said(run(place, kill_node + Words{"--all", "--signal=CONT"}), 1, {"SIGCONT to 9"});
    CHECK(!contains(run(place, kill_node + Words{"--lowest", "--signal=CONT"}).output, "to 77"));
  }
  const auto children = children_of(getpid());
  CHECK(std::ranges::any_of(children, [&](const ProcessEntry& child) {
    return child.pid == stranger.pid() && child.state == 'T';
  }));
  stranger.signal(SIGCONT);
  CHECK(stranger.is_alive());
}

TEST_CASE(
    "a program of ours that listens for a node, but is none, is refused while it is stopped") {
  const Place place;
  const std::string script = place.path() / "script";
  std::ofstream(script) << "nodes 1..2\nrun 300s\n";
  Command scenario(place, {"./bully", "scenario", script, "--real"});
  // In the directory of its nodes, all names are stand-ins of the scenario's. One gets another name
  // where no node is known to be behind it.
  fs::path links;
  REQUIRE(happens([&] {
    for (const auto& entry : fs::recursive_directory_iterator(place.temporary())) {
      const fs::path& path = entry.path();
      if (path.filename() == "2" && path.parent_path().filename() == "nodes") {
        links = path.parent_path();
      }
    }
    return !links.empty() && contains(scenario.output(), "run 300s");
  }));
  const std::string elsewhere = place.path() / "elsewhere";
  REQUIRE(mkdir(elsewhere.c_str(), 0700) == 0);
  fs::create_hard_link(links / "2", elsewhere + "/2");
  scenario.signal(SIGSTOP);
  REQUIRE(scenario.is_stopped_in_time());
  for (const char* signal : {"--signal=CONT", "--signal=KILL"}) {
    check_said(run(place, kill_node + Words{"2", signal, "--dir=" + elsewhere}), 1,
               {"2 listens, but has not identified itself as a node of bully"});
  }
  CHECK(!scenario.has_ended());
  scenario.signal(SIGCONT);
  CHECK(scenario.end_by(SIGTERM) == 128 + SIGTERM);
}

TEST_CASE("a process whose backlog is full is refused, and it is said what to do") {
  if (lacks_descriptors(full_backlog)) return;
  const Place place;
  Bystander listener(place.nodes() + "/");
  const std::string name = std::to_string(listener.pid());
  const auto waiting = fill_backlog(place.nodes() + "/" + name);
  check_said(run(place, kill_node + Words{name}), 1,
             {"the system does not identify its process", "signal it yourself, with kill"});
  CHECK(listener.is_alive());
}
#endif

TEST_CASE("a PID is not signalled because a dead process's name is the same") {
  const Place place;
  Bystander bystander;
  const std::string name = std::to_string(bystander.pid());
  leave_dead_name(place.nodes() + "/" + name);
  for (const Words& options : {Words{name}, Words{"--lowest"}, Words{}}) {
    check_refused(run(place, kill_node + options), {});
  }
  CHECK(contains(run(place, kill_node + Words{name}).output, name + " is gone"));
  // That removes the name alone.
  check_said(run(place, kill_node + Words{"--all"}), 0, {"the names of dead nodes: " + name});
  CHECK(bystander.is_alive());
}

TEST_CASE("a process is stopped once, however often it gets SIGSTOP") {
  const Place place;
  Command node(place, {"./bully", "5"});
  REQUIRE(happens([&] { return place.agree(1); }));
  const std::string acts = place.path() / "acts.jsonl";
  for (int i = 0; i < 2; ++i) {
    check_said(run(place, kill_node + Words{"5", "--signal=STOP", "--trace=" + acts}), 0, {});
  }
  CHECK(lines_in(contents(acts)).size() == 1);
  node.signal(SIGCONT);
  CHECK(node.end_by(SIGTERM) == 0);
}

TEST_CASE("without a coordinator, kill_node.sh kills no process") {
  const Place place;
  // It is answered by one that will never be coordinator; so it waits, for an hour.
  Command node(place, {"./bully", "5", "--answer-timeout=3600s"});
  REQUIRE(happens([&] { return place.agree(1); }));
  Bystander higher(place.nodes() + "/9");
  node.signal(SIGSTOP);
  node.signal(SIGCONT);  // it holds an election
  REQUIRE(happens([&] { return !place.agree(1); }));
  check_said(run(place, kill_node), 1, {"there is no coordinator right now"});
  CHECK(!node.has_ended());
  CHECK(node.end_by(SIGTERM) == 0);
}
