// real_taken_names_test.cc: nodes whose names a stand-in has: they live as without it, they are
// known by their own PIDs, and they do without it when it dies.
#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>

#include "fixture/cluster.h"
#include "node/peer_process.h"
#include "node/taken_names.h"
#include "stage/local_cluster.h"
#include "support/legacy_peer.h"
#include "wire/link_proxy.h"

namespace bully {
namespace {

namespace fs = std::filesystem;

const Arguments quick = {"--ping-interval=50ms", "--ping-timeout=500ms", "--answer-timeout=300ms",
                         "--coordinator-timeout=500ms", "--lang=en"};

volatile sig_atomic_t has_to_end = 0;
void note_end(int /*signal*/) {
  has_to_end = 1;
}

// A process with a stand-in for every process of a directory (wire/link_proxy.h).
class StandIns {
 public:
  // `guarded`: if it is killed, a guard puts the names back.
  explicit StandIns(const std::string& directory, bool guarded = true)
      : process_([&] {
          struct sigaction end {};
          end.sa_handler = note_end;
          sigaction(SIGTERM, &end, nullptr);
          signal(SIGPIPE, SIG_IGN);
          std::optional<Guard> own_guard;
          if (guarded) own_guard.emplace();
          if (guarded) own_guard->put_names_back(directory);
          const Directory place(directory, true);
          Count count(*carried_);
          LinkProxy proxy(place, count);
          std::vector<pollfd> none;
          while (has_to_end == 0) proxy.serve(none, never);
        }) {}
  // Puts all names back, unless it was killed.
  ~StandIns() { process_.end_by(SIGTERM); }

  pid_t pid() const { return process_.pid(); }
  void kill() { process_.kill(); }
  // How many messages it has carried, pings as well.
  std::uint64_t carried() const { return *carried_; }

 private:
  struct Count : LinkObserver {
    explicit Count(std::atomic<std::uint64_t>& messages) : messages_(messages) {}
    void on_message(const Message&, NodeId, Way way, std::uint64_t) override {
      messages_ += way == Way::delivered ? 1 : 0;
    }
    std::atomic<std::uint64_t>& messages_;
  };

  const SharedMemory<std::atomic<std::uint64_t>> carried_;
  Child process_;
};

std::string place_of(const Cluster& cluster) {
  return cluster.directory() + ".aside";
}
// Whether a stand-in has the node's name: first the node's socket gets its second name, then the
// first one is taken.
bool is_moved(const Cluster& cluster, NodeId id) {
  const auto own = socket_at(place_of(cluster) + '/' + std::to_string(id));
  return own && own != socket_at(cluster.socket_path(id));
}
bool all_moved(const Cluster& cluster) {
  return std::ranges::all_of(cluster.live(), [&](NodeId id) { return is_moved(cluster, id); });
}
// Whether a node has said a word of its socket.
bool has_missed_its_socket(const Cluster& cluster) {
  return contains(contents(cluster.scratch("log")), "its socket");
}
// Its monitor looks at its name, and pings, each interval.
bool go_on_for_intervals(const StandIns& relay, std::uint64_t pings) {
  const std::uint64_t before = relay.carried();
  return wait_until([&] { return relay.carried() >= before + pings; });
}

TEST_CASE(
    "Nodes elect, die, return and leave through a stand-in, without a word of their sockets") {
  Cluster cluster(quick);
  const StandIns relay(cluster.directory());
  REQUIRE(wait_until([&] { return fs::exists(place_of(cluster)); }));
  check_loss_and_return(cluster);
  REQUIRE(wait_until([&] { return all_moved(cluster); }));
  REQUIRE(go_on_for_intervals(relay, 40));
  CHECK(!has_missed_its_socket(cluster));

  CHECK(cluster.end_by(SIGTERM, 2).exit_code == 0);
  CHECK(!cluster.has_name(2));
  CHECK(!is_moved(cluster, 2));
  REQUIRE(cluster.agrees_in_time());
  cluster.end_all();
  CHECK(cluster.name_count() == 0);
  CHECK(wait_until([&] { return fs::is_empty(place_of(cluster)); }));
  CHECK(!has_missed_its_socket(cluster));
}

TEST_CASE("Nodes that are moved aside and back go on as if nothing had happened") {
  // No busy machine makes a live process look hung.
  RunningCluster cluster(1, 3, quick + Arguments{"--ping-timeout=10s"});
  const std::size_t before = cluster.trace().size();
  for (int round = 0; round < 5; ++round) {
    CAPTURE(round);
    {
      const StandIns relay(cluster.directory());
      REQUIRE(wait_until([&] { return all_moved(cluster); }));
      REQUIRE(go_on_for_intervals(relay, 12));
    }
    CHECK(!fs::exists(place_of(cluster)));
    CHECK(cluster.agrees());
  }
  CHECK(sent_count(cluster.trace(), "E", before) == 0);
  CHECK(!has_missed_its_socket(cluster));
}

TEST_CASE("A process is known by its own PID, and signalled, though a stand-in has its name") {
  RunningCluster cluster(1, 3, quick);
  const LegacyPeer legacy(cluster.directory(), {.id = 9});
  const StandIns relay(cluster.directory());
  REQUIRE(wait_until([&] { return all_moved(cluster) && is_moved(cluster, 9); }));
  const Directory directory(cluster.directory(), false);
  for (const NodeStatus& peer : query_status(directory, std::chrono::milliseconds(500))) {
    CAPTURE(peer.id);
    CHECK(peer.listener == peer.pid);
    if (peer.id != 9) CHECK(peer.pid == cluster.pid_of(peer.id));
    CHECK(peer.pid != relay.pid());
    const auto of_test = children_of(getpid());
    CHECK(std::ranges::count(of_test, static_cast<pid_t>(peer.pid), &ProcessEntry::pid) == 1);
  }
  // Of the example there is only the kernel's word: no proof that it is a node.
  const auto asked = identify(directory, {9}, std::chrono::milliseconds(500));
  REQUIRE(!asked.at(0).process);
  CHECK(asked.at(0).refused.why == Refused::Why::silent);
  CHECK(asked.at(0).refused.listener != relay.pid());

  const pid_t pid = cluster.pid_of(2);
  const Finished killed = run_bully({"kill", "2", "--dir=" + cluster.directory()});
  CAPTURE(killed.errors);
  CHECK(killed.outcome.exit_code == 0);
  CHECK(wait_until([&] { return !is_running(pid); }));
  CHECK(is_running(relay.pid()));
  cluster.kill(2);  // and reaped
}

TEST_CASE(
    "A node whose name is removed, a stand-in's as well, publishes itself again and says so") {
  RunningCluster cluster(1, 2, quick);
  const StandIns relay(cluster.directory());
  REQUIRE(wait_until([&] { return all_moved(cluster); }));
  const auto before = socket_at(place_of(cluster) + "/2");
  REQUIRE(unlink(cluster.socket_path(2).c_str()) == 0);
  CHECK(wait_until([&] {
    const auto moved = socket_at(place_of(cluster) + "/2");
    return moved && moved != before;
  }));
  CHECK(wait_until([&] { return has_missed_its_socket(cluster); }));
  CHECK(cluster.agrees_in_time());
}

TEST_CASE("A node whose stand-in passes nothing on waits for no lock, and says nothing") {
  RunningCluster cluster(1, 2, quick);
  const Directory directory(cluster.directory(), false);
  {
    TakenNames aside(directory);
    const auto own = socket_at(cluster.socket_path(1));
    const Descriptor stand_in = aside.stand_in(1);
    const Descriptor locked = directory.lock();
    // Its monitor looks at its name whenever it pings the coordinator.
    const auto pings = [&] {
      const auto coordinator = cluster.status_of(2);
      return coordinator ? coordinator->received.of(messages::ping) : 0;
    };
    std::uint64_t before = 0;
    REQUIRE(wait_until([&] { return (before = pings()) > 0; }));
    CHECK(wait_until([&] { return pings() >= before + 20; }));
    const NodeStatus node = query_node(directory, 1, std::chrono::milliseconds(500));
    CHECK(node.condition == Condition::running);
    CHECK(aside.has_name(1));
    CHECK(socket_at(aside.own_socket(1)) == own);
  }
  CHECK(cluster.agrees_in_time());
  CHECK(!has_missed_its_socket(cluster));
}

TEST_CASE("Names go back when a stand-in is killed, by its guard or by the nodes themselves") {
  for (const bool guarded : {true, false}) {
    CAPTURE(guarded);
    RunningCluster cluster(1, 4, quick);
    for (int round = 0; round < 5; ++round) {
      CAPTURE(round);
      StandIns relay(cluster.directory(), guarded);
      REQUIRE(wait_until([&] { return all_moved(cluster); }));
      if (round % 2 == 0) REQUIRE(go_on_for_intervals(relay, 8));
      relay.kill();
      CHECK(wait_until([&] { return !fs::exists(place_of(cluster)); }));
      CHECK(cluster.name_count() == 4);
      CHECK(cluster.agrees_in_time());
      CHECK(!has_missed_its_socket(cluster));
    }
  }
}

}  // namespace
}  // namespace bully
