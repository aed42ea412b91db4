// state_map.h: every run of an election within bounds, as plain data: the states, the steps between
// them, and their results. It is the explorer's world (../explorer/explorer.h), without the
// reductions that make a search short and forget details that people want to see.
//
// It consists of the parts of a diagram (space_time_diagram.h), so the pictures of a run draw it as
// well. A message, and a step with its node's reaction, are stored once.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "values/exploration.h"
#include "values/script_step.h"
#include "values/space_time_diagram.h"

namespace bully {

struct StateMap {
  static constexpr std::uint64_t max_states = 20'000;
  static constexpr std::uint64_t max_edges = 100'000;

  // A step and its result; the same in all states of the map in which its node has this state.
  struct Turn {
    Step step;
    bool is_fault = false;
    // The reaction of the process Turn::step.id(), with the records that it would make, also of
    // messages lost at once. Without records for a step of the network, at which no process acts.
    Diagram::Step taken = {};
    // For `lines`: the number of receivers that it learns are gone; and if it crashes in midst of
    // an event, the messages that it has not sent yet, to nodes that it can reach.
    std::size_t learned_gone = 0;
    std::vector<Diagram::Message> unsent = {};
    std::vector<std::string> lines = {};  // of a script (../sim/script.h)

    bool is_of_network() const { return taken.records.empty(); }
  };
  struct Edge {
    std::size_t turn = 0;  // in `turns`
    std::size_t target = 0;
  };
  struct State {
    std::vector<Diagram::Place> places;  // by lane
    // In flight, in `scene`: among messages to one node, the next to be delivered comes first.
    std::vector<std::size_t> messages;
    std::vector<std::uint64_t> sides = {};  // of a cut network, by lane; empty if it is not cut
    std::bitset<32> broken;                 // the properties of `judged` that do not hold here
    bool is_end = false;                    // only faults are left to happen
    bool is_explored = true;                // otherwise its edges are not known
    std::vector<Edge> edges = {};
  };

  Diagram scene;  // the processes and all messages, without steps
  std::vector<Turn> turns;
  std::vector<State> states;  // the first is the beginning
  // The properties that one look at all nodes can judge: the algorithm's, promised or not.
  std::vector<const Property*> judged;
  std::vector<NodeId> ring;  // the nodes clockwise; by id if there is no ring
  std::uint64_t edges = 0;
  // Of a script, until all messages wait; the lines of a way through the map follow.
  std::string beginning;

  // Otherwise a limit was reached.
  bool is_whole() const { return states.back().is_explored; }
};

}  // namespace bully
