// watch_session_script_test.cc: `./run_cluster.sh --watch`, in a terminal of its own. Run from the
// top level.
#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/list.h"
#include "fixture/scripts.h"
#include "node/directory.h"
#include "node/peer_process.h"
#include "support/pseudo_terminal.h"

using namespace bully;
namespace fs = std::filesystem;

TEST_CASE("run_cluster.sh --watch shows its nodes and their elections; q ends everything") {
  const Place place;
  PseudoTerminal terminal(cluster_in_terminal(place, {"3"}), 40, 100);
  REQUIRE(terminal.shows("nodes: 3  in " + place.nodes()));
  const std::vector<NodeStatus> peers = query_status(Directory(place.nodes(), false), patience);
  REQUIRE(peers.size() == 3);
  const std::string highest = std::to_string(peers[2].id);
  const std::string next = std::to_string(peers[1].id);
  CHECK(terminal.shows("all follow " + highest));
  for (const NodeStatus& peer : peers) {
    const std::string id = std::to_string(peer.id);
    CHECK(terminal.shows(joined(Words{id, id}, "  ")));  // the ids of a cluster are its PIDs
  }
  // The messages are the trace's, which the script has its nodes write.
  CHECK(terminal.shows("\u2192  COORDINATOR  to "));

  kill(static_cast<pid_t>(peers[2].pid), SIGKILL);
  CHECK(terminal.shows(highest + "  !  crashed"));
  CHECK(terminal.shows("all follow " + next));
  CHECK(terminal.end_by("q").exit_code == 0);
  // The terminal is as it was found, and nothing is left.
  CHECK(!terminal.is_other_screen());
  CHECK(terminal.is_cursor_shown());
  CHECK(terminal.has_first_settings());
  CHECK(is_empty_session(terminal.pid()));
  CHECK(fs::is_empty(place.nodes()));
  CHECK(fs::is_empty(place.temporary()));
}

TEST_CASE("run_cluster.sh --watch leaves the terminal as it was also after SIGKILL") {
  const Place place;
  // A shell in between: when the leader of a terminal's session ends, nobody can write there.
  Program program = cluster_in_terminal(place, {});
  program.arguments = {"-c",
                       "trap : HUP; ./run_cluster.sh 2 --watch --lang=en --dir=\"$0\"; read -r x",
                       place.nodes()};
  program.binary = "/bin/sh";
  PseudoTerminal terminal(program, 24, 80);
  REQUIRE(terminal.shows("nodes: 2  in "));
  CHECK(terminal.is_other_screen());
  const auto children = children_of(terminal.pid());
  REQUIRE(children.size() == 1);
  kill(children[0].pid, SIGKILL);
  CHECK(happens([&] { return terminal.has_first_settings(); }));
  CHECK(happens([&] { return fs::is_empty(place.temporary()) && fs::is_empty(place.nodes()); }));
  CHECK(!terminal.is_other_screen());
  CHECK(terminal.is_cursor_shown());
  terminal.end_by("\n");
}
