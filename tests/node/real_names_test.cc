// real_names_test.cc: names without a node behind them, of the dead and of what never was a node,
// neither hold up an election nor lengthen a wait.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "fixture/cluster.h"
#include "node/registry.h"
#include "support/fake.h"
#include "support/names.h"

namespace bully {
namespace {

constexpr NodeId first_dead = 1001;

void leave_dead_names(const Cluster& cluster, NodeId count) {
  mkdir(cluster.directory().c_str(), S_IRWXU);
  for (NodeId id = first_dead; id < first_dead + count; ++id) {
    leave_dead_name(cluster.socket_path(id));
  }
}

// When `node` recorded such an event for the last time, from line `first` on.
std::int64_t last_ns(const std::vector<TraceLine>& trace, NodeId node, std::string_view event,
                     std::size_t first) {
  std::int64_t at_ns = 0;
  for (std::size_t i = first; i < trace.size(); ++i) {
    if (trace[i].node == node && trace[i].event == event) at_ns = trace[i].t_ns;
  }
  return at_ns;
}

TEST_CASE("Names of the dead lengthen no wait") {
  RunningCluster cluster(
      1, 3, {"--ping-interval=50ms", "--ping-timeout=200ms", "--answer-timeout=200ms"});
  constexpr std::size_t dead = 1000;
  leave_dead_names(cluster, dead);
  const std::size_t before = cluster.trace().size();
  const std::int64_t stopped_ns = monotonic_now().count();
  cluster.stop(3);
  // Two waits: until 3 is called hung, and until it has not answered. Each of the dead, if it were
  // counted, would lengthen the second one: to so many that no busy machine takes as long.
  const Duration lengthened = crowd_time(dead);
  REQUIRE(wait_until([&] { return cluster.trace_follows(2); }, lengthened));
  const std::int64_t took_ns = last_ns(cluster.trace(), 1, "coordinator", before) - stopped_ns;
  CHECK(Duration(took_ns) < lengthened);
  cluster.resume(3);
  CHECK(cluster.agrees_in_time());
}

TEST_CASE("A coordinator sees a process just above it, behind any number of dead names") {
  RunningCluster cluster(1, {"--ping-interval=50ms"});
  leave_dead_names(cluster, 100);
  Fake above(cluster.directory(), 2, {.status = Lies::Reply::close});
  CHECK(wait_until([&] { return above.pings() > 0; }));
  above.kill();
}

TEST_CASE(
    "What is no node among dead names, a file or another type of socket, holds up nothing, and "
    "stays") {
  Cluster cluster;
  leave_dead_names(cluster, 1000);
  const NodeId other = first_dead + 500;
  REQUIRE(unlink(cluster.socket_path(other).c_str()) == 0);
  const Descriptor datagram = bind_at(cluster.socket_path(other), SOCK_DGRAM);
  const std::vector<std::string> files = {"notes.txt", "12", "007", "-3",
                                          "99999999999999999999999"};
  for (const std::string& name : files) {
    REQUIRE(std::ofstream(cluster.directory() + '/' + name).good());
  }
  // No process can have this id.
  const Descriptor beyond = bind_at(cluster.socket_path(highest_id + 1), SOCK_STREAM);
  cluster.start_and_agree(1, 3);
  // Whoever was asked in vain is swept; and then three nodes are left, and what is no node.
  CHECK(wait_until([&] { return cluster.name_count() == 5 + files.size(); }));
  CHECK(cluster.has_name(other));
  CHECK(cluster.agrees());
  for (const std::string& name : files) {
    CHECK(std::filesystem::is_regular_file(cluster.directory() + '/' + name));
  }
  CHECK(std::filesystem::is_socket(cluster.socket_path(highest_id + 1)));
  for (const NodeId id : {other, highest_id + 1}) unlink(cluster.socket_path(id).c_str());
}

// What two nodes on a ring use of the processor, of whom the higher dies with so many dead names
// between them.
double cpu_among_dead_names(NodeId count) {
  const double before = seconds_of_processor(RUSAGE_CHILDREN);
  Cluster cluster({"--algorithm=dolev-klawe-rodeh"});
  cluster.start(1);
  cluster.start_and_agree(first_dead + count);
  leave_dead_names(cluster, count);
  cluster.kill(first_dead + count);
  REQUIRE(wait_until([&] { return cluster.trace_follows(1); }, 6 * patience));
  cluster.end_all();
  return seconds_of_processor(RUSAGE_CHILDREN) - before;
}

TEST_CASE("To pass over eight times as many dead names on a ring does not take 64 times as long") {
  const double few = cpu_among_dead_names(200);
  const double many = cpu_among_dead_names(1600);
  CHECK(many < 20 * few);
}

TEST_CASE("A process that leaves removes all dead names, though another has the lock for a while") {
  const Scratch scratch;
  Registry directory(scratch.path(), true);
  for (NodeId id = 1; id <= 3; ++id) leave_dead_name(directory.socket_path(id));
  const Descriptor lock(open(scratch.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(flock(lock.get(), LOCK_EX | LOCK_NB) == 0);
  auto swept = std::async(std::launch::async, [&] { directory.sweep_up_to_a_live_one(); });
  // The time for which it would wait for one name.
  CHECK(swept.wait_for(std::chrono::milliseconds(300)) == std::future_status::timeout);
  REQUIRE(flock(lock.get(), LOCK_UN) == 0);
  swept.get();
  CHECK(Directory(scratch.path(), false).ids().empty());
}

}  // namespace
}  // namespace bully
