// invocation.h: how this program was called: its name, its language, the options given; how it
// refuses what cannot be done; and its exit status.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "words/words.h"

namespace bully {

enum ExitStatus : int {
  exit_ok = 0,
  exit_failed = 1,
  exit_usage = 2,
  exit_unknown = 2,  // inconclusive, for a command that judges
};
// Ended by a signal: this number plus the signal's, as in shells.
inline constexpr int exit_by_signal = 128;

// An invalid command line: the program shows the error (../commands/commands.cc), and exits with 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A request that a command refuses, with an alternative: the program shows both, and exits with 1,
// or with 2 if the command judges.
struct Refusal : std::runtime_error {
  Refusal(const std::string& words, std::string what_to_do)
      : std::runtime_error(words), advice(std::move(what_to_do)) {}

  std::string advice;
};

// The command line, except the command's own options.
struct Invocation {
  enum class Color : std::uint8_t { automatic, on, off };

  std::string program;  // as the user called it
  Language language = Language::english;
  Color color = Color::automatic;
  bool explain = false;
  std::vector<std::string> given = {};  // the options, each in one word: --name or --name=value

  // The options in `given` with any of these names; or the others.
  std::vector<std::string> given_of(const std::vector<std::string_view>& names,
                                    bool others = false) const;
  bool gives(std::string_view name) const { return !given_of({name}).empty(); }
  std::string say(Text words, Values values = {}) const { return text(words, language, values); }
  // "; did you mean 'check'?", if a name in `known` differs only by a typing mistake or two.
  std::string meant(std::string_view name, const std::vector<std::string_view>& known) const;
  [[noreturn]] void fail(Text words, Values values = {}) const {
    throw UsageError(say(words, values));
  }
};

}  // namespace bully
