// explorer_map_test.cc: the map of all states, against the simulator and against the explorer.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "base/list.h"
#include "explorer/explorer.h"
#include "fixture/played.h"
#include "fixture/scripts.h"
#include "sim/player.h"
#include "sim/world.h"
#include "support/bounds.h"
#include "support/process.h"

using namespace bully;

namespace {

ExploreOptions bounds_of(const Algorithm& algorithm, std::size_t nodes, unsigned crashes,
                         unsigned restarts) {
  ExploreOptions options = bounds(nodes, crashes, restarts, algorithm);
  options.reduction = nullptr;
  return options;
}

std::string shown(const Snapshot& node) {
  std::string text = std::to_string(node.id) + ' ' + node.state + ' ' +
                     std::to_string(node.coordinator.value_or(0));
  for (const Variable& variable : node.variables) {
    text.append(" ").append(variable.name).append("=");
    text += variable.value ? std::to_string(*variable.value) : "-";
  }
  return text;
}

std::string shown(const Diagram& scene, const Diagram::Message& sent) {
  const Message message{.type = sent.type, .from = scene.lanes[sent.from], .values = sent.values};
  return std::to_string(scene.lanes[sent.to]) + ' ' + encode(message);
}

std::string shown(const StateMap& map, const StateMap::State& state) {
  std::string text;
  for (const Diagram::Place& place : state.places) text += shown(place.node) + '\n';
  std::multiset<std::string> messages;
  for (const std::size_t number : state.messages) {
    messages.insert(shown(map.scene, map.scene.messages[number]));
  }
  return text + joined(messages, "\n");
}

std::string shown(const World& world, std::size_t nodes) {
  std::string text;
  for (NodeId id = 1; id <= nodes; ++id) text += shown(world.snapshot(id)) + '\n';
  std::multiset<std::string> messages;
  for (const auto& [to, message, refused] : world.in_flight()) {
    Message text_only = message;
    text_only.number.reset();
    messages.insert((refused ? "gone " : "") + std::to_string(to) + ' ' + encode(text_only));
  }
  return text + joined(messages, "\n");
}

// A random way through the map.
struct Walk {
  std::string script;
  std::vector<std::pair<std::size_t, std::size_t>> passed = {};  // a state, steps until it
};

Walk walk_through(const StateMap& map, std::uint64_t seed, int length) {
  Random random(seed);
  Walk walk{map.beginning};
  std::size_t at = 0;
  for (int step = 0; step < length && !map.states[at].edges.empty(); ++step) {
    const auto& edges = map.states[at].edges;
    const StateMap::Edge edge = edges[random.below(edges.size())];
    for (const std::string& line : map.turns[edge.turn].lines) walk.script += line + '\n';
    at = edge.target;
    walk.passed.emplace_back(at, parsed(walk.script).steps.size());
  }
  return walk;
}

// Plays the script of a random way, as far as it is known, and compares each state with the map's.
// Empty: all are the same.
std::string difference(const StateMap& map, const ExploreOptions& options, std::uint64_t seed) {
  const auto& [script, passed] = walk_through(map, seed, 60);
  const Scenario scenario = parsed(script);
  SimulatedBackend backend(scenario);
  std::size_t done = 0;
  for (const auto& [state, steps] : passed) {
    for (; done < steps; ++done) {
      const auto wrong = backend.perform(scenario.steps[done]);
      if (wrong) return script + "cannot: " + scenario.steps[done].text + ": " + wrong->key.data();
    }
    const std::string expected = shown(map, map.states[state]);
    const std::string found = shown(backend.world(), options.nodes);
    if (found != expected) {
      return script + "after " + scenario.steps[done - 1].text + "\n" + expected + "but\n" + found;
    }
  }
  return {};
}

void check_walks(const ExploreOptions& options, int walks) {
  const ProtocolMaker make =
      options.variant != nullptr ? options.variant->make : options.algorithm->make;
  const StateMap map = map_of(options, make);
  for (int walk = 0; walk < walks; ++walk) {
    const std::string wrong = difference(map, options, static_cast<std::uint64_t>(walk));
    INFO(wrong);
    CHECK(wrong.empty());
    if (!wrong.empty()) return;
  }
}

}  // namespace

TEST_CASE("the map of all states has those of the plain search") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    const ExploreOptions options = bounds_of(algorithm, 3, 1, 0);
    const StateMap map = map_of(options, algorithm.make);
    const ExploreResult result = explore(options, algorithm.make);
    CHECK(map.states.size() == result.states);
    CHECK(map.edges == result.transitions - 1);
    CHECK(std::ranges::count_if(map.states, &StateMap::State::is_end) ==
          static_cast<std::ptrdiff_t>(result.quiescent));
    CHECK(map.is_whole());
  }
}

TEST_CASE("no two messages of a map say the same to the same node") {
  std::size_t number = 0;
  for (const Algorithm& algorithm : algorithms()) {
    if (!is_tried(number++)) continue;
    CAPTURE(algorithm.name);
    ExploreOptions options = bounds_of(algorithm, 3, 2, 1);
    options.timing = Timing::asynchronous;
    std::set<std::string> seen;
    const Diagram scene = map_of(options, algorithm.make).scene;
    for (const Diagram::Message& sent : scene.messages) {
      const std::string message = shown(scene, sent);
      CAPTURE(message);
      CHECK(seen.insert(message).second);
    }
  }
}

TEST_CASE("what a process of the map sends is in flight afterwards, or it is lost") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    const StateMap map = map_of(bounds_of(algorithm, 3, 1, 1), algorithm.make);
    std::size_t missing = 0;
    for (const StateMap::State& state : map.states) {
      for (const auto& [turn, target] : state.edges) {
        const Diagram::Step& taken = map.turns[turn].taken;
        const auto is_lost = [&](NodeId to) {
          return std::ranges::any_of(taken.records, [to](const Record& record) {
            return record.event == TraceEvent::lost && record.to == to;
          });
        };
        for (const std::size_t sent : taken.sent) {
          if (is_lost(map.scene.lanes[map.scene.messages[sent].to])) continue;
          missing += std::ranges::count(map.states[target].messages, sent) > 0 ? 0 : 1;
        }
      }
    }
    CHECK(missing == 0);
  }
}

TEST_CASE("each way through the map is one that the simulator can go") {
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    check_walks(bounds_of(algorithm, 3, 1, 1), static_cast<int>(tried(200)));
  }
}

TEST_CASE("real processes go the ways of the map as well") {
  const Place place;
  for (const Algorithm& algorithm : algorithms()) {
    const ExploreOptions options = bounds_of(algorithm, 3, 1, 1);
    const StateMap map = map_of(options, algorithm.make);
    const std::string script = walk_through(map, algorithm.name.size(), 10).script;
    CAPTURE(script);
    output_of(place,
              {"./bully", "scenario", place.written("way.txt", script), "--real", "--lang=en"});
  }
}

TEST_CASE("the simulator goes the map's ways with more faults, and with a wrong protocol") {
  const auto walks = static_cast<int>(tried(is_soak() ? 500 : 50));
  std::size_t number = 0;
  for (const Algorithm& algorithm : algorithms()) {
    if (!is_tried(number++)) continue;
    CAPTURE(algorithm.name);
    ExploreOptions options = bounds_of(algorithm, 3, 1, 1);
    options.crashes = 2;
    SUBCASE("false alarms") {
      options.timing = Timing::asynchronous;
      options.false_alarms = 2;
    }
    SUBCASE("partitions") {
      options.partitions = 1;
      options.crashes = 0;
      options.restarts = 0;
    }
    SUBCASE("leaderless, in another order") {
      options.beginning = Beginning::leaderless;
      if (options.algorithm->has_ring()) options.arrangement = {1, 3, 2};
    }
    SUBCASE("messages overtake one another") {
      options.delivery = Delivery::any_order;
    }
    SUBCASE("one backlog for all") {
      options.delivery = Delivery::arrival_order;
    }
    check_walks(options, walks);
    for (const Variant& variant : algorithm.variants) {
      if (!is_tried(number++)) continue;
      options.variant = &variant;
      check_walks(options, walks);
    }
  }
}
