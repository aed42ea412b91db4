// state_map.h: every run of an election within bounds, as plain data: the states, the steps between
// them, and their results. It is the explorer's world (explorer.h), without the reductions that
// make a search short and forget details that people want to see.
//
// Shared parts are stored once: a node's state in thousands of states of the map, a message, a step
// with its node's reaction. So a state and an edge are a few numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "election/record.h"
#include "sim/explorer.h"

namespace bully {

struct StateMap {
  static constexpr std::uint64_t max_states = 20'000;
  static constexpr std::uint64_t max_edges = 100'000;
  using Number = std::uint32_t;  // an index into a table below

  struct Place {
    Snapshot node;
    bool waits = false;  // a timer runs

    bool operator==(const Place&) const = default;
  };
  // A step and its result; the same in all states of the map in which its node has this state.
  struct Turn {
    Step step;
    bool is_fault = false;
    // The records that the process Turn::step.id() would make: the event, the rules that fired, the
    // messages sent and lost, its new state. Empty for a step of the network.
    std::vector<Record> records;
    Snapshot before;
    Snapshot after;
    std::vector<Number> sent;             // in `messages`; including messages that found no process
    std::optional<Number> delivered;      // likewise
    std::vector<std::string> lines = {};  // of a script (scenario.h)
  };
  struct Edge {
    Number turn = 0;
    Number target = 0;
  };
  struct State {
    std::vector<Number> places;  // of node 1, 2, …
    // In flight: among messages to one node, the next to be delivered comes first.
    std::vector<Number> messages;
    std::vector<bool> broken;  // the properties of `judged` that do not hold here
    bool is_end = false;       // only faults are left to happen
    bool is_explored = true;   // otherwise its edges are not known
    std::vector<Edge> edges = {};
  };

  std::vector<Place> places;
  std::vector<Send> messages;
  std::vector<Turn> turns;
  std::vector<State> states;  // the first is the beginning
  // The properties that one look at all nodes can judge: the algorithm's, promised or not.
  std::vector<const Property*> judged;
  std::vector<NodeId> ring;  // the nodes clockwise; by id if there is no ring
  std::string beginning;     // of each script that plays a way
  std::uint64_t edges = 0;
  bool is_whole = true;  // otherwise a limit was reached: some states are not explored
};

// Breadth first, and no farther than StateMap's limits. Throws as explore() does; a model's own
// bound (ExploreResult::bound) ends it like a limit.
StateMap map_of(const ExploreOptions& options, const ProtocolMaker& make);

// The beginning of a script for a run of these options, until all messages wait. `is_led`: no
// monitor reports before the script says so.
std::string beginning_of(const ExploreOptions& options, bool is_led);

}  // namespace bully
