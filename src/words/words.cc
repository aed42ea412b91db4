// words.cc: finds a text, and fills in its places.
#include "words/words.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/list.h"
#include "base/text.h"
#include "words/keys.h"

// A key that a language lacks is an error, under whatever flags this is compiled.
#pragma GCC diagnostic error "-Wswitch"

namespace bully {

namespace {

// A row that words.awk makes from a file.
struct Row {
  std::string_view code;
  std::string_view (*text)(Text key);
};

constexpr Row rows[] = {
#include "words/words.inc"
};

static_assert(std::ranges::equal(language_codes, rows, {}, {}, &Row::code),
              "each language needs a file of words, and each file a language");

static_assert(std::ranges::is_sorted(text_keys), "find_text() relies on it");

std::vector<OwnWord> own_words;

constexpr std::pair<int, Text> system_errors[] = {
    {ENOENT, Text::system_no_such_file},
    {EACCES, Text::system_no_access},
    {EPERM, Text::system_not_permitted},
    {ESRCH, Text::system_no_such_process},
    {EEXIST, Text::system_exists},
    {ENOTDIR, Text::system_not_a_directory},
    {EISDIR, Text::system_is_a_directory},
    {EINVAL, Text::system_invalid},
    {ESPIPE, Text::system_no_file},
    {EMFILE, Text::system_too_many_files},
    {ENOSPC, Text::system_no_space},
    {EROFS, Text::system_read_only},
    {EPIPE, Text::system_broken_pipe},
    {ENAMETOOLONG, Text::system_name_too_long},
    {EADDRINUSE, Text::system_address_in_use},
    {EAGAIN, Text::system_unavailable},
    {ENOMEM, Text::system_no_memory},
    {EIO, Text::system_input_output},
};

// "run|runs": the first for 1, the second for any other number.
std::string_view form(std::string_view forms, std::string_view number) {
  const std::size_t bar = forms.find('|');
  return number == "1" || bar == forms.npos ? forms.substr(0, bar) : forms.substr(bar + 1);
}

// In one pass: a value filled in is never taken for a place.
template <typename All>
std::string filled(std::string_view words, const All& values) {
  std::string all;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::size_t end = words[at] == '{' ? words.find('}', at) : words.npos;
    const bool is_place = end != words.npos && (end == at + 2 || words[at + 2] == ':');
    const auto i = is_place ? static_cast<std::size_t>(words[at + 1] - '0') : values.size();
    if (i >= values.size()) {
      all += words[at];
      continue;
    }
    const std::string_view value = std::data(values)[i];
    if (end == at + 2) {
      all += harmless(value);
    } else {
      all += form(words.substr(at + 3, end - at - 3), value);
    }
    at = end;
  }
  return all;
}

}  // namespace

std::string_view text(Text key, Language language) {
  return rows[static_cast<std::size_t>(language)].text(key);
}

std::string text(Text key, Language language, Values values) {
  return filled(text(key, language), values);
}

std::string grouped(std::uint64_t number, Language language) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, text(Text::thousands_mark, language));
  }
  return digits;
}

std::string decimal(double number, int places, Language language) {
  std::array<char, 64> digits{};
  std::snprintf(digits.data(), digits.size(), "%.*f", places, number);
  return with_decimal_mark(digits.data(), language);
}

std::string with_decimal_mark(std::string_view number, Language language) {
  return replaced(number, ".", text(Text::decimal_mark, language));
}

std::string time_text(std::int64_t ns, Language language) {
  const auto value = static_cast<double>(ns);
  if (ns < 1'000'000) return decimal(value / 1e3, 0, language) + " µs";
  if (ns < 1'000'000'000) return decimal(value / 1e6, 1, language) + " ms";
  return decimal(value / 1e9, 2, language) + " s";
}

std::string error_words(int error, Language language) {
  const auto* const found = std::ranges::find(system_errors, error, &std::pair<int, Text>::first);
  if (found != std::end(system_errors)) return std::string(text(found->second, language));
  return std::generic_category().message(error);
}

std::string error_words(const std::system_error& error, Language language) {
  std::string words = error.what();
  const std::string said = error.code().message();
  if (error.code().category() == std::generic_category() && words.ends_with(said)) {
    words.resize(words.size() - said.size());
    words += error_words(error.code().value(), language);
  }
  return words;
}

std::optional<Text> find_text(std::string_view key) {
  const auto* const found = std::ranges::lower_bound(text_keys, key);
  if (found == std::end(text_keys) || *found != key) return std::nullopt;
  return static_cast<Text>(found - std::begin(text_keys));
}

void add_words(std::span<const OwnWord> table) {
  own_words.insert(own_words.end(), table.begin(), table.end());
}

bool has_word(std::string_view key) {
  return find_text(key) || std::ranges::count(own_words, key, &OwnWord::key) > 0;
}

std::string word(std::string_view key, Language language) {
  if (const auto found = find_text(key)) return std::string(text(*found, language));
  const auto own = std::ranges::find(own_words, key, &OwnWord::key);
  if (own == own_words.end()) return std::string(key);
  const std::string_view wanted = own->texts.at(static_cast<std::size_t>(language));
  return std::string(wanted.empty() ? own->texts.front() : wanted);
}

std::string word(std::string_view key, Language language, Values values) {
  return filled(word(key, language), values);
}

std::string word(std::string_view key, Language language, std::span<const std::string> values) {
  return filled(word(key, language), values);
}

std::string word_key(std::string_view prefix, std::string_view name) {
  std::string key = std::string(prefix).append(name);
  std::ranges::replace(key, '-', '_');
  return key;
}

std::string words_of(const Problem& problem, Language language) {
  std::vector<std::string> values = problem.values;
  if (problem.key == "play_is") values.back() = word(word_key("state_", values.back()), language);
  if (problem.key == "play_not_kept") {
    values.emplace_back(word(word_key("check_", values.back()), language));
  }
  return word(problem.key, language, std::span<const std::string>(values));
}

std::string words_of(std::span<const Problem> problems, Language language) {
  return joined(problems, ", ", [&](const Problem& each) { return words_of(each, language); });
}

}  // namespace bully
