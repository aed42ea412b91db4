// names.cc: names from the files of words, by the keys that the descriptions give.
#include "words/names.h"

#include <algorithm>

#include "base/list.h"
#include "base/text.h"

namespace bully {

namespace {

// A long list is shortened to its beginning and end: in full it would need too much room.
std::string short_list(const FieldValues::List& ids) {
  constexpr std::size_t most = 8;
  constexpr std::size_t at_each_end = 3;
  if (ids.empty()) return "";
  const std::span all(ids);
  if (all.size() <= most) return " [" + joined(all, ",") + ']';
  return " [" + joined(all.first(at_each_end), ",") + ",…," + joined(all.last(at_each_end), ",") +
         ']';
}

std::string number_of(MessageType type, const FieldValues& values) {
  const FieldValues::Value number = values.shown(type);
  return (number ? ' ' + std::to_string(*number) : "") + short_list(values.list());
}

}  // namespace

std::string name_of(MessageType type, Language language) {
  return word(word_key("message_", type->name), language);
}

std::string name_of(MessageType type, const FieldValues& values, Language language) {
  return name_of(type, language) + number_of(type, values);
}

std::string short_name_of(MessageType type, const FieldValues& values) {
  return std::string(type->code) + number_of(type, values);
}

std::string state_words(std::string_view state, Language language) {
  if (state.empty()) return std::string(text(Text::html_unknown, language));
  const std::string key = word_key("state_", state);
  return has_word(key) ? word(key, language) : harmless(state);
}

std::string state_words(const Snapshot& node, Language language) {
  if (node.condition == Condition::crashed) return text(Text::diagram_crashed, language, {});
  if (!node.is_alive()) return text(Text::diagram_not_there, language, {});
  return state_words(node.state, language) + stopped_words(node, language);
}

std::string stopped_words(const Snapshot& node, Language language) {
  return node.condition == Condition::stopped ? text(Text::frame_paused, language, {}) : "";
}

std::string word_or(std::string_view key, std::string_view otherwise, Language language,
                    Values values) {
  return word(has_word(key) ? key : otherwise, language, values);
}

std::string counts_words(const MessageCounts& sent, const std::optional<MessageCounts>& textbook,
                         const Algorithm& algorithm, Language language) {
  const std::uint64_t all = election_total(sent);
  if (all == 0) return {};
  std::vector<std::string> each;
  for (const MessageType type : algorithm.messages) {
    const std::uint64_t count = sent.of(type);
    if (count > 0) each.push_back(name_of(type, language) + ' ' + std::to_string(count));
  }
  std::string words = text(Text::play_counts, language, {joined(each, ", "), all});
  if (textbook) words += text(Text::play_counts_textbook, language, {election_total(*textbook)});
  return words;
}

std::string rule_words(std::string_view key, Language language) {
  const Rule* rule = find_rule(key);
  std::string words = word(word_key("rule_", key), language);
  if (rule == nullptr) return words;
  if (!rule->source.empty()) words.append(" ").append(rule->source);
  if (rule->deviation == 0) return words;
  return words + ' ' + text(Text::rule_deviation, language, {rule->deviation});
}

std::vector<MessageType> messages_of(const std::vector<const Algorithm*>& algorithms,
                                     const std::function<bool(MessageType)>& as_well) {
  const auto is_wanted = [&](MessageType type) {
    const auto speaks = [type](const Algorithm* algorithm) { return algorithm->speaks(type); };
    return std::ranges::any_of(algorithms, speaks) || (as_well && as_well(type));
  };
  return list_of(known_messages(), is_wanted, std::identity());
}

std::vector<const Algorithm*> algorithms_named(const std::vector<std::string_view>& names) {
  std::vector<const Algorithm*> found;
  for (const Algorithm& algorithm : algorithms()) {
    const auto address = [](std::string_view name) { return &algorithm_named(name); };
    if (std::ranges::count(names, &algorithm, address) > 0) found.push_back(&algorithm);
  }
  if (found.empty()) found.push_back(&default_algorithm());
  return found;
}

bool is_default(const std::vector<const Algorithm*>& algorithms) {
  return algorithms.size() == 1 && algorithms.front() == &default_algorithm();
}

std::span<const Variable> named(const Variables& variables) {
  const auto end = std::ranges::find(variables, std::string_view(), &Variable::name);
  return {variables.begin(), end};
}

std::string value_words(const Variable& variable) {
  return variable.value ? std::to_string(*variable.value) : "–";
}

std::string variables_words(const Variables& variables) {
  const auto is_set = [](const Variable& variable) { return variable.value.has_value(); };
  if (std::ranges::none_of(variables, is_set)) return "";
  return '(' + joined(named(variables), ", ", value_words) + ')';
}

std::string variable_names(const Variables& variables) {
  const std::string names = joined(named(variables), ", ", &Variable::name);
  return names.empty() ? "" : '(' + names + ')';
}

}  // namespace bully
