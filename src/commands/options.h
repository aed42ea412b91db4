// options.h: a command line, read by one set of rules and explained by one layout.
//
// A command declares its options with what each sets, its unit, default and words; parsing and
// help come from the same declaration, so neither can say what the other does not do.
// Both `--name=value` and `--name value` are taken; `--` ends the options.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "election/algorithm.h"
#include "view/text.h"

namespace bully {

// A command line that means nothing: main shows it, and exits with 2.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& words) : std::runtime_error(words) {}
};

// What a command will not do, with what to do instead: main shows both, and exits with 1.
class Refusal : public std::runtime_error {
 public:
  Refusal(const std::string& words, std::string advice)
      : std::runtime_error(words), advice_(std::move(advice)) {}
  const std::string& advice() const { return advice_; }

 private:
  std::string advice_;
};

// A subcommand's arguments, and how to talk to whoever typed them.
struct Invocation {
  std::string program;  // as the user called it
  std::vector<std::string> arguments;
  Language language = Language::english;
};

class Options {
 public:
  explicit Options(Language language) : language_(language) {}

  // Starts a group of options in the help, under a heading of its own.
  void group(Text heading);
  // Each option sets its target; the value that the target has now is shown as the default.
  void flag(std::string_view name, bool& target, Text help);
  void value(std::string_view name, std::string_view metavar, std::string& target, Text help);
  // The same, for an option that may be repeated: each adds to `targets`. It shows no default.
  void values(std::string_view name, std::string_view metavar, std::vector<std::string>& targets,
              Text help);
  // A duration from `least` to an hour.
  void duration(std::string_view name, std::chrono::nanoseconds& target,
                std::chrono::nanoseconds least, Text help);
  // A whole number from `least` to `most`.
  void number(std::string_view name, std::uint64_t& target, std::uint64_t least, std::uint64_t most,
              Text help);
  // The same, where there is no default.
  void number(std::string_view name, std::optional<std::uint64_t>& target, std::uint64_t least,
              std::uint64_t most, Text help);
  // A share such as 5% or 0.1%, in parts of a million.
  void share(std::string_view name, std::uint32_t& parts_per_million, Text help);
  // One of `choices`; the target is its index.
  void choice(std::string_view name, std::vector<std::string> choices, std::size_t& target,
              Text help);
  // --algorithm: one of the table's. The target may be null, where there is no default.
  void algorithm(const Algorithm*& target, Text help = Text::option_algorithm);
  // --lang, which has been read already; here it is only checked.
  void language();
  // Whatever stands without `--`. Without one declared, there must be none.
  void argument(std::function<void(const std::string&)> take);

  // Throws UsageError.
  void parse(const std::vector<std::string>& arguments);
  // The options, grouped, aligned, with defaults.
  std::string help() const;
  // The help of a whole command: how it is called (`usage`, without its options), what it is for,
  // the options, and `closing`, if there is something to add.
  std::string page(std::string_view usage, Text intro,
                   std::optional<Text> closing = std::nullopt) const;

  [[noreturn]] void fail(Text words, std::initializer_list<std::string_view> values) const;

 private:
  struct Option {
    std::string name;      // with its dashes
    std::string metavar;   // empty for a flag
    std::string standard;  // the default as text, empty for none
    Text help;
    std::function<void(const std::string&)> set;
    std::string heading;  // of the group that begins here
  };
  void add(Option option);
  std::uint64_t parse_number(std::string_view name, const std::string& given, std::uint64_t least,
                             std::uint64_t most) const;

  Language language_;
  std::vector<Option> options_;
  std::string next_heading_;
  std::function<void(const std::string&)> take_argument_;
};

// "250ms", "1.5s": as short as it can be said.
std::string duration_text(std::chrono::nanoseconds duration);

// The option that every command has, read before the others so that errors come in its language.
Language language_of(const std::vector<std::string>& arguments);

}  // namespace bully
