// contract.h: what an outside program of rules is asked when something happens to a process, and
// what its answer means. `bully help rules` says it to people.
//
// This unit reads and writes JSON. It starts no program, and remembers nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "election/protocol.h"
#include "rules/description.h"

namespace bully {

// A process of an outside program between two events: the memory that the program gets back, and
// what others see.
struct Situation {
  std::string memory = "null";  // JSON with sorted keys
  std::size_t state = 0;        // its place in Description::states
  std::optional<NodeId> coordinator = std::nullopt;
  std::optional<NodeId> watched = std::nullopt;
  Variables variables = {};

  // NOLINTNEXTLINE(*-use-nullptr): a false alarm
  auto operator<=>(const Situation&) const = default;
};

// A question, in one line: in this situation process `self`, which knows `ids` (sorted, or going
// round the ring from itself), meets the event. Nothing for an event that the contract lacks.
std::optional<std::string> question_of(const Situation& situation, const Description& description,
                                       const Event& event, NodeId self,
                                       const std::vector<NodeId>& ids);

struct Answer {
  Situation next;
  Actions actions;
  std::string said = {};  // the line itself, canonical
};

// What the program answers. `knows`: whether the process can have heard of an id. Throws
// RulesError without a question.
Answer read_answer(std::string_view line, const Description& description, const Event& event,
                   NodeId self, const std::function<bool(NodeId)>& knows);

}  // namespace bully
