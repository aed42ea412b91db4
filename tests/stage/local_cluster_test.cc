// local_cluster_test.cc: however a program of ours ends, no process that it started and no
// directory that it made is left. Run from the top level.
//
// Each program gets a directory for temporary files that is its alone, in its environment. All that
// it starts inherits it: so what is left can be found, whoever started it.
#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#ifdef __linux__
#include <sys/ptrace.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/interruption.h"
#include "fixture/cluster.h"
#include "fixture/scripts.h"
#include "fixture/stranger.h"
#include "node/directory.h"
#include "node/system.h"
#include "sim/script.h"
#include "stage/local_cluster.h"
#include "stage/real_backend.h"
#include "support/legacy_peer.h"
#include "support/pseudo_terminal.h"
#include "support/scratch.h"
#include "support/sinks.h"

namespace bully {
namespace {

namespace fs = std::filesystem;

std::string command_of(pid_t pid) {
  std::string command = contents("/proc/" + std::to_string(pid) + "/cmdline");
  std::ranges::replace(command, '\0', ' ');
  return command;
}

// A program with a place for its temporary files, and one for nodes.
class Guarded {
 public:
  Guarded(const std::string& binary, const Arguments& arguments, const std::string& ending = "",
          bool in_terminal = false) {
    Program program{.arguments = arguments,
                    .binary = binary,
                    .output = output_path(),
                    .errors = output_path(),
                    .own_group = !in_terminal};
    program.in_child = [this, ending] {
      setenv("TMPDIR", temporary().c_str(), 1);
      setenv("BULLY_DIR", place_.nodes().c_str(), 1);
      setenv("ENDING", ending.c_str(), 1);
    };
    if (in_terminal) {
      terminal_.emplace(program, 50, 120);
    } else {
      process_ = Child(program);
    }
  }
  ~Guarded() {
    for (const pid_t pid : processes()) ::kill(pid, SIGKILL);
  }

  const Place& place() const { return place_; }
  std::string temporary() const { return place_.temporary(); }
  // What it has written until now, or what its terminal shows.
  std::string output() {
    if (!terminal_) return contents(output_path());
    const std::string screen = terminal_->text();
    return screen.substr(0, screen.find_last_not_of('\n') + 1);
  }
  pid_t pid() const { return terminal_ ? terminal_->pid() : process_.pid(); }

  // It and all that it has started, and what these have.
  std::vector<pid_t> processes() const {
    std::vector<pid_t> found;
    for (const ProcessEntry& entry : all_processes()) {
      const std::string of_it = "/proc/" + std::to_string(entry.pid);
      if (contains(contents(of_it + "/environ"), "TMPDIR=" + temporary()) ||
          contains(contents(of_it + "/cmdline"), temporary())) {
        found.push_back(entry.pid);
      }
    }
    return found;
  }
  // Sends it to the guards, which are no child of what started them. Between two lessons there is
  // none for a moment.
  void signal_guards(int number) const {
    CHECK(happens([&] { return signalled_guards(number) > 0; }));
  }
  std::size_t signalled_guards(int number) const {
    const std::vector<pid_t> ours = processes();
    std::size_t guards = 0;
    for (const ProcessEntry& entry : all_processes()) {
      const auto is_ours = [&](pid_t pid) { return std::ranges::count(ours, pid) > 0; };
      if (!is_ours(entry.pid) || is_ours(entry.parent) || entry.pid == pid()) continue;
      ::kill(entry.pid, number);
      ++guards;
    }
    return guards;
  }
  // 0: waits until it ends by itself.
  Outcome end(int signal) {
    if (signal != 0) terminal_ ? terminal_->signal(signal) : process_.signal(signal);
    return terminal_ ? terminal_->end() : process_.end();
  }
  // What is left, in words; nothing after the deadline at the latest.
  std::string left_over() const {
    const auto nothing = [this] {
      return processes().empty() && fs::is_empty(temporary()) && place_.has_no_socket();
    };
    if (wait_until(nothing)) return "";
    std::string left;
    for (const pid_t pid : processes()) {
      left += std::to_string(pid) + ' ' + command_of(pid) + '\n';
    }
    for (const std::string& directory : {temporary(), place_.nodes()}) {
      for (const auto& entry : fs::recursive_directory_iterator(directory)) {
        left += entry.path().string() + '\n';
      }
    }
    return left;
  }

 private:
  std::string output_path() const { return place_.path() / "output"; }

  Place place_;
  Child process_;
  std::optional<PseudoTerminal> terminal_;  // in place of process_
};

bool tells_of_processes() {
  if (fs::exists("/proc/self/environ")) return true;
  MESSAGE("not tested: this system does not tell how a process was started");
  return false;
}

std::string this_program() {
  return own_program("build/tests/run");
}
// Another one that was built with it.
std::string beside_this_program(const std::string& name) {
  return fs::path(this_program()).parent_path() / name;
}

// What plays this script on real processes.
Arguments real_scenario(const Scratch& scratch, const std::string& script) {
  const std::string path = scratch.path() + "/script";
  std::ofstream(path) << script;
  return {"scenario", path, "--real", "--color=never"};
}

// For the test below alone: one of each that a test can start; then it ends as it was told.
TEST_CASE("one of each that a test can start" * doctest::skip()) {
  const std::string ending = std::getenv("ENDING");
  RunningCluster cluster(1, 3);
  const LegacyPeer legacy(cluster.scratch("legacy"), {.id = 4});
  const LegacyPeer ghost(cluster.scratch("ghost"), {.id = 5});
  PseudoTerminal terminal({"watch", "--dir=" + cluster.directory(), "--lang=en"}, 24, 80);
  REQUIRE(terminal.shows("nodes: 3"));
  const ScriptedCluster scripted(2);
  const Flood flood(cluster, {2}, 2, Flood::Manner::waiting, [](std::size_t) { return "x"; });
  cluster.stop(1);
  std::ofstream(cluster.scratch("ready")).put('\n');
  if (ending == "signal") wait_until([] { return false; }, std::chrono::minutes(5));
  if (ending == "abort") std::abort();
  if (ending == "exception") throw std::runtime_error("as told");
  if (ending == "require") FAIL("as told");
  if (ending == "terminate") std::terminate();
  // Signals are read by a stage as long as there is one.
  Unread sink;
  const auto scenario = std::get<Scenario>(parse_scenario("test", "nodes 1..3\nrun 300s"));
  LocalCluster processes(Guard::Ending::kill);
  const auto stage = make_real_backend(scenario, processes, binary_under_test(), sink);
  for (const auto& step : scenario.steps) stage->perform(step);
}

bool is_ready(const Guarded& program) {
  for (const auto& entry : fs::directory_iterator(program.temporary())) {
    if (fs::exists(entry.path() / "ready")) return true;
  }
  return false;
}

Arguments one_of_each() {
  return {"--no-skip", "--test-case=one of each that a test can start"};
}

TEST_CASE("Nothing that a test has started is left, whatever signal ends the tests") {
  if (!tells_of_processes()) return;
  for (const std::string ending : {"signal", "signal to a stage"}) {
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGKILL}) {
      CAPTURE(ending);
      CAPTURE(number);
      Guarded tests(this_program(), one_of_each(), ending);
      const bool ready = happens([&] { return is_ready(tests); });
      CAPTURE(tests.output());
      REQUIRE(ready);
      CHECK(tests.processes().size() > 16);
      CHECK(tests.end(number).signal == number);
      CHECK(tests.left_over() == "");
    }
  }
}

TEST_CASE("Nothing that a test has started is left, however it ends the tests itself") {
  if (!tells_of_processes()) return;
  for (const std::string ending : {"abort", "exception", "require", "terminate"}) {
    CAPTURE(ending);
    Guarded tests(this_program(), one_of_each(), ending);
    const pid_t pid = tests.pid();
    CHECK(happens([&] { return !is_running(pid); }));
    tests.end(0);
    CHECK(tests.left_over() == "");
  }
}

TEST_CASE("A request to leave is noted also while a cluster ends") {
  const Scratch scratch;
  const std::string heard = scratch.path() + "/heard";
  std::thread asker;
  {
    LocalCluster cluster;
    const std::string ready = scratch.path() + "/ready";
    cluster.start(
        {"sh", "-c",
         "trap : TERM; : > " + ready + "; until [ -e " + heard + " ]; do sleep 0.01; done"});
    REQUIRE(cluster.wait_until([&] { return fs::exists(ready); }, patience));
    asker = std::thread([&] {
      // From then on the cluster waits for its process.
      wait_until([] {
        struct sigaction now = {};
        sigaction(SIGCHLD, nullptr, &now);
        return now.sa_handler == SIG_IGN;
      });
      ::kill(getpid(), SIGINT);
      std::ofstream(heard).put('\n');
    });
  }
  asker.join();
  CHECK(was_asked_to_leave() == SIGINT);
  note_request_to_leave(0);
}

TEST_CASE("Nothing is left of chaos, nor of a benchmark, whatever signal ends it") {
  if (!tells_of_processes()) return;
  struct Case {
    std::string program;
    Arguments arguments;
  };
  for (const Case& given : {Case{"chaos/chaos", {"--rounds=1000", "--nodes=8"}},
                            Case{"bench/real_bench", {"elect-100"}}}) {
    for (const int number : {SIGTERM, SIGINT, SIGKILL}) {
      CAPTURE(given.program);
      CAPTURE(number);
      Guarded program(beside_this_program(given.program), given.arguments);
      REQUIRE(happens([&] { return program.processes().size() > 12; }));
      program.end(number);
      CHECK(program.left_over() == "");
    }
  }
}

TEST_CASE("Nothing is left of a scenario on real processes, whatever signal ends it") {
  if (!tells_of_processes()) return;
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGKILL}) {
    CAPTURE(number);
    const Scratch scratch;
    Guarded scenario(binary_under_test(), real_scenario(scratch, "nodes 1..4\nrun 300s\n"));
    REQUIRE(happens([&] { return scenario.processes().size() > 5; }));
    for (const int ignored : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) scenario.signal_guards(ignored);
    scenario.end(number);
    CHECK(scenario.left_over() == "");
  }
}

#ifdef __linux__
TEST_CASE("A scenario ends at once also where a process does not obey a stop") {
  if (!tells_of_processes()) return;
  for (const int number : {SIGINT, SIGTERM}) {
    CAPTURE(number);
    const Scratch scratch;
    Guarded scenario(binary_under_test(), real_scenario(scratch, "nodes 1..3\nrun 3s\npause 2\n"));
    REQUIRE(happens([&] { return contains(scenario.output(), "run 3s"); }));
    pid_t second = 0;
    for (const ProcessEntry& child : children_of(scenario.pid())) {
      if (contains(command_of(child.pid), " 2 --quiet --controlled")) second = child.pid;
    }
    REQUIRE(second > 0);
    // Its tracer gets the SIGSTOP, and keeps it.
    if (ptrace(PTRACE_SEIZE, second, nullptr, nullptr) != 0) {
      MESSAGE("not tested: this system lets no process trace another");
      return;
    }
    int status = 0;
    REQUIRE(waitpid(second, &status, __WALL) == second);
    const bool is_kept = status >> 8 == SIGSTOP;  // not yet stopped by it
    REQUIRE(is_kept);
    ::kill(scenario.pid(), number);
    // It has to be waited for by its tracer, before others learn of its end.
    CHECK(wait_until([&] { return waitpid(second, &status, __WALL | WNOHANG) == second; }));
    CHECK(scenario.end(0).exit_code == 128 + number);
    CHECK(contains(scenario.output(), "interrupted"));
    CHECK(scenario.left_over() == "");
  }
}
#endif

// --- run_cluster.sh ---

void end_cluster(const Arguments& options, int number, bool in_terminal) {
  CAPTURE(options.front());
  CAPTURE(number);
  Guarded script("./run_cluster.sh", Arguments{"3", "--lang=en"} + options, "", in_terminal);
  // The demonstration has a directory of its own.
  const bool demo = options.front() == "--demo";
  std::string output;
  const bool ready = happens([&] {
    output = script.output();  // a terminal that nobody reads would fill up
    return script.processes().size() > 6 && (demo || script.place().live().size() == 3);
  });
  CAPTURE(output);
  REQUIRE(ready);
  for (const int ignored : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) script.signal_guards(ignored);
  script.end(number);
  CHECK(script.left_over() == "");
}

TEST_CASE("A child that is forked while its cluster ends knows that no process would end it") {
  std::optional<Guard> guard(std::in_place);
  const Pipe ended = make_pipe("from the cluster that ends");
  Child child([&] {
    pollfd polled{ended.read_end.get(), POLLIN, 0};
    poll(&polled, 1, -1);
    _exit(guard->add_this_process() ? 1 : 0);
  });
  guard.reset();
  REQUIRE(write(ended.write_end.get(), "", 1) == 1);
  CHECK(child.end().exit_code == 0);
}

TEST_CASE("Nothing is left of a cluster, whatever signal ends run_cluster.sh") {
  if (!tells_of_processes()) return;
  for (const int number : {SIGTERM, SIGINT, SIGKILL}) {
    end_cluster({"--color=never"}, number, false);
    end_cluster({"--demo", "--pace=300ms"}, number, false);  // else it may be over before
    end_cluster({"--watch"}, number, true);
  }
}

TEST_CASE("Nothing is left of a cluster with a stopped node after SIGKILL of run_cluster.sh") {
  if (!tells_of_processes()) return;
  Guarded script("./run_cluster.sh", {"2"});
  REQUIRE(happens([&] { return script.place().live().size() == 2; }));
  const auto named = script.place().live().front().id;  // in a cluster, ids are PIDs
  REQUIRE(is_running(static_cast<pid_t>(named)));
  kill(static_cast<pid_t>(named), SIGSTOP);
  script.end(SIGKILL);
  CHECK(script.left_over() == "");
}

TEST_CASE("No name is left of nodes that were killed, after SIGKILL of run_cluster.sh") {
  if (!tells_of_processes()) return;
  Guarded script("./run_cluster.sh", {"3"});
  REQUIRE(happens([&] { return script.place().live().size() == 3; }));
  kill(script.pid(), SIGSTOP);  // so it does not clean up itself
  const Directory directory(script.place().nodes(), false);
  for (const NodeId id : directory.ids()) {
    REQUIRE(is_running(static_cast<pid_t>(id)));  // in a cluster, ids are PIDs
    kill(static_cast<pid_t>(id), SIGKILL);
  }
  script.end(SIGKILL);
  CHECK(script.left_over() == "");
}

TEST_CASE("Nothing is left of a cluster that is killed at any moment of its start") {
  if (!tells_of_processes()) return;
  for (int ms = 0; ms < 400; ms += 20) {
    CAPTURE(ms);
    Guarded script("./run_cluster.sh", {"3"});
    poll(nullptr, 0, ms);  // the moment
    script.end(SIGKILL);
    CHECK(script.left_over() == "");
  }
}

}  // namespace
}  // namespace bully
