// arena_test.cc: that the arena of the driver of chaos writes down what it does to nodes.
#include <doctest/doctest.h>

#include "support/acts.h"
#include "support/arena.h"
#include "support/process.h"

using namespace bully;

TEST_CASE("Arena: what was done to a node is in the trace, around all that the node did") {
  Arena arena({"--ping-interval=50ms", "--ping-timeout=200ms"});
  for (const NodeId id : std::initializer_list<NodeId>{1, 2, 3})
    arena.start(id, {"--trace=" + arena.trace()});
  const auto agree = [&] { return !arena.disagreement(); };
  REQUIRE(wait_until(agree));
  const pid_t pid = arena.pid_of(3);
  arena.stop(3);
  arena.resume(3);
  REQUIRE(wait_until(agree));
  arena.kill_monitor(2);
  arena.kill(3);
  REQUIRE(wait_until(agree));

  check_acts(arena.trace(), 3, pid);
  CHECK(arena.end().empty());
}

TEST_CASE("Arena: a process that was killed before it wrote anything is in no trace") {
  Arena arena({});
  arena.start(1);  // it writes none
  REQUIRE(wait_until([&] { return !arena.disagreement(); }));
  arena.stop(1);
  arena.resume(1);
  arena.kill(1);
  CHECK(contents(arena.trace()).empty());
}
