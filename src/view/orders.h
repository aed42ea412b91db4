// orders.h: the page of every order: all states of an election, to click through (`bully verify
// --format=html`). The exploration and its words come as data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "view/frames.h"

namespace bully {

struct Orders {
  using Number = std::uint32_t;  // an index into a table

  // A possible step, and its result.
  struct Turn {
    std::string label = {};                  // "deliver ELECTION from 1 to 2"
    std::optional<Diagram::Step> step = {};  // its process's part; empty for a step of the network
    std::optional<Number> delivered = {};    // a message of the scene
    bool is_fault = false;
    bool is_of_timer = false;
    // The assumptions that it breaks, and the sentence for that; {0} is the step's number.
    std::vector<Assumption> breaks = {};
    std::string breach = {};
    std::vector<std::string> lines = {};  // of a script
  };
  struct State {
    std::vector<Number> places;    // by lane
    std::vector<Number> messages;  // in flight, in the scene
    std::vector<bool> broken;      // of `properties`
    bool is_end = false;
    bool is_explored = true;
    bool has_rivals = false;  // two live processes believe they are coordinator
    std::vector<std::pair<Number, Number>> edges;  // a turn, and the state that it leads to
  };
  struct Claim {
    const Property* property = nullptr;
    std::string violated;  // the fault, if it does not hold
  };
  struct Count {
    MessageType type;
    std::string textbook;  // "3 – 6"; empty: the textbook gives no count
  };

  std::string title;
  std::string question;            // the bounds
  Diagram scene;                   // its processes and all messages; it has no steps
  std::vector<std::size_t> order;  // of the lanes, clockwise
  std::vector<Frame::Place> places;
  std::vector<Turn> turns;
  std::vector<State> states;  // the first is the beginning
  std::vector<Claim> properties;
  std::vector<Count> counts;
  std::string textbook;   // of all types together
  std::string beginning;  // of a script
};

std::string orders_html(const Orders& orders, Language language);

}  // namespace bully
