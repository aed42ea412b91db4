// cluster_script_test.cc: `./run_cluster.sh`, run as a user runs it. Run from the top level.
//
// Its demonstration: demo_script_test.cc; its --watch: watch_session_script_test.cc.
#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "election/algorithm.h"
#include "fixture/said.h"
#include "fixture/scripts.h"
#include "fixture/session.h"

using namespace bully;
namespace fs = std::filesystem;

namespace {

void check_clean_end(ScriptedCluster& cluster, int status = 0) {
  check_clean_end(cluster.place(), cluster.run(), status);
}

// A command of a shell, in a directory of such commands, which is returned.
std::string add_command(const Place& place, const std::string& name, const std::string& text) {
  const fs::path bin = place.path() / "bin";
  fs::create_directory(bin);
  std::ofstream(bin / name) << "#!/bin/sh\n" << text << '\n';
  fs::permissions(bin / name, fs::perms::owner_all);
  return bin;
}

}  // namespace

TEST_CASE("run_cluster.sh, its demonstration and kill_node.sh, as a user runs them" *
          doctest::test_suite("long")) {
  check_session("tests/commands/scripts.session");
}

TEST_CASE("Ctrl-C also while the nodes are still being started") {
  const Place place;
  Command cluster(place, run_cluster + Words{"20"});
  REQUIRE(happens([&] { return place.live().size() >= 2; }));
  cluster.signal_group(SIGINT);
  check_clean_end(place, cluster);
}

TEST_CASE("a cluster in slow motion starts a node when the others know the one before") {
  const Place place;
  Command cluster(place, run_cluster + Words{"3", "--ids", "--pace=300ms"});
  REQUIRE(happens([&] { return place.agree(3); }));
  CHECK(contains(cluster.output(), "The next node starts when all 2 follow the same coordinator."));
  // As many messages as at full speed: each that starts announces itself to those below.
  std::uint64_t sent = 0;
  for (const NodeStatus& peer : place.live()) sent += election_total(peer.sent);
  CHECK(sent == 1 + 2);
  cluster.signal_group(SIGINT);
  check_clean_end(place, cluster);
}

TEST_CASE("Ctrl-C again and again ends a cluster no other way than once") {
  ScriptedCluster cluster(3);
  for (int i = 0; i < 20; ++i) cluster.run().signal_group(SIGINT);
  check_clean_end(cluster);
}

TEST_CASE("run_cluster.sh waits as long whatever the wall clock says meanwhile") {
  const Place place;
  const std::string looks = place.path() / "looks";
  // Each look at the clock finds it an hour later.
  const std::string bin = add_command(
      place, "date", "echo >>'" + looks + "'\necho $(($(wc -l <'" + looks + "') * 3600))");
  output_of(place, run_cluster + Words{"--demo", "3"}, 0, {"PATH=" + bin + ":" + getenv("PATH")});
}

TEST_CASE("a cluster with --ids has ids 1 to N, whatever its PIDs") {
  const Place place;
  Command cluster(place, run_cluster + Words{"4", "--ids", "--dir=" + place.nodes()});
  REQUIRE(happens([&] { return place.agree(4); }));
  std::set<NodeId> ids;
  for (const NodeStatus& peer : place.live()) {
    ids.insert(peer.id);
    CHECK(peer.pid != static_cast<pid_t>(peer.id));
    const std::string joins =
        "joins as process " + std::to_string(peer.id) + " (PID " + std::to_string(peer.pid) + ')';
    CHECK(cluster.says(joins));
  }
  CHECK(ids == std::set<NodeId>{1, 2, 3, 4});
  CHECK(cluster.end_by(SIGINT) == 0);
  CHECK(place.has_no_socket());
}

TEST_CASE("a cluster whose ids are taken by others says so, and ends") {
  ScriptedCluster other(2, {"--ids"});
  const Result refused = run(other.place(), run_cluster + Words{"2", "--ids"});
  check_said(refused, 1, {"a live process has this id"});
  CHECK(!contains(refused.output, "are running"));
  CHECK(other.place().agree(2));
}

TEST_CASE("what is wrong with the directory or the trace is said once by a cluster, and ends it") {
  const Place place;
  for (const Words& options : {Words{"--trace=/nonexistent/trace"}, Words{"--dir=/nonexistent/d"},
                               Words{"--demo", "--dir", "/nonexistent/d"}}) {
    Command cluster(place, run_cluster + options);
    check_clean_end(place, cluster, 1);
    CHECK_MESSAGE(count_of(cluster.output(), "/nonexistent") == 1, cluster.output());
  }
}

// --- A machine without a compiler ---

namespace {

// A copy of the script beside no binary, and a PATH with little more than a shell.
class BareMachine {
 public:
  explicit BareMachine(const std::string& user_id) {
    fs::create_directory(bin());
    for (const std::string tool :
         {"sh", "dirname", "sed", "cat", "rm", "mktemp", "chmod", "awk", "tr", "sleep"}) {
      const Result found = ::run(place_, {"sh", "-c", "command -v " + tool});
      fs::create_symlink(found.output.substr(0, found.output.find('\n')), bin() / tool);
    }
    fs::copy_file("run_cluster.sh", place_.path() / "run_cluster.sh");
    add("id", "echo " + user_id);
    add("uname", "echo Unix");
  }
  void add(const std::string& command, const std::string& text) {
    add_command(place_, command, text);
  }
  Result run(const Words& options = {}) {
    return ::run(place_, Words{place_.path() / "run_cluster.sh"} + options, environment());
  }
  Command started() const { return {place_, {place_.path() / "run_cluster.sh"}, environment()}; }
  fs::path bin() const { return place_.path() / "bin"; }
  fs::path path() const { return place_.path(); }

 private:
  Words environment() const { return {"PATH=" + bin().string(), "CXX="}; }

  Place place_;
};

}  // namespace

TEST_CASE("where a compiler is missing, the one command that installs it is printed") {
  struct Case {
    std::string manager, command;
  };
  for (const Case& given :
       {Case{"apt-get", "sudo apt-get update && sudo apt-get install -y g++ make"},
        Case{"dnf", "sudo dnf install -y gcc-c++ make"},
        Case{"pacman", "sudo pacman -S --needed --noconfirm gcc make"},
        Case{"apk", "sudo apk add g++ make"}, Case{"brew", "brew install gcc make"}}) {
    CAPTURE(given.manager);
    BareMachine machine("1000");
    machine.add(given.manager, "touch '" + (machine.path() / "was-run").string() + "'");
    check_said(machine.run(), 1, {"    " + given.command + "\n"});
    CHECK(!fs::exists(machine.path() / "was-run"));
  }
  BareMachine machine("1000");
  check_says(machine.run().output, {"GNU make are needed"});
  CHECK(contains(machine.run({"--lang=pt-BR"}).output, "são necessários"));
}

TEST_CASE("as root, a missing compiler is installed with apt, and the build goes on") {
  BareMachine machine("0");
  const std::string log = machine.path() / "log";
  const std::string make = machine.bin() / "make";
  // As make, it does not build; which shows that it got that far.
  machine.add("apt-get", "echo \"apt-get $*\" >>'" + log +
                             "'\necho 'Selecting previously unselected package'\n"
                             "[ \"$1\" = install ] || exit 0\n" +
                             "for tool in make g++; do\n  printf '#!/bin/sh\\nexit 1\\n' >'" +
                             machine.bin().string() + "'/$tool\n  chmod 755 '" +
                             machine.bin().string() + "'/$tool\ndone");
  const Result result = machine.run();
  CHECK(contents(log) == "apt-get update\napt-get install -y --no-install-recommends g++ make\n");
  check_says(result.output,
             {"installing g++ and make", "  Selecting previously unselected package\n"});
  check_said(result, 1, {"the build failed"});
}

TEST_CASE("where apt cannot install a compiler, it is shown why, and what would") {
  BareMachine machine("0");
  machine.add("apt-get", "echo 'E: no network' >&2\nexit 100");
  check_said(machine.run(), 1,
             {"E: no network\n", "    apt-get update && apt-get install -y g++ make\n"});
}

TEST_CASE(
    "while it compiles, the script says which unit of how many, and is never silent for long") {
  BareMachine machine("0");
  machine.add("g++", "exit 1");
  // A make of two units, of which the second takes long.
  machine.add(
      "make",
      "case \" $* \" in\n*' -q '*) exit 1 ;;\n"
      "*' -n '*) echo \"echo '  compile src/base'\"; echo \"echo '  compile src/trace'\" ;;\n"
      "*) echo '  compile src/base'; sleep 2; echo '  compile src/trace'; sleep 20; exit 1 ;;\n"
      "esac");
  check_said(machine.run({"--lang=en"}), 1,
             {"  1 of 2: base\n", "  2 of 2: trace\n", "  2 of 2: trace (1", "the build failed"});
}

TEST_CASE("a script that is ended while it compiles ends its make") {
  BareMachine machine("0");
  machine.add("g++", "exit 1");
  machine.add("make",
              "case \" $* \" in *' -q '* | *' -n '*) exit 1 ;; esac\necho '  compile "
              "src/base'\nexec sleep 1000");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    Command script = machine.started();
    REQUIRE(script.says(": base"));
    CHECK(script.end_by(signal) == 128 + signal);
    CHECK(happens([&] { return script.left_no_process(); }));
  }
}
