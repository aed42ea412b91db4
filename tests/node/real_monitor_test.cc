// real_monitor_test.cc: the monitor of a real node, killed, stopped, and left behind by its parent.
#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <new>
#include <set>

#include "fixture/stranger.h"
#include "node/beyond_posix.h"
#include "node/links.h"
#include "node/monitor.h"
#include "node/system.h"
#include "support/messages.h"
#include "support/sinks.h"

namespace bully {
namespace {

bool is_stopped(pid_t pid) {
  const auto state = process_state(pid);
  return state && state->letter == 'T';
}

// The sockets that a process has open, by their numbers in the kernel.
std::set<std::string> sockets_of(pid_t pid) {
  std::set<std::string> sockets;
  std::error_code error;
  for (const auto& open :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd", error)) {
    const std::string target = std::filesystem::read_symlink(open.path(), error).string();
    if (target.starts_with("socket:")) sockets.insert(target);
  }
  return sockets;
}

// It has closed what it inherited from its parent: until then it holds the parent's sockets open.
bool has_let_go(pid_t monitor, pid_t parent) {
  const std::set<std::string> its = sockets_of(monitor);
  const std::set<std::string> parents = sockets_of(parent);
  return std::ranges::none_of(its, [&](const std::string& one) { return parents.contains(one); });
}

// Kills a node's monitor, and waits for another.
pid_t replaced_monitor(const Cluster& cluster, NodeId id) {
  const pid_t first = monitor_of(cluster, id);
  ::kill(first, SIGKILL);
  pid_t now = 0;
  REQUIRE(wait_until([&] {
    now = monitor_of(cluster, id);
    return now != first;
  }));
  return now;
}

TEST_CASE("A killed monitor is replaced, and no zombie remains") {
  RunningCluster cluster(1, 2, quick_pings);
  for (const NodeId id : {1U, 2U}) {
    CAPTURE(id);
    const pid_t monitor = replaced_monitor(cluster, id);
    const auto children = children_of(cluster.pid_of(id));
    REQUIRE(children.size() == 1);
    CHECK(children[0].state != 'Z');
    CHECK(children[0].pid == monitor);
  }
  cluster.kill(2);  // and the new one does its work
  REQUIRE(cluster.agrees_in_time());
}

TEST_CASE("A stopped monitor goes on, and its node is not blind") {
  for (const char* detector : {"--detector=ping", "--detector=eof"}) {
    CAPTURE(detector);
    RunningCluster cluster(1, 3, {"--ping-interval=50ms", detector});
    for (int i = 0; i < 3; ++i) {
      for (const NodeId id : {1U, 2U}) ::kill(monitor_of(cluster, id), SIGSTOP);
    }
    cluster.kill_and_agree(3);
  }
}

// Ctrl-Z, and then `./kill_node.sh ID --signal=CONT`.
TEST_CASE("A node that was stopped with its monitor is continued alone, and is not blind") {
  Cluster cluster({"--ping-interval=50ms", "--ping-timeout=300ms", "--answer-timeout=200ms"});
  cluster.start_job(1);
  cluster.start(2);  // nobody else is there who could tell 1 of its death
  REQUIRE(cluster.agrees_in_time());
  const pid_t monitor = monitor_of(cluster, 1);
  cluster.stop_job(1);
  ::kill(monitor, SIGSTOP);  // on some systems it is in a process group of its own
  REQUIRE(wait_until([&] { return is_stopped(monitor); }));
  cluster.resume(1);
  REQUIRE(cluster.agrees_in_time());
  cluster.kill_and_agree(2);
}

TEST_CASE("Nodes hear their signals though their starter had blocked all") {
  RunningCluster cluster(1, 2, quick_pings, [] {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
  });
  replaced_monitor(cluster, 1);
  CHECK(cluster.end_by(SIGTERM, 2).exit_code == 0);
  CHECK(cluster.agrees_in_time());
  CHECK(cluster.end_by(SIGINT, 1).exit_code == 0);
}

TEST_CASE("A failure in a monitor ends the monitor, and concerns no other process") {
  const Scratch scratch;
  const Registry directory(scratch.path(), true);
  const std::string escaped = scratch.path() + "/escaped";
  Listing peers(directory, "");
  Unread unread;
  const NodeOptions options;
  Monitor monitor({options, default_algorithm(), directory, peers, unread},
                  [] { throw std::bad_alloc(); });
  try {
    monitor.start();
  } catch (const std::bad_alloc&) {  // in the child, as its parent
    std::ofstream(escaped) << '\n';
    _exit(0);
  }
  CHECK(wait_until([&] {
    monitor.reap();
    return monitor.pid() == 0;
  }));
  CHECK(!std::filesystem::exists(escaped));
}

TEST_CASE("A monitor pings the processes ahead in the order of the ring, and not all of them") {
  const Scratch scratch;
  const Registry directory(scratch.path() + "/nodes", true);
  std::map<NodeId, Descriptor> ring;
  for (NodeId id = 1; id <= 40; ++id) ring[id] = listen_at(directory.socket_path(id));
  const std::string file = scratch.path() + "/ring";
  for (NodeId id = 40; id > 0; --id) std::ofstream(file, std::ios::app) << id << '\n';
  Listing peers(directory, file);
  Unread unread;
  NodeOptions options;
  options.id = 40;
  options.ring = file;
  Monitor monitor({options, algorithm_named("chang-roberts"), directory, peers, unread}, [] {});
  monitor.start();
  monitor.watch({39, false});
  CHECK(wait_until([&] { return bool(accept_from(ring[8])); }));
  for (NodeId id = 9; id < 40; ++id) CHECK(accept_from(ring[id]));
  for (NodeId id = 1; id < 8; ++id) CHECK(!accept_from(ring[id]));
}

TEST_CASE("A stopped monitor does not outlive its node") {
  RunningCluster cluster(1, 2, quick_pings);
  for (const NodeId id : {1U, 2U}) {
    const pid_t monitor = monitor_of(cluster, id);
    cluster.stop(id);  // it cannot see that its monitor stops
    ::kill(monitor, SIGSTOP);
    REQUIRE(wait_until([&] { return is_stopped(monitor); }));
    cluster.kill(id);
    CHECK(wait_until([&] { return !is_running(monitor); }));
  }
}

TEST_CASE("The monitor holds nothing that hides its parent's death") {
  if (!std::filesystem::exists("/proc/self/fd")) return;
  RunningCluster cluster(6, 7, {"--ping-interval=50ms", "--detector=eof"});
  // It is forked while its parent has connections open: that of 6's monitor, and a silent one.
  const Descriptor silent = connect_in_time(cluster, 7);
  const pid_t parent = cluster.pid_of(7);
  REQUIRE(wait_until([&] { return sockets_of(parent).size() >= 3; }));
  const pid_t second = replaced_monitor(cluster, 7);
  CHECK(wait_until([&] { return has_let_go(second, parent); }));
}

// Else its death would be known only after all these have been closed, and everybody whom that
// wakes may have the processor first.
TEST_CASE("A dying node refuses connections before those that it holds end") {
  for (int run = 0; run < 10; ++run) {
    RunningCluster cluster(1);
    std::vector<Descriptor> held;
    for (int i = 0; i < 300; ++i) {
      held.push_back(connect_in_time(cluster, 1));
      send_question(held.back(), encode(wire_message(messages::held_ping, 7, {}, 1)));
    }
    std::vector<pollfd> polled;
    for (const Descriptor& connection : held) {
      polled.push_back({connection.get(), POLLIN, 0});
      char reply[max_message_bytes];
      REQUIRE(wait_until([&] { return recv(connection.get(), reply, sizeof reply, 0) > 0; }));
    }
    REQUIRE(cluster.status_of(1));  // it has held them all
    const pid_t parent = cluster.pid_of(1);
    // On a busy machine a monitor may get a processor only now, and have the listener till then.
    REQUIRE(wait_until([&] { return has_let_go(monitor_of(cluster, 1), parent); }));
    REQUIRE(poll(polled.data(), static_cast<nfds_t>(polled.size()), 0) == 0);
    ::kill(parent, SIGKILL);
    while (poll(polled.data(), static_cast<nfds_t>(polled.size()), -1) <= 0) {
    }
    CHECK(connect_to(cluster.socket_path(1)).reach == Reach::gone);
    cluster.kill(1);
  }
}

}  // namespace
}  // namespace bully
