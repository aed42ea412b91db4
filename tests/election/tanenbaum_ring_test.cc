// tanenbaum_ring_test.cc: what the ring with a list costs, and that it holds in every interleaving.
// Each sentence of it is in steps_test.cc.
#include "election/tanenbaum_ring.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "explorer/explorer.h"
#include "fixture/explored.h"
#include "fixture/recorded_run.h"
#include "mutants/list_mutants.h"
#include "sim/world.h"
#include "support/bounds.h"
#include "support/log_text.h"
#include "support/messages.h"

namespace bully {
namespace {

using List = FieldValues::List;

ExploreOptions options_of(std::size_t nodes, unsigned crashes, unsigned restarts) {
  return bounds(nodes, crashes, restarts, algorithm_named("tanenbaum-ring"));
}

}  // namespace

TEST_CASE("k processes that notice at once take 2nk messages, a thousand of them as well") {
  for (const auto& size : {std::pair<NodeId, NodeId>{1000, 1}, {1000, 3}, {8, 8}, {2, 1}}) {
    const auto& [n, k] = size;
    INFO(size.first, ", ", size.second);
    World world(recorded::quiet(algorithm_named("tanenbaum-ring")));
    world.preset(one_to(n + 1));
    world.crash(n + 1);
    for (NodeId id = 1; id <= k; ++id) world.suspect(id);
    world.run_until_quiescent(std::chrono::minutes(10));
    CHECK(world.agreed());
    CHECK(election_total(world.delivered()) == 2 * n * k);
  }
}

TEST_CASE("a list of a thousand ids of seven digits has room in a message, and more has not") {
  Message message{.type = messages::list_election, .from = 9'999'999};
  message.values.set_list(List(1000, 9'999'999));
  CHECK(encode(message.set(fields::epoch, 1)).size() < 8100);
  CHECK(decode(encode(message)) == message);
  message.values.set_list(List(8200, 9'999'999));
  CHECK(is_too_long(message));
  CHECK(decode(encode(message)) == std::nullopt);
}

TEST_CASE("the log says of a process whether its own list goes round") {
  const std::vector<Record> records = {{.node = 2, .event = TraceEvent::state, .state = "active"},
                                       {.node = 2, .event = TraceEvent::state, .state = "relay"}};
  CHECK(log_text(records, Language::english) ==
        "00:00      2  *  active: its message goes round\n"
        "00:00      2  *  relay: passes messages on\n");
}

TEST_CASE("explorer: the ring with a list holds in every interleaving of 3, and of 4") {
  for (const ExploreOptions& options :
       {options_of(3, 2, 1), options_of(3, 1, 0), options_of(4, 1, 0)}) {
    check_holds(options);
  }
}

TEST_CASE("explorer: each mutation of the ring with a list is caught, and can be played") {
  std::vector<ExploreOptions> all = {options_of(3, 0, 0), options_of(2, 1, 0), options_of(3, 1, 0)};
  for (ExploreOptions& options : all) {
    options.beginning = Beginning::leaderless;
    options.max_states = 60'000;
  }
  all[0].detectors = {1};
  all[0].max_messages = 6;  // 2n
  for (const ExploreOptions& options : all) check_holds(options);
  for (std::size_t i = 0; i < ListMutant::names.size(); ++i) {
    CAPTURE(ListMutant::names[i]);
    CHECK(is_caught(all, maker_of<ListMutant>(static_cast<ListMutation>(i))));
  }
}

}  // namespace bully
