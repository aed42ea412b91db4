// words.h: the words that people read, by key and language. The texts are data: one file for each
// language (en.words explains the format), from which the build makes enum Text and the tables of
// words.cc. A new language is its file and a name and code in ../base/language.h.
//
// This unit never decides when or how a text is shown.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "base/language.h"
#include "base/problem.h"

namespace bully {

// A text's name is its content.
#define KEY(key) key,
enum class Text : std::uint16_t {
#include "words/keys.inc"
};
#undef KEY

// A value for a place in a text: words, or a number.
class Value {
 public:
  template <std::convertible_to<std::string_view> Words>
  Value(const Words& words) : text_(std::string_view(words)) {}
  template <std::integral Number>
  Value(Number number) : text_(std::to_string(number)) {}
  operator std::string_view() const { return text_; }

 private:
  std::string text_;
};
using Values = std::initializer_list<Value>;

std::string_view text(Text key, Language language);
// The text with its places filled in. Every value is made harmless (../base/text.h), wherever it
// came from: it is one line, without colours.
std::string text(Text key, Language language, Values values);

// Numbers as the language writes them: 1234567 as "1,234,567"; 12.345, with one place, as "12.3".
std::string grouped(std::uint64_t number, Language language);
std::string decimal(double number, int places, Language language);
// Nanoseconds in a suitable unit, with about three digits: "85 µs", "12.4 ms", "3.19 s".
std::string time_text(std::int64_t ns, Language language);
// `number`, which has a point, with the language's mark in its place.
std::string with_decimal_mark(std::string_view number, Language language);

// The words for an errno, in the language as far as it has them, else as the system says them.
std::string error_words(int error, Language language);
// "bind /tmp/bully/7: permission denied": what() of the error, with those words at its end.
std::string error_words(const std::system_error& error, Language language);

// For keys that are known only at run time, such as those in the description of an algorithm.
std::optional<Text> find_text(std::string_view key);

// The key of the words for a name: "rule_", "ring-start" → "rule_ring_start".
std::string word_key(std::string_view prefix, std::string_view name);

// Words that the files do not have, by language: for an outside algorithm. If a language lacks one,
// the first language's is used.
struct OwnWord {
  std::string_view key;
  std::array<std::string_view, language_count> texts;
};
// Adds words to the words of word(); their characters must outlive the run. main calls this first.
void add_words(std::span<const OwnWord> table);

bool has_word(std::string_view key);
// The text of a key; a key without a text is its own text.
std::string word(std::string_view key, Language language);
std::string word(std::string_view key, Language language, Values values);
std::string word(std::string_view key, Language language, std::span<const std::string> values);

// The words for a problem.
std::string words_of(const Problem& problem, Language language);
// All problems in one line.
std::string words_of(std::span<const Problem> problems, Language language);

}  // namespace bully
