// state_map.h: all that can happen in an election within bounds, as plain data: the states, the
// steps between them, and what comes of each. It is the explorer's world (explorer.h), without the
// reductions that make a search short and forget what people want to see.
//
// What is the same stands here once: what a node is in thousands of states, a message, a step and
// what its node does then. So a state and an edge are a few numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "election/record.h"
#include "sim/explorer.h"

namespace bully {

struct StateMap {
  using Number = std::uint32_t;  // a place in one of the tables below

  struct Place {
    Snapshot node;
    std::vector<Timer> timers;  // that run

    bool operator==(const Place&) const = default;
  };
  struct Sent {
    NodeId to = 0;
    Message message;
  };
  // A step and what came of it; the same in all states in which its node stands as it does here.
  struct Turn {
    Step step;
    bool is_fault = false;
    // Of Turn::step.id(), as its process would record them: what came to it, the rules that it
    // acted by, what it sent and lost, what it has become. Empty for what happens to the network.
    std::vector<Record> records;
    Snapshot before;
    Snapshot after;
    std::vector<Number> sent;             // in `messages`; those that met nobody, too
    std::optional<Number> delivered;      // likewise
    std::vector<std::string> lines = {};  // of a script (scenario.h)
  };
  struct Edge {
    Number turn = 0;
    Number target = 0;
  };
  struct State {
    std::vector<Number> places;  // of node 1, 2, …
    // In flight: of those to one node, the one that may be delivered first comes first.
    std::vector<Number> messages;
    NodeId far_side = 0;  // of a network that is cut: those nodes, one bit for each; else 0
    std::array<unsigned, 4> left = {};  // crashes, restarts, partitions and false alarms
    std::vector<bool> broken;           // of `judged`, those that do not hold here
    bool is_end = false;                // nothing is left to happen but faults
    bool is_explored = true;            // else its edges are not known
    std::vector<Edge> edges = {};
  };

  std::vector<Place> places;
  std::vector<Sent> messages;
  std::vector<Turn> turns;
  std::vector<State> states;  // the first is the beginning
  // That one look at all nodes can judge: those that the algorithm owes, promised or not.
  std::vector<const Property*> judged;
  std::vector<NodeId> ring;  // the nodes clockwise; by id where there is no ring
  std::string beginning;     // of each script that plays a way
  std::uint64_t edges = 0;
  bool is_whole = true;  // else a limit was reached: some states are not explored
};

struct MapLimits {
  std::uint64_t states = 20'000;
  std::uint64_t edges = 100'000;
};

// Breadth first, and no farther than the limits. Throws as explore() does; a model's own bound
// (ExploreResult::bound) ends it like a limit.
StateMap map_of(const ExploreOptions& options, const ProtocolMaker& make, const MapLimits& limits);

// What a script of a run of these options begins with, until all messages wait. `is_led`: nobody's
// monitor is to report before the script says so.
std::string beginning_of(const ExploreOptions& options, bool is_led);

}  // namespace bully
