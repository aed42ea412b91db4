// question.cc: compares words and numbers with an expectation.
#include "terminal/question.h"

#include <algorithm>
#include <vector>

#include "base/list.h"
#include "base/text.h"
#include "sim/script_text.h"
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

// A name to compare: in capitals, without accents, which a keyboard may lack.
std::string plain(std::string_view name) {
  // For the capitals from U+00C0 on; a space: unchanged.
  constexpr std::string_view letters = "AAAAAA CEEEEIIII NOOOOO  UUUUY  ";
  std::string all;
  for (const char c : in_capitals(name)) {
    const auto at = static_cast<std::size_t>(static_cast<unsigned char>(c) - 0x80);
    const bool is_latin = all.ends_with('\xC3') && at < letters.size() && letters[at] != ' ';
    if (is_latin) all.pop_back();
    all += is_latin ? letters[at] : c;
  }
  return all;
}

bool is_called(const std::string& word, MessageType type, Language language) {
  const std::string called = plain(word);
  return called == plain(name_of(type, language)) || called == plain(type->name) ||
         called == plain(type->code);
}

bool is_number(std::string_view word) {
  return parse_number(word).has_value();
}

// A number, or a word for none.
auto is_value_in(Language language) {
  return [none = plain(text(Text::ask_none, language))](const std::string& word) {
    return is_number(word) || word == "-" || word == "–" || plain(word) == none;
  };
}

// The `count` values in the question's order: alone, or in any order, each beside its name, as in
// "ANSWER 2, ELECTION 3" or "3 E 2 A". A name may be of several words.
template <typename IsValue, typename IsName>
std::optional<std::vector<std::string>> values_in(const std::vector<std::string>& words,
                                                  std::size_t count, IsValue is_value,
                                                  IsName is_name) {
  std::vector<std::string> parts;
  for (const std::string& word : words) {
    if (parts.empty() || is_value(word) || is_value(parts.back())) {
      parts.push_back(word);
    } else {
      parts.back() += ' ' + word;
    }
  }
  if (parts.size() == count && std::ranges::all_of(parts, is_value)) return parts;
  if (parts.size() != 2 * count) return std::nullopt;
  const std::size_t name_at = is_value(parts.front()) ? 1 : 0;
  std::vector<std::string> values;
  for (std::size_t asked = 0; asked < count; ++asked) {
    for (std::size_t i = 0; i < parts.size() && values.size() == asked; i += 2) {
      const std::string& value = parts[i + 1 - name_at];
      if (is_value(value) && is_name(parts[i + name_at], asked)) values.push_back(value);
    }
  }
  return values.size() == count ? std::optional(values) : std::nullopt;
}

std::optional<bool> is_right_count(const std::vector<std::string>& words, const Step& expected,
                                   Language language) {
  const auto is_name = [&](const std::string& word, std::size_t asked) {
    return asked < expected.sent.size() && is_called(word, expected.sent[asked].first, language);
  };
  const std::size_t asked = std::max<std::size_t>(expected.sent.size(), 1);
  const auto counts = values_in(words, asked, is_value_in(language), is_name);
  if (!counts) return std::nullopt;
  const auto is_count = [](const std::string& given, std::uint64_t count) {
    return parse_number(given).value_or(0) == count;
  };
  if (expected.sent.empty()) return is_count(counts->front(), *expected.all);
  return std::ranges::equal(*counts, expected.sent, [&](const auto& given, const auto& sent) {
    return is_count(given, sent.second);
  });
}

std::optional<bool> is_right_state(const std::vector<std::string>& words, const Step& expected,
                                   Language language) {
  const auto in_plain = [](const std::vector<std::string>& all) { return joined(all, " ", plain); };
  const std::string answer = in_plain(words);
  const auto is_meant = [&](std::string_view state) {
    return answer == in_plain(words_in(state_words(state, language))) || answer == plain(state);
  };
  // Another election's state may have the same words.
  if (is_meant(expected.state)) return true;
  for (const Algorithm& algorithm : algorithms()) {
    if (std::ranges::any_of(algorithm.states, is_meant, &StateKind::name)) return false;
  }
  return std::nullopt;
}

std::optional<bool> is_right_value(const std::vector<std::string>& words, const Step& expected,
                                   Language language) {
  const auto is_name = [&](const std::string& word, std::size_t asked) {
    return word == expected.values[asked].first;
  };
  const auto values = values_in(words, expected.values.size(), is_value_in(language), is_name);
  if (!values) return std::nullopt;
  return std::ranges::equal(*values, expected.values, [](const auto& given, const auto& kept) {
    return parse_number(given) == kept.second;
  });
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
    return expected.ids.empty() ? none : joined(expected.ids, " ");
  }
  return joined(expected.values, ", ", [&](const auto& value) {
    return std::string(value.first) + ' ' + (value.second ? std::to_string(*value.second) : none);
  });
}

std::string no_answer_words(std::string_view answer, const Step& expected, Language language) {
  const bool is_state = expected.verb == Verb::expect_state;
  return text(is_state ? Text::ask_again_state : Text::ask_again, language, {harmless(answer)});
}

std::optional<bool> is_right(std::string_view answer, const Step& expected, Language language) {
  const std::vector<std::string> words = words_in(answer);
  if (expected.verb == Verb::expect_messages) return is_right_count(words, expected, language);
  if (expected.verb == Verb::expect_variables) return is_right_value(words, expected, language);
  if (expected.verb == Verb::expect_state) return is_right_state(words, expected, language);
  const bool is_none =
      words.size() == 1 && plain(words.front()) == plain(text(Text::ask_none, language));
  if (!is_none && (words.empty() || !std::ranges::all_of(words, is_number))) return std::nullopt;
  auto ids = list_of(words, is_number, parse_number);
  std::ranges::sort(ids);
  if (expected.verb == Verb::expect_coordinators) return std::ranges::equal(ids, expected.ids);
  return ids.size() == 1 && ids.front() == expected.whom;
}

}  // namespace bully
