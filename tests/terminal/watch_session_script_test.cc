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
