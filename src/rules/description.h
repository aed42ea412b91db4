// description.h: an election as an outside program describes it.
//
// The program describes itself once, before anything else. Its answer becomes an Algorithm's tables
// (../election/algorithm.h) and words; everything that may be left out has a default. Nothing here
// starts a program.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "election/algorithm.h"
#include "words/words.h"

namespace bully {

// An election as a program describes it; rules.h adds the protocol. Everything else refers to what
// this owns, so it stays where it is, for as long as the process runs.
struct Description : Algorithm {
  Description() = default;
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  std::vector<std::string_view> variables;
  std::vector<OwnWord> words;

  std::deque<std::string> texts;      // the characters behind every string_view here
  std::vector<StateKind> own_states;  // the first is that of a process that has not started
  std::deque<Rule> own_rules;
  std::deque<Field> fields;
  std::deque<MessageKind> kinds;

  std::string_view keep(std::string text) { return texts.emplace_back(std::move(text)); }
};

inline constexpr std::string_view describe_question = R"({"event":"describe"})";

// Fills `description` from a program's answer, a JSON object. `standard_name`: if it gives none.
// Throws RulesError.
void read_description(const Json& json, std::string_view standard_name, Description& description);

}  // namespace bully
