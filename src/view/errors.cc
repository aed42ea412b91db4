// errors.cc: the words for each kind of error.
#include "view/errors.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/layout.h"
#include "base/text.h"

namespace bully {

std::string words_of(const TraceError& error, Language language) {
  return error.place + ": " + words_of(error.problem, language);
}

// As many bytes of a program's own words as a person reads.
static std::string beginning_of(std::string_view words, std::size_t most) {
  if (words.size() <= most) return std::string(words);
  while (most > 0 && (static_cast<unsigned char>(words[most]) & 0xC0) == 0x80) --most;
  return std::string(words.substr(0, most)) + "…";
}

std::string rules_exchange(const std::string& question, const std::string& answer,
                           const std::string& path, Language language) {
  constexpr std::size_t max_shown = 2000;
  const auto row = [language](Text name, std::string_view words) {
    return "  " + padded(text(name, language), 10) + harmless(beginning_of(words, max_shown)) +
           '\n';
  };
  std::string lines = question.empty() ? "" : row(Text::rules_asked, question);
  if (!answer.empty()) lines += row(Text::rules_answered, answer);
  if (question.empty()) return lines;
  // An echo would read backslashes in its own way.
  const std::string again = "printf '%s\\n' " + in_quotes(question) + " | " + typed(path);
  return again.size() > max_shown ? lines : lines + row(Text::rules_again, again);
}

std::string words_of(const RulesError& error, Language language) {
  constexpr std::size_t max_value = 200;
  Problem problem = error.problem;
  if (problem.key == no_start_key) {
    std::string& value = problem.values.front();
    value = error_words(std::stoi(value), language);
  }
  for (std::string& value : problem.values) value = beginning_of(value, max_value);
  return (error.path.empty() ? "" : error.path + ": ") + words_of(problem, language);
}

std::string words_of(const EndlessElection& error, Language language) {
  const auto shown = [](const EndlessElection::Sent& sent) {
    return std::string(sent.message.type->code) + ' ' + std::to_string(sent.message.from) + "→" +
           std::to_string(sent.to);
  };
  return text(Text::error_endless_election, language,
              {grouped(error.events, language), joined(error.latest, ", ", shown)});
}

// The first word of a list, in quotes or without, that begins with `typed`, or with which `typed`
// begins: node, crashes. Empty if none does.
static std::string_view longer_or_shorter(std::string_view typed, std::string_view list) {
  constexpr std::size_t least = 3;
  constexpr std::string_view between = "', ";
  while (true) {
    list.remove_prefix(std::min(list.find_first_not_of(between), list.size()));
    const std::string_view word = list.substr(0, list.find_first_of(between));
    if (word.empty()) return {};
    const bool fits = word.starts_with(typed) || typed.starts_with(word);
    if (std::min(word.size(), typed.size()) >= least && fits) return word;
    list.remove_prefix(word.size());
  }
}

std::string words_of(const ScenarioError& error, Language language) {
  const std::string place =
      error.file + ':' + std::to_string(error.line) + ':' + std::to_string(error.column) + ": ";
  if (error.expected.key == no_id_key) return place + words_of(error.expected, language);
  const std::string found =
      error.found.empty() ? std::string(text(Text::script_end, language)) : "'" + error.found + "'";
  // As people type them in a shell.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> verbs = {
      {{"kill", "crash"}, {"stop", "pause"}, {"cont", "resume"}, {"continue", "resume"}}};
  const auto typed = std::ranges::find(verbs, error.found, &decltype(verbs)::value_type::first);
  std::string_view near = typed == verbs.end() ? "" : typed->second;
  if (near.empty() && !error.expected.values.empty()) {
    near = longer_or_shorter(error.found, error.expected.values.front());
  }
  const std::string meant = near.empty() ? "" : text(Text::usage_did_you_mean, language, {near});
  return place +
         text(Text::script_expected, language, {words_of(error.expected, language), found}) + meant;
}

// In the order of Refused::Why.
static constexpr std::pair<Text, std::optional<Text>> words_and_advice[] = {
    {Text::refused_unknown, {}},
    {Text::refused_dead, {}},
    {Text::refused_silent, Text::advice_kill_yourself},
    {Text::refused_unidentified, Text::advice_kill_unlisted},
    {Text::refused_contradicted, Text::advice_namespace},
    {Text::refused_foreign, Text::advice_namespace},
    {Text::refused_reserved, {}},
};
static_assert(std::size(words_and_advice) == 1 + static_cast<std::size_t>(Refused::Why::reserved));

std::string words_of(const Refused& refused, NodeId id, const std::string& directory,
                     Language language) {
  return text(words_and_advice[static_cast<std::size_t>(refused.why)].first, language,
              {id, directory, refused.claimed, refused.listener});
}

std::optional<Text> advice_on(const Refused& refused) {
  return words_and_advice[static_cast<std::size_t>(refused.why)].second;
}

}  // namespace bully
