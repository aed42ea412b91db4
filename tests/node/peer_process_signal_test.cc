// peer_process_signal_test.cc: no signal reaches a process that is not the node, whatever a reply
// says: by `bully kill`, by kill_node.sh, and by the keys of `bully watch`. Run from the top level.
//
// What could signal every process of the user if it went wrong runs in a PID namespace of its own,
// whose first process is the test; where there are none, it is left out.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "fixture/bystander.h"
#include "fixture/said.h"
#include "fixture/scripts.h"
#include "support/pseudo_terminal.h"

using namespace bully;

namespace {

const Words kill_command = {"./bully", "kill"};

// A fake node 7 that claims a PID: that of an innocent process unless another is given.
struct Fake {
  explicit Fake(const std::string& claimed = "")
      : pid(claimed.empty() ? std::to_string(innocent.pid()) : claimed),
        node(place.nodes() + "/7", status_reply("7", pid)) {}
  void check_untouched() {
    CHECK(innocent.is_untouched());
    CHECK(node.is_untouched());
  }

  Place place;
  Bystander innocent;
  std::string pid;
  Bystander node;
};

// No command may signal it; `words` is why.
void check_commands(Fake& fake, const std::string& words) {
  CAPTURE(fake.pid);
  const auto is_refused = [&](const Words& command, const std::string& why) {
    CAPTURE(command.back());
    check_says(output_of(fake.place, command, 1), {why});
    fake.check_untouched();
  };
  for (const char* signal : {"KILL", "TERM", "STOP", "CONT"}) {
    const std::string option = std::string("--signal=") + signal;
    is_refused(kill_command + Words{"7", option}, words);
    is_refused(kill_node + Words{"7", option}, words);
  }
  is_refused(kill_node + Words{"--all"}, words);
  for (const Words& whom : {Words{}, Words{"--lowest"}, Words{"--random"}}) {
    is_refused(kill_node + whom, "has identified itself as a node of bully");
  }
}

// Nor may a key of `bully watch`.
void check_watch(Fake& fake, const std::string& words) {
  CAPTURE(fake.pid);
  for (const char* key : {"K", "S", "C"}) {
    CAPTURE(key);
    PseudoTerminal terminal(
        {"watch", "--dir=" + fake.place.nodes(), "--interval=50ms", "--lang=en"}, 24, 100);
    REQUIRE(terminal.shows(">  7  "));
    CHECK(terminal.shows_after(key, "no signal sent: 7 " + words));
    fake.check_untouched();
    CHECK(terminal.end_by("q").exit_code == 0);
  }
}

}  // namespace

TEST_CASE("a reply with another process's PID leads to no signal to that process") {
  Fake fake;
  check_commands(fake, "says that it is PID " + fake.pid);
  check_watch(fake, "says that it is PID " + fake.pid);
}

TEST_CASE("a contradicted reply is refused with both PIDs") {
  Fake fake;
  for (const Words& whom : {Words{"7"}, Words{"--all"}, Words{"--lowest"}, Words{"--random"}}) {
    check_says(output_of(fake.place, kill_command + whom, 1),
               {"7 says that it is PID " + fake.pid + ", the kernel says " +
                std::to_string(fake.node.pid()) + ": a fake, or a node in a"});
    fake.check_untouched();
  }
  check_says(run(fake.place, kill_command + Words{"7", "--lang=pt-BR"}).output,
             {"7 diz ser o PID " + fake.pid + ", o kernel diz "});
}

TEST_CASE("a fake has no say in the choice of the coordinator") {
  ScriptedCluster cluster(2);
  const NodeId highest = cluster.highest();
  Bystander innocent;
  Bystander fake(cluster.place().nodes() + "/99999999",
                 status_reply("99999999", std::to_string(innocent.pid())));
  for (const std::string signal : {"STOP", "CONT"}) {
    check_said(cluster.kill({"--signal=" + signal}), 0,
               {"SIG" + signal + " to " + std::to_string(highest) + " "});
  }
  CHECK(innocent.is_untouched());
}

TEST_CASE("a process that claims to be PID 1 is refused") {
  Fake fake("1");
  check_commands(fake, "says that it is PID 1");
}

TEST_CASE("a PID that means many processes to kill(2) is no PID") {
  for (const char* pid : {"0", "-1"}) {
    Fake fake(pid);
    check_commands(fake, "listens, but has not identified itself as a node");
  }
}

TEST_CASE("inside a PID namespace: PIDs that no pid_t holds" * doctest::skip()) {
  REQUIRE(getpid() == 1);
  for (const char* pid : {"4294967295", "4294967296", "2147483648", "18446744073709551615"}) {
    Fake fake(pid);
    check_commands(fake, "listens, but has not identified itself as a node");
  }
  Fake fake("4294967295");
  check_watch(fake, "listens, but has not identified itself as a node");
}

TEST_CASE("a PID that no pid_t holds signals no process") {
  if (!has_pid_namespaces()) return;
  check_said(run_in_pid_namespace("inside a PID namespace: PIDs that*"), 0, {});
}

TEST_CASE("a node in another PID namespace is refused from outside, and from inside") {
  if (!has_pid_namespaces()) return;
  const Place place;
  Command inside(place, in_pid_namespace + Words{"./bully", "7"});
  REQUIRE(happens([&] { return place.agree(1); }));
  for (const Words& options : {Words{"7"}, Words{"--all"}, Words{}}) {
    check_says(output_of(place, kill_node + options, 1),
               {"7 says that it is PID 1, the kernel says ",
                "a node in a container can be signalled only from within it"});
  }
  CHECK(place.agree(1));

  // The other way round, the kernel has no PID to tell.
  Command outside(place, {"./bully", "8"});
  REQUIRE(happens([&] { return place.agree(2); }));
  check_says(output_of(place, in_pid_namespace + kill_command + Words{"8"}, 1),
             {"8 lives in another PID namespace"});
  CHECK(place.agree(2));
}
