// names.h: how a person calls messages, states, rules, variables and algorithms.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "election/algorithm.h"
#include "election/record.h"
#include "words/words.h"

namespace bully {

// A message's name in full: "ELECTION".
std::string name_of(MessageType type, Language language);
// The same, with its number if it has one: "VALUE 4"; and as on the wire: "V 4".
std::string name_of(MessageType type, const FieldValues& values, Language language);
std::string short_name_of(MessageType type, const FieldValues& values);

std::string state_words(std::string_view state, Language language);
// The words for a process's state ("relay, stopped"), or for its absence; of these, those for a
// process that is stopped, or none.
std::string state_words(const Snapshot& node, Language language);
std::string stopped_words(const Snapshot& node, Language language);
// The words under `key`; under `otherwise` if there are none.
std::string word_or(std::string_view key, std::string_view otherwise, Language language,
                    Values values = {});

// "messages: ELECTION 3, ANSWER 1: 4 (textbook 4)"; empty while there are none.
std::string counts_words(const MessageCounts& sent, const std::optional<MessageCounts>& textbook,
                         const Algorithm& algorithm, Language language);

// The sentence of a rule, with its source, and the number of the deviation if it is one.
std::string rule_words(std::string_view rule, Language language);

// The types of `algorithms` together, without repetition, and others for which `as_well` holds.
std::vector<MessageType> messages_of(const std::vector<const Algorithm*>& algorithms,
                                     const std::function<bool(MessageType)>& as_well = nullptr);

// The algorithms with these names, in the order of the table; the default one if there is no name.
std::vector<const Algorithm*> algorithms_named(const std::vector<std::string_view>& names);
// True for the default algorithm alone: then its name need not be shown.
bool is_default(const std::vector<const Algorithm*>& algorithms);

// The variables that the algorithm has.
std::span<const Variable> named(const Variables& variables);
// "(1, 4, –)": the values, in the protocol's order. Empty while no variable has a value.
std::string variables_words(const Variables& variables);
// "(d, e, f)": their names. Empty if the algorithm has none.
std::string variable_names(const Variables& variables);
// "4"; "–" if it has no value.
std::string value_words(const Variable& variable);

}  // namespace bully
