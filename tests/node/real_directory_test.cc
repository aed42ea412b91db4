// real_directory_test.cc: the directory wherever a user can put it, starts that are killed at any
// moment, and what nodes leave of each other there.
#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "fixture/stranger.h"
#include "node/beyond_posix.h"
#include "node/peer_process.h"
#include "node/registry.h"
#include "node/system.h"
#include "support/private_mount.h"
#include "support/skip.h"

namespace bully {
namespace {

namespace fs = std::filesystem;

std::ptrdiff_t entry_count(const std::string& directory) {
  return std::distance(fs::directory_iterator(directory), {});
}

// Nodes agree, one takes over a dead one's name, and whoever leaves last leaves nothing.
void check_election_at(Cluster& cluster) {
  check_loss_and_return(cluster);
  cluster.end_all();
  CHECK(entry_count(cluster.directory()) == 0);
}

#ifdef __linux__
TEST_CASE("A mount point serves as directory, of another file system or of the same") {
  for (const bool bind : {false, true}) {
    CAPTURE(bind);
    Cluster cluster(quick_waits);
    REQUIRE(mkdir(cluster.directory().c_str(), 0700) == 0);
    const std::string volume = cluster.scratch("volume");
    REQUIRE(mkdir(volume.c_str(), 0700) == 0);
    {
      const PrivateMount mounted(volume, cluster.directory(), bind);
      if (!mounted) {
        skip("no right to mount");
        return;
      }
      REQUIRE(chmod(cluster.directory().c_str(), 0700) == 0);
      check_election_at(cluster);
    }
    CHECK(entry_count(cluster.scratch("")) <= 4);  // nodes, volume, log, trace
  }
}
#endif

TEST_CASE(
    "A link to another file system serves as directory, and a socket is still published whole") {
  struct stat memory {};
  struct stat scratch {};
  Cluster cluster(quick_waits);
  REQUIRE(stat(cluster.scratch("").c_str(), &scratch) == 0);
  if (stat("/dev/shm", &memory) != 0 || access("/dev/shm", W_OK) != 0 ||
      memory.st_dev == scratch.st_dev) {
    skip("no other file system to write to");
    return;
  }
  std::string elsewhere = "/dev/shm/bully-test.XXXXXX";
  REQUIRE(mkdtemp(elsewhere.data()) != nullptr);
  REQUIRE(symlink(elsewhere.c_str(), cluster.directory().c_str()) == 0);
  check_election_at(cluster);
  fs::remove_all(elsewhere);
}

TEST_CASE("One's own directory serves where its parent cannot be written") {
  if (lacks_root()) return;
  const Scratch scratch;
  const std::string nodes = scratch.path() + "/nodes";
  REQUIRE(mkdir(nodes.c_str(), 0700) == 0);
  REQUIRE(chown(nodes.c_str(), nobody_uid, nobody_uid) == 0);
  Child node({.arguments = {"--dir=" + nodes, "7"},
              .binary = binary_for_anyone(scratch.path()),
              .errors = scratch.path() + "/errors",
              .in_child = become_nobody});
  CHECK(wait_until([&] { return connect_to(nodes + "/7").reach == Reach::reached; }));
  CHECK(node.end_by(SIGTERM).exit_code == 0);
  CHECK(contents(scratch.path() + "/errors").empty());
  CHECK(entry_count(nodes) == 0);
}

#ifdef __linux__
// What the kernel tells of a directory: each name that appears in it, however shortly.
class Appearances {
 public:
  explicit Appearances(const std::string& directory)
      : events_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    REQUIRE(inotify_add_watch(events_.get(), directory.c_str(), IN_CREATE | IN_MOVED_TO) >= 0);
  }
  struct Seen {
    std::string name;
    bool moved = false;  // into place, whole; not made there
  };
  std::vector<Seen> next() {
    std::vector<Seen> seen;
    alignas(inotify_event) char bytes[4096];
    const ssize_t got = read(events_.get(), bytes, sizeof bytes);
    for (ssize_t at = 0; at < got;) {
      const auto* event = reinterpret_cast<const inotify_event*>(bytes + at);
      seen.push_back({event->name, (event->mask & IN_MOVED_TO) != 0});
      at += static_cast<ssize_t>(sizeof *event + event->len);
    }
    return seen;
  }

 private:
  Descriptor events_;
};

TEST_CASE(
    "A name appears with a listener behind it, and no other name, however one writes the path") {
  const Scratch scratch;
  const std::string nodes = scratch.path() + "/nodes";
  REQUIRE(mkdir(nodes.c_str(), 0700) == 0);
  REQUIRE(symlink("nodes", (scratch.path() + "/link").c_str()) == 0);
  Appearances appearances(nodes);
  const std::string binary = fs::absolute(binary_under_test());
  for (const std::string& path : {nodes, nodes + "/", std::string("."), std::string("./"),
                                  std::string("../nodes/."), std::string("../link")}) {
    CAPTURE(path);
    const auto enter = [&nodes] {
      if (chdir(nodes.c_str()) != 0) _exit(126);
    };
    Child node({.arguments = {"--dir=" + path, "7"}, .binary = binary, .in_child = enter});
    CHECK(wait_until([&] { return connect_to(nodes + "/7").reach == Reach::reached; }));
    CHECK(node.end_by(SIGTERM).exit_code == 0);
    const auto seen = appearances.next();
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].name == "7");
    CHECK(seen[0].moved);
    CHECK(entry_count(nodes) == 0);
    CHECK(entry_count(scratch.path()) == 2);
  }
}
#endif

TEST_CASE("A start that is killed at any moment leaves nothing that the next one does not remove") {
  const Scratch scratch;
  const std::string nodes = scratch.path() + "/nodes";
  const auto start = [&] { return Child({.arguments = {"--dir=" + nodes, "7"}}); };
  std::ptrdiff_t most = 0;
  for (int i = 0; i < 400; ++i) {
    Child node = start();
    usleep(static_cast<useconds_t>(i % 40) * 50);  // the moment is what the test varies
    node.kill();
    most = std::max(most, entry_count(scratch.path()));
  }
  CHECK(most <= 2);  // the directory, and at most one thing beside it
  Child node = start();
  // A killed node's monitor may listen for another moment.
  CHECK(wait_until([&] {
    const Connection connection = connect_to(nodes + "/7");
    return connection.reach == Reach::reached && listener_pid(connection.descriptor) == node.pid();
  }));
  CHECK(entry_count(scratch.path()) == 1);
  node.end_by(SIGTERM);
  CHECK(entry_count(nodes) == 0);
}

TEST_CASE("A start that is killed while it asks the stopped holder of its id leaves nothing") {
  RunningCluster cluster(7, quick_waits);
  const std::ptrdiff_t before = entry_count(cluster.scratch(""));
  cluster.stop(7);
  int killed = 0;
  for (int i = 0; i < 20; ++i) {
    Child second({.arguments = {"--dir=" + cluster.directory(), "7"}});
    // The moment is what the test varies: it asks for a tenth of a second.
    usleep(static_cast<useconds_t>(5'000 + i * 2'000));
    // On a busy machine it may have been refused before.
    const auto end = second.end_by(SIGKILL);
    CHECK((end.signal == SIGKILL || end.exit_code == 1));
    if (end.signal == SIGKILL) ++killed;
    CHECK(entry_count(cluster.scratch("")) == before);
  }
  CHECK(killed > 0);
  cluster.resume(7);
}

TEST_CASE("A killed start's leftover is removed by the next start or leaving; nothing else is") {
  const Scratch scratch;
  const std::string nodes = scratch.path() + "/nodes";
  const std::string place = nodes + ".starting";
  Registry directory(nodes, true);
  const auto publish_and_leave = [&](bool leftover_meanwhile) {
    const Descriptor listener = directory.publish(7);
    CHECK(connect_to(nodes + "/7").reach == Reach::reached);
    if (leftover_meanwhile) listen_at(place);  // and closed as soon as it is open
    directory.withdraw(7);
    directory.sweep_up_to_a_live_one();
  };
  listen_at(place);
  publish_and_leave(false);
  CHECK(!fs::exists(place));
  publish_and_leave(true);
  CHECK(!fs::exists(place));

  REQUIRE(std::ofstream(place).good());
  publish_and_leave(false);
  CHECK(fs::remove(place));
  REQUIRE(mkdir(place.c_str(), 0700) == 0);
  publish_and_leave(false);
  CHECK(fs::remove(place));
  const Descriptor living = listen_at(place);
  publish_and_leave(false);
  CHECK(connect_to(place).reach == Reach::reached);
  CHECK(entry_count(nodes) == 0);
}

TEST_CASE(
    "Nodes that come back at once are never told nothing: no peer of theirs drops a message") {
  RunningCluster cluster(1, 6, quick_waits);
  std::vector<std::pair<std::int64_t, std::int64_t>> killings;
  for (int round = 0; round < 6; ++round) {
    // Everyone meets the dead names, and sweeps them when they have their owners back.
    const Time killed = monotonic_now();
    for (const NodeId id : {4U, 5U}) cluster.kill(id);
    cluster.kill_and_agree(6);
    killings.emplace_back(killed.count(), monotonic_now().count());
    cluster.start_and_agree(4, 6);
    const Time until = monotonic_now() + std::chrono::milliseconds(250);  // their sweeping
    while (monotonic_now() < until) poll(nullptr, 0, 10);
  }
  // Who is killed may have connected, and not yet spoken.
  const auto is_cut_off = [&](const TraceLine& line) {
    return line.reason == "empty" && std::ranges::any_of(killings, [&](const auto& killing) {
             return killing.first <= line.t_ns && line.t_ns <= killing.second;
           });
  };
  for (const TraceLine& line : cluster.trace()) {
    if (!is_cut_off(line)) CHECK_MESSAGE(line.event != "drop", line.reason);
  }
}

}  // namespace
}  // namespace bully
