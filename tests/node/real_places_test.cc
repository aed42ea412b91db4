// real_places_test.cc: the file system as the enemy, and so are others who share it: names taken,
// permissions withdrawn, a second user of the machine, and a clock that was set.
#include <dirent.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/capability.h>
#include <sys/prctl.h>
#endif

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <future>

#include "fixture/stranger.h"
#include "node/registry.h"
#include "node/system.h"
#include "support/skip.h"

namespace bully {
namespace {

bool is_socket(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

TEST_CASE("A directory or a link in the place of a live node's name: published when it is gone") {
  RunningCluster cluster(1, 3, quick_waits);
  for (const NodeId id : {1U, 3U}) {
    for (const bool link : {false, true}) {
      CAPTURE(id);
      CAPTURE(link);
      const std::string name = cluster.socket_path(id);
      REQUIRE(unlink(name.c_str()) == 0);
      // Who is faster: the node, or we?
      const auto take = [&] {
        unlink(name.c_str());
        return (link ? symlink("2", name.c_str()) : mkdir(name.c_str(), 0700)) == 0;
      };
      REQUIRE(wait_until(take));
      // The others elect among themselves, and the one without a name goes on as well as it can.
      cluster.kill(2);
      cluster.start(2);
      CHECK(wait_until([&] { return cluster.status_of(2).has_value(); }));
      REQUIRE(std::filesystem::remove(name));
      CHECK(wait_until([&] { return is_socket(name); }));
      CHECK(cluster.agrees_in_time());
    }
  }
}

// Root may enter and write everywhere. Nodes that are to feel what permissions there are, have to
// be without that.
void obey_permissions() {
#ifdef __linux__
  for (const int power : {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH}) {
    prctl(PR_CAPBSET_DROP, power, 0, 0, 0);
  }
#endif
}

TEST_CASE("Permission for the directory is taken away and given back") {
#ifndef __linux__
  if (geteuid() == 0) return;
#endif
  RunningCluster cluster(1, 3, quick_waits, obey_permissions);
  for (const mode_t mode : {0U, 0400U, 0500U}) {
    CAPTURE(mode);
    const std::size_t before = cluster.trace().size();
    REQUIRE(chmod(cluster.directory().c_str(), mode) == 0);
    if (mode != 0500) {
      // Long enough for each to miss its own name, or its coordinator.
      REQUIRE(wait_until([&] { return cluster.count("suspect", before) > 0; }));
    }
    REQUIRE(chmod(cluster.directory().c_str(), 0700) == 0);
    CHECK(cluster.agrees_in_time());
    // And all see each other again: the next election is a whole one.
    cluster.kill_and_agree(3);
    cluster.start_and_agree(3);
  }
}

TEST_CASE("A process waits for the lock as long as the line moves, and no longer") {
  Cluster cluster(quick_waits);
  Registry waits(cluster.directory(), true);
  for (const bool moves : {true, false}) {
    CAPTURE(moves);
    const Descriptor lock(open(cluster.directory().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    REQUIRE(flock(lock.get(), LOCK_EX | LOCK_NB) == 0);
    auto published = std::async(std::launch::async, [&] { return bool(waits.publish(7)); });
    // More than three seconds, in which others come and go, or one process has it all the time.
    const Time until = monotonic_now() + std::chrono::milliseconds(3'500);
    while (moves && monotonic_now() < until) {
      REQUIRE(mkdir((cluster.directory() + "/line").c_str(), 0700) == 0);
      REQUIRE(rmdir((cluster.directory() + "/line").c_str()) == 0);
      REQUIRE(published.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout);
    }
    if (moves) {
      REQUIRE(flock(lock.get(), LOCK_UN) == 0);
      CHECK(published.get());
      waits.withdraw(7);
    } else {
      CHECK_THROWS_AS(published.get(), SetupError);
    }
  }
}

TEST_CASE("A node whose name is gone leaves when asked, also while another process has the lock") {
  RunningCluster cluster(1, 2, quick_waits);
  const Descriptor lock(open(cluster.directory().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(flock(lock.get(), LOCK_EX | LOCK_NB) == 0);
  REQUIRE(unlink(cluster.socket_path(2).c_str()) == 0);
  CHECK(wait_until([&] {
    return contains(contents(cluster.scratch("log")),
                    "cannot be made again: another process holds the lock");
  }));
  CHECK(cluster.end_by(SIGTERM, 2).exit_code == 0);
}

TEST_CASE("A process behind a directory in whose place a file stands is down") {
  RunningCluster cluster(1, 2, quick_waits);
  const std::string aside = cluster.scratch("aside");
  const std::string file = cluster.scratch("file");
  std::ofstream(file) << "no directory\n";
  REQUIRE(rename(cluster.directory().c_str(), aside.c_str()) == 0);
  REQUIRE(rename(file.c_str(), cluster.directory().c_str()) == 0);
  const auto suspects = [&](std::string_view reason) {
    return cluster.count([&](const TraceLine& line) {
      return line.event == "suspect" && (line.reason == reason || reason.empty());
    });
  };
  CHECK(wait_until([&] { return suspects("") > 0; }));
  CHECK(suspects("down") == suspects(""));
  REQUIRE(unlink(cluster.directory().c_str()) == 0);
  REQUIRE(rename(aside.c_str(), cluster.directory().c_str()) == 0);
  CHECK(cluster.agrees_in_time());
}

TEST_CASE("The names of the dead disappear with the next election, also if the clock was set") {
  for (const time_t shift : {0, -86'400, 86'400}) {  // not at all; forward, or back, by a day
    CAPTURE(shift);
    RunningCluster cluster(1, 4, quick_waits);
    timespec born{};
    clock_gettime(CLOCK_REALTIME, &born);
    born.tv_sec += shift;
    const timespec times[] = {born, born};
    for (const NodeId id : {1U, 4U}) {
      REQUIRE(utimensat(AT_FDCWD, cluster.socket_path(id).c_str(), times, AT_SYMLINK_NOFOLLOW) ==
              0);
    }
    cluster.kill(1);
    cluster.kill_and_agree(4);
    CHECK(wait_until([&] { return !cluster.has_name(1) && !cluster.has_name(4); }));
    CHECK(cluster.agrees());
    CHECK(cluster.name_count() == 2);
  }
}

// --- A second user ---

// What a stranger gets hold of, as bits; 0 is nothing.
enum Gain : unsigned {
  listed = 1,
  looked_up = 2,
  connected = 4,
  locked = 8,
  removed = 16,
  signalled = 32,
  entered_staging = 64,
};

unsigned try_directory(const std::string& directory, NodeId id, pid_t node) {
  const std::string name = directory + '/' + std::to_string(id);
  unsigned gain = 0;
  if (DIR* listing = opendir(directory.c_str())) {
    closedir(listing);
    gain |= listed;
  }
  struct stat status {};
  if (stat(name.c_str(), &status) == 0 || errno != EACCES) gain |= looked_up;
  if (connect_to(name).reach == Reach::reached) gain |= connected;
  const Descriptor opened(open(directory.c_str(), O_RDONLY | O_DIRECTORY));
  if (opened && flock(opened.get(), LOCK_EX | LOCK_NB) == 0) gain |= locked;
  if (unlink(name.c_str()) == 0 || rmdir(directory.c_str()) == 0 ||
      rename(directory.c_str(), (directory + "-mine").c_str()) == 0 ||
      chmod(name.c_str(), 0) == 0) {
    gain |= removed;
  }
  if (kill(node, 0) == 0) gain |= signalled;
  return gain;
}

// Whatever lies beside the directory with its name in front is somebody's staging.
unsigned try_staging(const std::string& parent) {
  unsigned gain = 0;
  DIR* listing = opendir(parent.c_str());
  if (listing == nullptr) return 0;
  while (const dirent* entry = readdir(listing)) {
    const std::string name = parent + '/' + entry->d_name;
    struct stat status {};
    if (!name.starts_with(parent + "/nodes.") || lstat(name.c_str(), &status) != 0 ||
        status.st_uid == geteuid()) {
      continue;
    }
    const std::string moved = parent + "/moved";
    if (connect_to(name).reach == Reach::reached || access(name.c_str(), W_OK) == 0 ||
        unlink(name.c_str()) == 0 || rename(name.c_str(), moved.c_str()) == 0) {
      gain |= entered_staging;
    }
  }
  closedir(listing);
  return gain;
}

TEST_CASE(
    "A second user can neither read, send to, remove, signal nor block the first one's nodes") {
  if (lacks_root()) return;
  Cluster cluster(quick_waits);
  const std::string parent = cluster.scratch("");
  REQUIRE(chmod(parent.c_str(), 01777) == 0);  // as /tmp is
  cluster.start_and_agree(1, 3);
  Child stranger([&] {
    become_nobody();
    mkdir((parent + "/ready").c_str(), 0777);
    unsigned gain = 0;
    const std::string in_our_way = parent + "/nodes.starting";
    while (access((parent + "/enough").c_str(), F_OK) != 0) {
      gain |= try_directory(cluster.directory(), 1, cluster.pid_of(1)) | try_staging(parent);
      unlink((parent + "/moved").c_str());
      // Something of his own where our sockets are made must not stop us either.
      if (mkdir(in_our_way.c_str(), 0777) != 0) rmdir(in_our_way.c_str());
    }
    _exit(static_cast<int>(gain));
  });
  CHECK(wait_until([&] { return std::filesystem::exists(parent + "/ready"); }));
  // Meanwhile nodes come, publish themselves, and go.
  for (NodeId id = 4; id <= 12; ++id) {
    cluster.start_and_agree(id);
    if (id % 2 == 0) cluster.kill(id);
  }
  CHECK(cluster.agrees_in_time());
  REQUIRE(mkdir((parent + "/enough").c_str(), 0700) == 0);
  CHECK(stranger.end().exit_code == 0);
  for (const NodeId id : cluster.live()) CHECK(dropped(cluster, id) == 0);
}

}  // namespace
}  // namespace bully
