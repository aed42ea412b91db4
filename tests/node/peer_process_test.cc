// peer_process_test.cc: the process behind a name, pinned; and for whom a signal is meant.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include <array>
#include <cerrno>
#include <cstddef>
#include <deque>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "fixture/bystander.h"
#include "fixture/cluster.h"
#include "fixture/scripts.h"
#include "node/beyond_posix.h"
#include "node/peer_process.h"
#include "support/process.h"

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
std::optional<Why> why_not(const NodeStatus& peer) {
  const std::optional<Refused> refused = refusal_of(peer);
  return refused ? std::optional(refused->why) : std::nullopt;
}

struct Candidate {
  NodeStatus status;
  bool proven = false;  // its process may be signalled
};

// As if they had been queried. Nothing here signals them, so no process need be behind them.
std::vector<Asked> asked(const std::vector<Candidate>& candidates) {
  std::vector<Asked> all;
  for (const auto& [status, proven] : candidates) {
    all.push_back({.status = status});
    if (proven) all.back().process.emplace(0, Descriptor());
  }
  return all;
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
  return choose(target, asked(candidates), [drawn](std::size_t) { return drawn; });
}

#ifdef __linux__
// What an older Linux lacks: a listener that is pinned [6.5], and pinned processes [5.3].
struct Lack {
  std::uint32_t call;
  std::uint32_t third_argument;
  std::uint32_t error;
};
constexpr std::array lacks = {Lack{SYS_getsockopt, 77, ENOPROTOOPT},
                              Lack{SYS_pidfd_open, 0, ENOSYS}};

// From now on, this process and all that it starts are told so by the kernel.
void make_older(const Lack& lack) {
  constexpr bool is_little = std::endian::native == std::endian::little;
  constexpr auto number = static_cast<std::uint32_t>(offsetof(seccomp_data, nr));
  constexpr auto argument =
      static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 2 * 8 + (is_little ? 0 : 4));
  std::array<sock_filter, 6> filter = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, lack.call, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, lack.third_argument, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | lack.error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program = {filter.size(), filter.data()};
  REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

// Does so with each kernel in turn, for good: in a process of its own.
void with_each_kernel(const std::function<void()>& test) {
  test();
  for (const Lack& lack : lacks) {
    CAPTURE(lack.call);
    make_older(lack);
    test();
  }
}

// Linux tells two processes of one PID apart by when they started, in hundredths of a second, and
// dates a file as finely.
void let_start_differ() {
  const Time begun = monotonic_now();
  REQUIRE(wait_until([&] { return monotonic_now() - begun > std::chrono::milliseconds(40); }));
}
void choose_next_pid(pid_t pid) {
  std::ofstream("/proc/sys/kernel/ns_last_pid") << pid - 1;
}

// A PID whose process listened in `place`, and is dead; its child keeps the sockets. As node 7 it
// replies as if it were its parent, and as node 8 it is silent.
pid_t leave_ghost(const Place& place) {
  const pid_t parent = fork();
  REQUIRE(parent >= 0);
  if (parent == 0) {
    const Descriptor listener = Bystander::listen_at(place.nodes() + "/7");
    const Descriptor silent = Bystander::listen_at(place.nodes() + "/8");
    const std::string reply = status_reply("7", std::to_string(getpid()));
    if (fork() > 0) _exit(0);
    while (true) {
      const Descriptor connection(accept(listener.get(), nullptr, nullptr));
      send(connection.get(), reply.data(), reply.size(), MSG_NOSIGNAL);
    }
  }
  waitpid(parent, nullptr, 0);
  let_start_differ();
  return parent;
}

// kill_node.sh with each of these options, all at once: each waits for the silent process.
std::vector<Result> kill_at_once(const Place& place, const std::vector<Words>& options) {
  std::deque<Command> commands;
  for (const Words& words : options) commands.emplace_back(place, kill_node + words);
  std::vector<Result> results;
  for (Command& command : commands) results.push_back({command.exit_status(), command.output()});
  return results;
}
#endif

}  // namespace

#ifdef __linux__
TEST_CASE("what is no possible PID of a node is never signalled") {
  CHECK(why_not(replied(1, 1)) == Why::reserved);
  CHECK(why_not(replied(getpid(), getpid())) == Why::reserved);
  CHECK(why_not(replied(getppid(), getpid())) == Why::contradicted);
  CHECK(why_not(replied(4294967295, 4294967295)) == Why::reserved);
  CHECK(why_not(replied(-1, -1)) == Why::reserved);
  CHECK(why_not(replied(getppid(), 0)) == Why::foreign);
  CHECK(why_not(silent(7, 1)) == Why::reserved);
  CHECK(why_not(silent(7, -1)) == Why::reserved);
  CHECK(why_not(silent(7, getpid())) == Why::reserved);
  CHECK(why_not(silent(7, getppid())) == Why::silent);
  CHECK(why_not(silent(7, 0)) == Why::unidentified);
  CHECK(why_not(silent(static_cast<NodeId>(getppid()), 0)) == Why::unidentified);
}

TEST_CASE(
    "a process that ended between question and signal is not signalled, nor is its successor") {
  constexpr NodeId id = 7;
  RunningCluster cluster(id);
  const auto asked = identify(Directory(cluster.directory(), false), {id}, patience);
  const auto& process = asked.at(0).process;
  REQUIRE(process);
  CHECK(process->pid() == cluster.pid_of(id));
  CHECK(asked.at(0).status.condition == Condition::running);
  CHECK(process->signal(SIGCONT) == 0);
  cluster.kill(id);
  CHECK(process->signal(SIGCONT) == ESRCH);
  cluster.start_and_agree(id);
  CHECK(process->signal(SIGKILL) == ESRCH);
  CHECK(cluster.agrees());
}

// For a PID namespace of our own, where the next PID can be chosen.
TEST_CASE("inside a PID namespace: a PID is used again" * doctest::skip()) {
  REQUIRE(getpid() == 1);
  with_each_kernel([] {
    for (const bool has_descriptors : {true, false}) {
      CAPTURE(has_descriptors);
      constexpr NodeId id = 7;
      RunningCluster cluster(id);
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
      const auto asked = identify(directory, {id}, patience);
      REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
      const auto& process = asked.at(0).process;
      REQUIRE(process);
      CHECK(process->signal(SIGCONT) == 0);
      cluster.kill(id);
      let_start_differ();
      choose_next_pid(pid);
      Bystander innocent;
      REQUIRE(innocent.pid() == pid);
      CHECK(process->signal(SIGKILL) == ESRCH);
      CHECK(innocent.is_untouched());
    }
  });
}

TEST_CASE("inside a PID namespace: a dead process listens" * doctest::skip()) {
  REQUIRE(getpid() == 1);
  with_each_kernel([] {
    const Place place;
    const pid_t parent = leave_ghost(place);
    for (const bool is_reused : {false, true}) {
      CAPTURE(is_reused);
      if (is_reused) choose_next_pid(parent);
      Bystander innocent;
      REQUIRE((innocent.pid() == parent) == is_reused);
      for (const Result& result : kill_at_once(place, {{}, {"7"}})) {
        check_said(result, 1, {"7 is gone: only its name"});
      }
      CHECK(innocent.is_untouched());
    }
  });
}

TEST_CASE("inside a PID namespace: a dead process listens, and its PID is a node's" *
          doctest::skip()) {
  REQUIRE(getpid() == 1);
  with_each_kernel([] {
    const Place place;
    const Place elsewhere;
    const pid_t parent = leave_ghost(place);
    choose_next_pid(parent);
    Command node(elsewhere, {"./bully", "9"});
    REQUIRE(node.pid() == parent);
    REQUIRE(happens([&] { return elsewhere.agree(1); }));
    const auto is_stopped = [&] {
      const auto state = process_state(parent);
      return state && state->letter == 'T';
    };
    for (const bool stop : {false, true}) {
      CAPTURE(stop);
      if (stop) node.signal(SIGSTOP);
      REQUIRE(happens([&] { return is_stopped() == stop; }));
      const std::vector<Words> options = {{"7"},        {"8"},        {"--all"},
                                          {"--lowest"}, {"--random"}, {"--signal=CONT"}};
      for (const Result& result : kill_at_once(place, options)) {
        check_said(result, 1, {});
        CHECK_MESSAGE(!contains(result.output, "PID " + std::to_string(parent)), result.output);
      }
      CHECK(!node.has_ended());
      CHECK(is_stopped() == stop);
    }
    // In its own place it is a node, stopped or not.
    CHECK(run(elsewhere, kill_node + Words{"9", "--signal=CONT"}).status == 0);
    CHECK(happens([&] { return elsewhere.agree(1); }));
    CHECK(run(elsewhere, kill_node).status == 0);
    CHECK(node.exit_status() == 128 + SIGKILL);
  });
}

TEST_CASE("a PID that another process has got since is not signalled") {
  if (!has_pid_namespaces()) return;
  for (const char* test_case :
       {"inside a PID namespace: a PID is*", "inside a PID namespace: a dead process listens",
        "inside a PID namespace: a dead process listens?*"}) {
    check_said(run_in_pid_namespace(test_case), 0, {});
  }
}
#endif

TEST_CASE("the coordinator is the process that says so, or else the one that the others follow") {
  using Outcome = Choice::Outcome;
  const auto coordinator = [](const std::vector<Candidate>& candidates) {
    return chosen(Target::coordinator, candidates);
  };
  const Candidate follower = candidate(1, "follower", 3);
  const Candidate three = candidate(3, "coordinator", 3);
  const Candidate crashed = without_reply(3, Condition::crashed, false);
  Candidate fake = candidate(9, "coordinator", 9);
  fake.proven = false;
  std::size_t row = 0;
  for (const std::vector<Candidate>& candidates : {
           std::vector<Candidate>{follower, three},
           {candidate(1, "coordinator", 1), three},  // two for a while: the higher
           {candidate(1, "follower", 9), three},     // it says so itself, whatever others believe
           {follower, without_reply(3, Condition::stopped, true)},
           {follower, crashed},
           {three, fake},  // which has no say
       }) {
    ++row;
    CAPTURE(row);
    CHECK(coordinator(candidates).ids == std::vector<NodeId>{3});
  }
  CHECK(coordinator({follower, crashed}).outcome == Outcome::coordinator_gone);
  CHECK(coordinator({follower}).outcome == Outcome::coordinator_gone);
  CHECK(coordinator({candidate(1, "waiting", std::nullopt)}).outcome == Outcome::no_coordinator);
  CHECK(coordinator({without_reply(3, Condition::stopped, false)}).outcome == Outcome::nobody);
  CHECK(coordinator({}).outcome == Outcome::nobody);
}

TEST_CASE("the lowest and a random one are chosen among proven nodes; all means all that listen") {
  const std::vector<Candidate> candidates = {
      without_reply(1, Condition::crashed, false), without_reply(2, Condition::stopped, false),
      candidate(3, "follower", 5), without_reply(4, Condition::stopped, true),
      candidate(5, "coordinator", 5)};
  const Choice lowest = chosen(Target::lowest, candidates);
  CHECK(lowest.ids == std::vector<NodeId>{3});
  CHECK(lowest.of == 3);
  std::set<NodeId> drawn;
  for (const std::size_t i : {0U, 1U, 2U}) {
    const Choice choice = choose(Target::random, asked(candidates), [i](std::size_t n) {
      CHECK(n == 3);
      return i;
    });
    drawn.insert(choice.ids.at(0));
  }
  CHECK(drawn == std::set<NodeId>{3, 4, 5});
  const Choice all = chosen(Target::all, candidates);
  CHECK(all.ids == std::vector<NodeId>{2, 3, 4, 5});
  CHECK(all.of == 4);
  // Only a stopped one needs to be continued.
  const auto none = [](std::size_t) { return 0; };
  CHECK(choose(Target::lowest, asked(candidates), none, true).ids == std::vector<NodeId>{4});
  CHECK(choose(Target::all, asked(candidates), none, true).ids == std::vector<NodeId>{2, 4});
  CHECK(choose(Target::all, asked({candidate(3, "follower", 3)}), none, true).outcome ==
        Choice::Outcome::none_stopped);
}
