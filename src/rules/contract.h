// contract.h: the contract between us and an outside program of rules, as values: its description
// of an election, the questions that it is asked, and its answers. `bully help rules` says it to
// people.
//
// This unit reads and writes JSON. It starts no program, and remembers nothing.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "election/algorithm.h"
#include "rules/program.h"
#include "trace/json.h"
#include "words/words.h"

namespace bully {

// An election as a program describes it. Everything else refers to what this owns, so it stays
// where it is, for as long as the process runs.
struct Description {
  Description() = default;
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  std::string_view name;
  std::vector<MessageType> messages;
  std::vector<StateKind> states;  // the first is that of a process that has not started
  std::deque<Rule> rules;
  std::vector<std::string_view> variables;
  std::vector<const Property*> properties;
  Topology topology = Topology::everyone;
  bool is_fifo = false;
  bool prefers_highest = true;
  bool gives_way = true;
  std::vector<OwnWord> words;

  std::deque<std::string> texts;  // the characters behind every string_view here
  std::deque<Field> fields;
  std::deque<MessageKind> kinds;

  std::string_view keep(std::string text) { return texts.emplace_back(std::move(text)); }
};

inline constexpr std::string_view describe_question = R"({"event":"describe"})";

// Fills `description` from a program's answer. `standard_name`: without one of its own. Throws
// RulesError.
void read_description(std::string_view answer, std::string_view standard_name,
                      Description& description);

// Where a process stands: what the program is to remember of it, and what others see.
struct Situation {
  std::string memory = "null";  // JSON with sorted keys
  std::size_t state = 0;        // its place in Description::states
  std::optional<NodeId> coordinator = std::nullopt;
  std::optional<NodeId> watched = std::nullopt;
  Variables variables = {};

  bool operator==(const Situation&) const = default;
};

// A question, in one line: in this situation process `self`, which knows `ids` (sorted, or going
// round the ring from itself), meets the event. Nothing for an event that the contract lacks.
std::optional<std::string> question_of(const Situation& situation, const Description& description,
                                       const Event& event, NodeId self,
                                       const std::vector<NodeId>& ids);

struct Answer {
  Situation next;
  Actions actions;
};

// What the program answers. `knows`: whether the process can have heard of an id. Throws
// RulesError without a question.
Answer read_answer(std::string_view line, const Description& description, const Event& event,
                   NodeId self, const std::function<bool(NodeId)>& knows);

// JSON with its keys sorted and without blanks. Throws RulesError for fractions, for numbers that
// other languages round, and for a key that is there twice.
std::string canonical(const Json& json);

}  // namespace bully
