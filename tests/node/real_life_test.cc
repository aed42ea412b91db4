// real_life_test.cc: how real nodes come and go: names in the directory, monitors, orphans and
// zombies.
#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "fixture/cluster.h"
#include "node/beyond_posix.h"
#include "node/system.h"
#include "trace/trace.h"

namespace bully {
namespace {

TEST_CASE("Nodes with slow messages suspect no process that is there") {
  // A reply to a ping is as late as the machine is busy, and is no matter of pace.
  Cluster cluster({"--pace=300ms", "--ping-interval=50ms", "--ping-timeout=3600s"});
  // One after the other: else old news comes last, and is rightly doubted.
  for (NodeId id = 1; id <= 4; ++id) cluster.start_and_agree(id);
  std::map<NodeId, std::int64_t> last_sent_ns;
  for (const TraceLine& line : cluster.trace()) {
    CAPTURE(line.node);
    CAPTURE(line.reason);
    CHECK(line.event != "suspect");
    if (line.event != "send") continue;
    // Each leaves by itself, and is recorded when it does.
    std::int64_t& last = last_sent_ns[line.node];
    CHECK(line.t_ns - last >= 300'000'000);
    last = line.t_ns;
  }
}

TEST_CASE("A node records each wait, with the longest time that it may last") {
  Cluster cluster({"--answer-timeout=700ms", "--coordinator-timeout=2s"});
  cluster.start_and_agree(1, 3);
  cluster.stop(3);  // and so it cannot answer
  kill(cluster.pid_of(1), SIGUSR2);
  const auto times_out = [&] { return cluster.count("timeout") > 0; };
  REQUIRE(wait_until(times_out));
  std::map<NodeId, Record> answer;  // the latest wait for one
  const Trace trace = read_traces({cluster.scratch("trace")});
  for (const Record& record : trace.records) {
    if (record.event == TraceEvent::wait) {
      REQUIRE(record.longest_ns);
      CHECK(record.n > 0);
      // All of this cluster; a crowd takes longer.
      const std::int64_t more_ns = crowd_time(3).count();
      const bool is_answer = record.timer == timer_name(Timer::answer);
      const std::int64_t least_ns = is_answer ? 700'000'000 : 2'500'000'000;
      CHECK(*record.longest_ns >= least_ns);
      if (is_answer) CHECK(*record.longest_ns <= least_ns + more_ns);
      if (is_answer) answer[record.node] = record;
    } else if (record.event == TraceEvent::timeout) {
      CHECK(record.t_ns - answer.at(record.node).t_ns >= 690'000'000);
    }
  }
  CHECK(!answer.empty());
}

TEST_CASE("Of many that start under one id at once, one runs") {
  Cluster cluster;
  cluster.start(7);
  std::vector<Child> others;
  for (int i = 0; i < 8; ++i) {
    others.emplace_back(Program{.arguments = {"--dir=" + cluster.directory(), "7"}});
  }
  const auto runs = [](const Child& other) { return is_running(other.pid()); };
  REQUIRE(wait_until([&] {
    const auto others_running = std::ranges::count_if(others, runs);
    return others_running == (is_running(cluster.pid_of(7)) ? 0 : 1);
  }));
  CHECK(cluster.name_count() == 1);
}

TEST_CASE("SIGTERM and SIGINT leave no socket and no monitor") {
  for (const int signal : {SIGTERM, SIGINT}) {
    CAPTURE(signal);
    RunningCluster cluster(1, 3);
    for (const NodeId id : {3U, 1U, 2U}) {
      const pid_t monitor = monitor_of(cluster, id);
      REQUIRE(is_running(monitor));
      CHECK(cluster.end_by(signal, id).exit_code == 0);
      CHECK(!is_running(monitor));
      CHECK(!cluster.has_name(id));
      if (!cluster.live().empty()) REQUIRE(cluster.agrees_in_time());
    }
    CHECK(cluster.name_count() == 0);
  }
}

// False if the machine was too slow: the node's wait for an ANSWER was over before it was stopped.
bool leaves_at_once(std::chrono::milliseconds answer_timeout) {
  Cluster cluster({"--answer-timeout=" + std::to_string(answer_timeout.count()) + "ms", "--quiet"});
  REQUIRE(mkdir(cluster.directory().c_str(), 0700) == 0);
  const Descriptor silent = listen_at(cluster.socket_path(9));  // answers nothing
  const NodeId id = cluster.start(5);
  const auto has_event = [&](std::string_view event, std::string_view type) {
    const auto is_it = [&](const TraceLine& line) {
      return line.event == event && line.type == type;
    };
    return cluster.count(is_it) > 0;
  };
  REQUIRE(wait_until([&] { return has_event("send", "E"); }));
  cluster.stop(id);
  if (has_event("timeout", "")) return false;
  const Connection late = connect_to(cluster.socket_path(id));
  REQUIRE(send_once(late.descriptor, "E;3"));
  ::kill(cluster.pid_of(id), SIGTERM);
  const Time over = monotonic_now() + 2 * answer_timeout;
  REQUIRE(wait_until([&] { return monotonic_now() > over; }));
  CHECK(cluster.end_by(SIGCONT, id).exit_code == 0);
  CHECK(!has_event("timeout", ""));
  CHECK(!has_event("receive", "E"));
  CHECK(!has_event("send", "C"));
  return true;
}

TEST_CASE("A node that was asked to leave does nothing else, whatever has come meanwhile") {
  std::chrono::milliseconds answer_timeout(100);
  while (!leaves_at_once(answer_timeout)) answer_timeout *= 2;
}

TEST_CASE("A name whose process dies while it is asked is taken over") {
  Cluster cluster;
  REQUIRE(mkdir(cluster.directory().c_str(), 0700) == 0);
  const std::string path = cluster.socket_path(7);
  // As when a node is killed and its monitor has not yet let go of what it inherited.
  Child dying([&] {
    const Descriptor listener = listen_at(path);
    pollfd asked{listener.get(), POLLIN, 0};
    poll(&asked, 1, 10'000);
  });
  REQUIRE(wait_until([&] { return cluster.has_name(7); }));
  cluster.start(7);
  dying.end();
  CHECK(cluster.agrees_in_time());
}

TEST_CASE("A killed process's name is taken over, however late its monitor lets go of the socket") {
  Cluster cluster;
  REQUIRE(mkdir(cluster.directory().c_str(), 0700) == 0);
  const std::string path = cluster.socket_path(7);
  Child parent([&] {
    const Descriptor listener = listen_at(path);
    if (fork() == 0) {  // lets go when it has got a second ping
      alarm(10);
      std::vector<Descriptor> callers;
      for (int pings = 0; pings < 2;) {
        pollfd polled{listener.get(), POLLIN, 0};
        poll(&polled, 1, -1);
        callers.push_back(accepted_from(listener.get()));
        polled.fd = callers.back().get();
        std::string bytes;
        if (poll(&polled, 1, -1) == 1) read_some(callers.back(), bytes);
        const auto message = decode(bytes);
        if (message && message->type == messages::ping) ++pings;
      }
      _exit(0);
    }
    pause();
  });
  REQUIRE(wait_until([&] { return connect_to(path).reach == Reach::reached; }));
  parent.kill();
  cluster.start(7);
  CHECK(cluster.agrees_in_time());
}

TEST_CASE("kill --all has nothing to do where a child alone has the socket of a killed process") {
  Cluster cluster;
  REQUIRE(mkdir(cluster.directory().c_str(), 0700) == 0);
  const std::string path = cluster.socket_path(7);
  Child parent([&] {
    const Descriptor listener = listen_at(path);
    if (fork() == 0) {  // lets go when somebody has asked
      alarm(10);
      pollfd asked{listener.get(), POLLIN, 0};
      poll(&asked, 1, -1);
      const Descriptor caller = accepted_from(listener.get());
      asked = {caller.get(), 0, 0};
      poll(&asked, 1, -1);  // until it has hung up
      _exit(0);
    }
    pause();
  });
  REQUIRE(wait_until([&] { return cluster.has_name(7); }));
  parent.kill();
  const Finished killed = run_bully({"kill", "--all", "--dir=" + cluster.directory()});
  CHECK(killed.outcome.exit_code == 0);
  CHECK(contains(killed.output, "the names of dead nodes: 7"));
}

TEST_CASE("The last process to leave leaves nothing, not even of one that was killed just born") {
  RunningCluster cluster(1, 8);
  cluster.kill(4);
  cluster.start(9);
  REQUIRE(wait_until([&] { return cluster.has_name(9); }));
  cluster.kill(9);
  // Its monitor lets go of what it inherited a moment later.
  REQUIRE(wait_until([&] { return connect_to(cluster.socket_path(9)).reach == Reach::gone; }));
  cluster.end_all();  // all at once
  CHECK(cluster.name_count() == 0);
}

TEST_CASE("The directory is removed under live nodes, or removed and made again") {
  for (const bool make : {false, true}) {
    CAPTURE(make);
    RunningCluster cluster(1, 3, quick_pings);
    std::filesystem::rename(cluster.directory(), cluster.scratch("old"));
    if (make) REQUIRE(mkdir(cluster.directory().c_str(), 0700) == 0);
    REQUIRE(cluster.agrees_in_time());
    CHECK(cluster.name_count() == 3);
  }
}

TEST_CASE("A node whose name was removed acts by its rules when it is reachable again") {
  for (const std::string algorithm : {"bully", "chang-roberts", "garcia-molina"}) {
    CAPTURE(algorithm);
    RunningCluster cluster(1, 3, quick_pings + Arguments{"--algorithm=" + algorithm});
    REQUIRE(unlink(cluster.socket_path(2).c_str()) == 0);
    CHECK(wait_until(
        [&] { return contains(contents(cluster.scratch("log")), "it is published again"); }));
    CHECK(cluster.agrees_in_time());
    cluster.end_all();
    const std::string verdict = run_bully({"check", cluster.scratch("trace"), "--lang=en"}).output;
    CHECK_MESSAGE(verdict.starts_with("RIGHT"), verdict);
  }
}

}  // namespace
}  // namespace bully
