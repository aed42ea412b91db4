// peer_process_test.cc: the process behind a name, pinned; and for whom a signal is meant.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "fixture/bystander.h"
#include "fixture/cluster.h"
#include "fixture/scripts.h"
#include "node/peer_process.h"

using namespace bully;

namespace {

using Why = Refused::Why;

NodeStatus replied(std::int64_t claimed, std::int64_t listener) {
  return {{.id = 7, .condition = Condition::running, .state = "coordinator"}, claimed, listener};
}
NodeStatus silent(NodeId id, std::int64_t listener) {
  return {{.id = id, .condition = Condition::stopped}, listener, listener};
}

// Why it is refused; nothing where it is not.
std::optional<Why> refusal_of(const NodeStatus& peer, bool force) {
  const auto verdict = judge(peer, force);
  const Refused* refused = std::get_if<Refused>(&verdict);
  return refused == nullptr ? std::nullopt : std::optional(refused->why);
}

Candidate candidate(NodeId id, std::string state, std::optional<NodeId> coordinator) {
  const Snapshot snapshot{.id = id,
                          .condition = Condition::running,
                          .state = std::move(state),
                          .coordinator = coordinator};
  return {{snapshot, 100}, true};
}
Candidate without_reply(NodeId id, Condition condition, bool proven) {
  return {{{.id = id, .condition = condition}}, proven};
}

Choice chosen(Target target, const std::vector<Candidate>& candidates, std::size_t drawn = 0) {
  return choose(target, candidates, [drawn](std::size_t) { return drawn; });
}

}  // namespace

#ifdef __linux__
TEST_CASE("what is no possible PID of a node is never signalled") {
  for (const bool force : {false, true}) {
    CAPTURE(force);
    CHECK(refusal_of(replied(1, 1), force) == Why::reserved);
    CHECK(refusal_of(replied(getpid(), getpid()), force) == Why::reserved);
    CHECK(refusal_of(replied(getppid(), getpid()), force) == Why::contradicted);
    CHECK(refusal_of(replied(4294967295, 4294967295), force) == Why::reserved);
    CHECK(refusal_of(replied(-1, -1), force) == Why::reserved);
    CHECK(refusal_of(replied(getppid(), 0), force) == Why::foreign);
  }
  CHECK(refusal_of(silent(7, 1), true) == Why::reserved);
  CHECK(refusal_of(silent(7, -1), true) == Why::reserved);
  CHECK(refusal_of(silent(7, getpid()), true) == Why::reserved);
  for (const NodeId id : {NodeId{0}, NodeId{1}}) {
    CHECK(refusal_of(silent(id, 0), true) == Why::reserved);
  }
  for (const NodeId id : {NodeId{4294967295}, std::numeric_limits<NodeId>::max()}) {
    CHECK(refusal_of(silent(id, 0), true) == Why::unidentified);
  }
}

TEST_CASE("a process that ended between question and signal is not signalled") {
  Cluster cluster;
  const NodeId id = cluster.start();
  REQUIRE(cluster.agrees_in_time());
  const auto found = identify(Directory(cluster.directory(), false), id, patience);
  const PeerProcess* process = std::get_if<PeerProcess>(&found);
  REQUIRE(process != nullptr);
  CHECK(process->pid() == cluster.pid_of(id));
  CHECK(process->proof == Proof::replied);
  CHECK(process->signal(SIGCONT) == 0);
  cluster.kill(id);
  CHECK(process->signal(SIGCONT) == ESRCH);
}

// For a PID namespace of our own, where the next PID can be chosen.
TEST_CASE("inside a PID namespace: a PID is used again" * doctest::skip()) {
  REQUIRE(getpid() == 1);
  for (const bool has_descriptors : {true, false}) {
    CAPTURE(has_descriptors);
    Cluster cluster;
    const NodeId id = cluster.start(7);
    REQUIRE(cluster.agrees_in_time());
    const Directory directory(cluster.directory(), false);
    const pid_t pid = cluster.pid_of(id);
    // Room for the connection, and then for nothing else: so there is no pidfd.
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    if (!has_descriptors) {
      const Descriptor next(open("/dev/null", O_RDONLY | O_CLOEXEC));
      const rlimit tight{static_cast<rlim_t>(next.get()) + 1, before.rlim_max};
      REQUIRE(setrlimit(RLIMIT_NOFILE, &tight) == 0);
    }
    const auto found = identify(directory, id, patience);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
    const PeerProcess* process = std::get_if<PeerProcess>(&found);
    REQUIRE(process != nullptr);
    CHECK(process->signal(SIGCONT) == 0);
    cluster.kill(id);
    // Linux tells two processes of one PID apart by when they started, in hundredths of a second.
    const Duration begun = monotonic_now();
    REQUIRE(wait_until([&] { return monotonic_now() - begun > std::chrono::milliseconds(20); }));
    std::ofstream("/proc/sys/kernel/ns_last_pid") << pid - 1;
    Bystander innocent;
    REQUIRE(innocent.pid() == pid);
    CHECK(process->signal(SIGKILL) == ESRCH);
    CHECK(innocent.is_untouched());
  }
}

// A process listens, and ends; its child keeps the socket, and replies as if it were its parent.
TEST_CASE("inside a PID namespace: a dead process listens" * doctest::skip()) {
  REQUIRE(getpid() == 1);
  const Place place;
  const pid_t parent = fork();
  REQUIRE(parent >= 0);
  if (parent == 0) {
    const int listener = Bystander::listen_at(place.nodes() + "/7");
    const std::string reply = status_reply("7", std::to_string(getpid()));
    if (fork() > 0) _exit(0);
    while (true) {
      const Descriptor connection(accept(listener, nullptr, nullptr));
      send(connection.get(), reply.data(), reply.size(), MSG_NOSIGNAL);
    }
  }
  waitpid(parent, nullptr, 0);
  for (const bool is_reused : {false, true}) {
    CAPTURE(is_reused);
    if (is_reused) std::ofstream("/proc/sys/kernel/ns_last_pid") << parent - 1;
    Bystander innocent;
    REQUIRE((innocent.pid() == parent) == is_reused);
    for (const Words& options : {Words{}, Words{"7"}, Words{"7", "--force"}}) {
      const Result result = run(place, kill_node + options);
      CAPTURE(result.output);
      CHECK(result.status == 1);
      CHECK(contains(result.output, "7 is gone already"));
      CHECK(innocent.is_untouched());
    }
  }
}

TEST_CASE("a PID that another process has got since is not signalled") {
  if (!has_pid_namespaces()) return;
  for (const char* test_case :
       {"inside a PID namespace: a PID is*", "inside a PID namespace: a dead*"}) {
    const Result result = run_in_pid_namespace(test_case);
    CAPTURE(result.output);
    CHECK(result.status == 0);
  }
}
#endif

TEST_CASE("the coordinator is who says so, or else whom the others follow") {
  using Outcome = Choice::Outcome;
  const auto coordinator = [](const std::vector<Candidate>& candidates) {
    return chosen(Target::coordinator, candidates);
  };
  CHECK(coordinator({candidate(1, "follower", 3), candidate(3, "coordinator", 3)}).ids ==
        std::vector<NodeId>{3});
  // Two for a while: the higher.
  CHECK(coordinator({candidate(1, "coordinator", 1), candidate(3, "coordinator", 3)}).ids ==
        std::vector<NodeId>{3});
  // It says so itself, whatever somebody else still believes.
  CHECK(coordinator({candidate(1, "follower", 9), candidate(3, "coordinator", 3)}).ids ==
        std::vector<NodeId>{3});
  // Stopped.
  CHECK(
      coordinator({candidate(1, "follower", 3), without_reply(3, Condition::stopped, true)}).ids ==
      std::vector<NodeId>{3});
  const Choice gone =
      coordinator({candidate(1, "follower", 3), without_reply(3, Condition::crashed, false)});
  CHECK(gone.outcome == Outcome::coordinator_gone);
  CHECK(gone.ids == std::vector<NodeId>{3});
  CHECK(coordinator({candidate(1, "follower", 3)}).outcome == Outcome::coordinator_gone);
  CHECK(coordinator({candidate(1, "waiting", std::nullopt)}).outcome == Outcome::no_coordinator);
  CHECK(coordinator({without_reply(3, Condition::stopped, false)}).outcome == Outcome::nobody);
  CHECK(coordinator({}).outcome == Outcome::nobody);
  // A fake has no say.
  Candidate fake = candidate(9, "coordinator", 9);
  fake.proven = false;
  CHECK(coordinator({candidate(3, "coordinator", 3), fake}).ids == std::vector<NodeId>{3});
}

TEST_CASE("the lowest and any one are chosen among the proven; all means whoever listens") {
  const std::vector<Candidate> candidates = {
      without_reply(1, Condition::crashed, false), without_reply(2, Condition::stopped, false),
      candidate(3, "follower", 5), without_reply(4, Condition::stopped, true),
      candidate(5, "coordinator", 5)};
  const Choice lowest = chosen(Target::lowest, candidates);
  CHECK(lowest.ids == std::vector<NodeId>{3});
  CHECK(lowest.of == 3);
  std::set<NodeId> drawn;
  for (const std::size_t i : {0U, 1U, 2U}) {
    const Choice choice = choose(Target::random, candidates, [i](std::size_t n) {
      CHECK(n == 3);
      return i;
    });
    drawn.insert(choice.ids.at(0));
  }
  CHECK(drawn == std::set<NodeId>{3, 4, 5});
  const Choice all = chosen(Target::all, candidates);
  CHECK(all.ids == std::vector<NodeId>{2, 3, 4, 5});
  CHECK(all.of == 4);
}
