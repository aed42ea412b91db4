// options.h: the one table of a command's options. Parsing and help both read it, so they always
// agree.
//
// A row has an option's name, its value, default and words, and the variable that it sets. Both
// `--name=value` and `--name value` are valid; `--` ends the options.
//
// No option is ignored. A mode is a choice that leaves other options without effect: an option, as
// `--format=html`, an election, or the lack of an argument. A command declares its modes after its
// rows, each with the options that it leaves without effect; once all words are read, the first
// such option that was given is a usage error that names both. A test tries every option in every
// mode.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/list.h"
#include "base/text.h"
#include "election/algorithm.h"
#include "terminal/invocation.h"
#include "words/words.h"

namespace bully {

// The variant of `algorithm` named by --protocol; null: the correct one.
const Variant* variant_of(const Algorithm& algorithm, const std::string& protocol,
                          const Invocation& invocation);

class Options {
 public:
  // `words`: the options that choose it, as typed.
  struct Mode {
    std::string words;
    std::function<bool()> is_on;  // once all words are read
  };
  // An option has no effect while its mode is on, or off; `words` say so of {0} and the mode's {1}.
  struct Limit {
    Mode mode;
    bool ignores_when;
    Text words;
  };
  struct Row {
    std::string_view name;      // with its dashes
    std::string shown = {};     // the placeholder for its value in the help; empty for a flag
    std::string standard = {};  // the default as text, empty for none
    Text help;
    std::function<bool(const std::string&)> set;  // false if the value is not allowed
    // The error for another value, and the values allowed: the smallest and the largest, or the
    // choices.
    Text error = Text::usage_needs_value;
    std::string least = {};
    std::string most = {};
    Text group = Text::help_other_options;  // its heading
    std::vector<Limit> limits = {};
    // Choices that are no text for a terminal, each with a name for their file.
    std::vector<std::pair<std::string, std::string>> files = {};
  };
  using Names = std::vector<std::string_view>;

  // Sets `invocation` from the options.
  explicit Options(Invocation& invocation) : invocation_(invocation) {}

  void group(Text heading) { group_ = heading; }
  // Each option sets its target, whose present value is shown as the default.
  void flag(std::string_view name, bool& target, Text help);
  // A flag that this program gives to itself: neither help nor completions show it.
  void unlisted_flag(std::string_view name, bool& target) { unlisted_[name] = &target; }
  void value(std::string_view name, std::string_view shown, std::string& target, Text help);
  void value(std::string_view name, Text shown, std::string& target, Text help) {
    value(name, invocation_.say(shown), target, help);
  }
  void file(std::string_view name, std::string& target, Text help) {
    value(name, file_value(), target, help);
  }
  // The same, for an option that may be repeated: each adds to `targets`. Shows no default.
  void files(std::string_view name, std::vector<std::string>& targets, Text help);
  // A duration from `least` to an hour.
  void duration(std::string_view name, std::chrono::nanoseconds& target,
                std::chrono::nanoseconds least, Text help);
  // A whole number from `least` to `most`. An optional target has no default.
  template <class Number>
  void number(std::string_view name, Number& target, std::uint64_t least, std::uint64_t most,
              Text help) {
    std::string standard;
    if constexpr (std::is_integral_v<Number>) standard = std::to_string(target);
    const auto set = [=, &target](const std::string& given) {
      const std::optional<std::uint64_t> number = parse_number(given);
      const bool fits = number && *number >= least && *number <= most;
      if (fits) target = static_cast<Number>(*number);
      return fits;
    };
    add({name, "N", standard, help, set, Text::usage_not_a_number, std::to_string(least),
         std::to_string(most)});
  }
  // A share such as 5% or 0.1%, in parts of a million.
  void share(std::string_view name, std::uint32_t& parts_per_million, Text help);
  // A choice among `choices`, in the order of the target's values from 0 on. `prefix` may precede
  // it.
  template <class Choice>
  void choice(std::string_view name, const std::vector<std::string>& choices, Choice& target,
              Text help, const std::string& prefix = "") {
    const std::string& standard = choices.at(static_cast<std::size_t>(target));
    add_choice(name, choices, standard, help, [=, &target](const std::string& given) {
      const bool is_long = given.starts_with(prefix);
      const auto found = std::ranges::find(choices, given.substr(is_long ? prefix.size() : 0));
      if (found != choices.end()) target = static_cast<Choice>(found - choices.begin());
      return found != choices.end();
    });
  }
  // The last declared option has these Row::files.
  void for_files(std::vector<std::pair<std::string, std::string>> files) {
    rows_.back().files = std::move(files);
  }
  // An algorithm of the table. The target may be null: no default.
  void algorithm(const Algorithm*& target, Text help = Text::option_algorithm);
  // --algorithm for a command on nodes or traces, which name their algorithm themselves: rules of
  // an outside program, so that their words are known. They are the target, if any.
  void rules(const Algorithm** target = nullptr);
  // A list of algorithms without repetition; all by default.
  void algorithms(std::vector<const Algorithm*>& targets);
  // --lang, which has been read already; here it is only checked.
  void language();
  // The style of terminal output; and of a log, which may show the rules that fire.
  void style() {
    language();
    choice("--color", {"auto", "always", "never"}, invocation_.color, Text::option_color);
  }
  void log_style() {
    flag("--explain", invocation_.explain, Text::option_explain);
    style();
  }
  // The arguments without `--`: at most `most`. Without this call, there must be none. `known`: the
  // values that a shell may offer.
  void arguments(Text shown, std::vector<std::string>& targets, std::size_t most = SIZE_MAX,
                 std::vector<std::string> known = {}) {
    shown_arguments_ = invocation_.say(shown);
    known_arguments_ = std::move(known);
    arguments_ = &targets;
    max_arguments_ = most;
  }

  // These options, declared before, have no effect in that mode; or only in that mode.
  void no_effect_with(const Mode& mode, const Names& names) {
    limit(names, {mode, true, Text::usage_no_effect_with});
  }
  void needs(const Mode& mode, const Names& names) {
    limit(names, {mode, false, Text::usage_needs_option});
  }
  // Both have an effect, but not together.
  void not_together(const Mode& mode, const Names& names) {
    limit(names, {mode, true, Text::usage_not_together});
  }
  // These have no effect with an election for which `lacks` holds.
  void no_effect_with_elections(const Algorithm* const& chosen, bool (*lacks)(const Algorithm&),
                                const Names& names);
  // A synonym for a declared option with its value: "-9" for "--signal=KILL".
  void alias(const std::string& given, const std::string& meant) { aliases_[given] = meant; }

  // Reads the command's words, once all its options are declared. Throws UsageError.
  void read(const std::vector<std::string>& words);
  // Throws UsageError if a terminal would show the source of a page or a picture.
  void refuse_on_terminal() const;
  // Adds the options that read() adds to every command: --version and --help.
  void add_common();
  bool shows_version() const { return shows_version_; }
  bool shows_help() const { return shows_help_; }

  // The arguments as shown in the help, such as "[ID]".
  const std::string& shown_arguments() const { return shown_arguments_; }
  // The values that a shell may offer for them, separated by spaces.
  std::string known_arguments() const { return joined(known_arguments_, " "); }
  // The options, grouped, aligned, with defaults.
  std::string help() const;
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::string file_value() const { return invocation_.say(Text::help_file_value); }
  void add(Row row) {
    row.group = group_;
    rows_.push_back(std::move(row));
  }
  void limit(const Names& names, const Limit& limit) {
    for (Row& row : rows_) {
      if (std::ranges::find(names, row.name) != names.end()) row.limits.push_back(limit);
    }
  }
  void refuse_ignored() const;
  // For a name that is not in the table.
  [[noreturn]] void refuse(const std::string& name) const;
  void add_choice(std::string_view name, const std::vector<std::string>& choices,
                  const std::string& standard, Text help,
                  const std::function<bool(const std::string&)>& set);

  Invocation& invocation_;
  Text group_ = Text::help_other_options;
  std::vector<Row> rows_;
  std::map<std::string_view, bool*> unlisted_;
  std::string shown_arguments_;
  std::vector<std::string> known_arguments_;
  std::vector<std::string>* arguments_ = nullptr;
  std::size_t max_arguments_ = 0;
  std::map<std::string, std::string> aliases_;
  bool shows_version_ = false;
  bool shows_help_ = false;
};

// True for an election whose processes are on no ring; or that has no variants.
inline constexpr auto has_no_ring = [](const Algorithm& each) { return !each.has_ring(); };
inline constexpr auto has_no_variants = [](const Algorithm& each) { return each.variants.empty(); };

// "a,b" as "a" and "b".
std::vector<std::string> split(const std::string& list);
// --lang, read before all other options so that errors come in its language.
Language language_of(const std::vector<std::string>& arguments);

}  // namespace bully
