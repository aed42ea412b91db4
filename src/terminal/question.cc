// question.cc: compares words and numbers with an expectation.
#include "terminal/question.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/list.h"
#include "base/text.h"
#include "words/names.h"
#include "words/words.h"

namespace bully {

namespace {

std::string ids_words(const Step& expected) {
  const std::string ids = ranges_of(expected.ids);
  return ids.empty() ? ids : ids.substr(1);
}

std::vector<std::string> words_in(std::string_view answer) {
  std::vector<std::string> words(1);
  for (const char c : answer) {
    if (std::string_view(" \t,;:=()").find(c) == std::string_view::npos) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool is_called(const std::string& word, MessageType type, Language language) {
  const std::string called = in_capitals(word);
  return called == in_capitals(name_of(type, language)) || called == in_capitals(type->name) ||
         called == in_capitals(type->code);
}

using Numbers = std::vector<std::uint64_t>;

// The numbers alone; nothing if there are none, or other words.
std::optional<Numbers> numbers_in(const std::vector<std::string>& words) {
  Numbers numbers;
  for (const std::string& word : words) {
    const auto number = parse_number(word);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers.empty() ? std::nullopt : std::optional(numbers);
}

// The counts in the question's order, of words like "ANSWER 2, ELECTION 3" or "3 E 2 A".
std::optional<Numbers> counts_in(const std::vector<std::string>& words, const Step& expected,
                                 Language language) {
  const std::size_t asked = std::max<std::size_t>(expected.sent.size(), 1);
  if (const auto alone = numbers_in(words)) {
    return alone->size() == asked ? alone : std::nullopt;
  }
  if (words.size() != 2 * asked) return std::nullopt;
  const std::size_t name_at = parse_number(words.front()) ? 1 : 0;
  Numbers counts;
  for (const auto& [type, count] : expected.sent) {
    for (std::size_t i = 0; i < words.size(); i += 2) {
      const auto number = parse_number(words[i + 1 - name_at]);
      if (number && is_called(words[i + name_at], type, language)) counts.push_back(*number);
    }
  }
  return counts.size() == asked ? std::optional(counts) : std::nullopt;
}

std::optional<bool> is_right_count(const std::vector<std::string>& words, const Step& expected,
                                   Language language) {
  const auto counts = counts_in(words, expected, language);
  if (!counts) return std::nullopt;
  if (expected.sent.empty()) return counts->front() == *expected.all;
  return std::ranges::equal(*counts, expected.sent, {}, {},
                            &decltype(expected.sent)::value_type::second);
}

std::optional<bool> is_right_state(const std::string& answer, const Step& expected,
                                   Language language) {
  for (const Algorithm& algorithm : algorithms()) {
    for (const StateKind& state : algorithm.states) {
      const bool is_meant = answer == in_capitals(state_words(state.name, language)) ||
                            answer == in_capitals(state.name);
      if (is_meant) return state.name == expected.state;
    }
  }
  return std::nullopt;
}

std::optional<bool> is_right_value(const std::vector<std::string>& words, const Step& expected,
                                   Language language) {
  const std::string none = in_capitals(text(Text::ask_none, language));
  // Names of variables may be beside their values, in the question's order.
  std::vector<std::optional<NodeId>> values;
  for (const std::string& word : words) {
    const auto number = parse_number(word);
    const bool is_name = std::ranges::any_of(
        expected.values, [&](const auto& value) { return value.first == word; });
    const bool is_none = word == "-" || word == "–" || in_capitals(word) == none;
    if (!number && !is_name && !is_none) return std::nullopt;
    if (number || is_none)
      values.push_back(number ? std::optional(static_cast<NodeId>(*number)) : std::nullopt);
  }
  if (values.size() != expected.values.size()) return std::nullopt;
  return std::ranges::equal(values, expected.values, {}, {},
                            &decltype(expected.values)::value_type::second);
}

}  // namespace

bool can_be_asked(const Step& expected) {
  switch (expected.verb) {
    case Verb::expect_messages: return !expected.sent.empty() || expected.all.has_value();
    case Verb::expect_coordinator: return !expected.denied;
    case Verb::expect_coordinators:
    case Verb::expect_state:
    case Verb::expect_variables: return true;
    default: return false;
  }
}

std::string question_words(const Step& expected, Language language) {
  const auto say = [language](Text key, Values values = {}) { return text(key, language, values); };
  const std::string ids = ids_words(expected);
  const bool several = expected.ids.size() > 1;
  if (expected.verb == Verb::expect_messages) {
    if (expected.sent.empty()) return say(Text::ask_messages_all);
    return say(Text::ask_messages, {joined(expected.sent, ", ", [&](const auto& counted) {
                 return name_of(counted.first, language);
               })});
  }
  if (expected.verb == Verb::expect_coordinators) return say(Text::ask_coordinators);
  if (expected.verb == Verb::expect_coordinator) {
    if (ids.empty()) return say(Text::ask_coordinator);
    return say(several ? Text::ask_followed_by_all : Text::ask_followed, {ids});
  }
  if (expected.verb == Verb::expect_state) {
    return say(several ? Text::ask_states : Text::ask_state, {ids});
  }
  const auto name = [](const auto& value) { return std::string(value.first); };
  return say(Text::ask_variables, {joined(expected.values, ", ", name), ids});
}

std::string solution_words(const Step& expected, Language language) {
  const std::string none(text(Text::ask_none, language));
  if (expected.verb == Verb::expect_messages) {
    if (expected.sent.empty()) return std::to_string(*expected.all);
    if (expected.sent.size() == 1) return std::to_string(expected.sent.front().second);
    return joined(expected.sent, ", ", [&](const auto& counted) {
      return name_of(counted.first, language) + ' ' + std::to_string(counted.second);
    });
  }
  if (expected.verb == Verb::expect_coordinator) return std::to_string(*expected.whom);
  if (expected.verb == Verb::expect_state) return state_words(expected.state, language);
  if (expected.verb == Verb::expect_coordinators) {
    return expected.ids.empty() ? none : ids_words(expected);
  }
  return joined(expected.values, ", ", [&](const auto& value) {
    return std::string(value.first) + ' ' + (value.second ? std::to_string(*value.second) : none);
  });
}

std::optional<bool> is_right(std::string_view answer, const Step& expected, Language language) {
  const std::vector<std::string> words = words_in(answer);
  if (expected.verb == Verb::expect_messages) return is_right_count(words, expected, language);
  if (expected.verb == Verb::expect_variables) return is_right_value(words, expected, language);
  if (expected.verb == Verb::expect_state) {
    const auto said = joined(words, " ", [](const std::string& word) { return in_capitals(word); });
    return is_right_state(said, expected, language);
  }
  const bool is_none = words.size() == 1 &&
                       in_capitals(words.front()) == in_capitals(text(Text::ask_none, language));
  auto ids = is_none ? std::optional(Numbers()) : numbers_in(words);
  if (!ids) return std::nullopt;
  std::ranges::sort(*ids);
  if (expected.verb == Verb::expect_coordinators) return std::ranges::equal(*ids, expected.ids);
  return ids->size() == 1 && ids->front() == *expected.whom;
}

}  // namespace bully
