// options.cc: reads a command line by its table of options, and lays out the help.
#include "commands/options.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "base/layout.h"
#include "rules/rules.h"
#include "sim/script_text.h"
#include "values/script_step.h"
#include "words/names.h"

namespace bully {

namespace {

using std::chrono::nanoseconds;
constexpr std::uint32_t ppm_per_percent = 10'000;

// Of a page of help: all of a line, and what an option and its value take of it at most.
constexpr std::size_t max_columns = 80;
constexpr std::size_t max_label_columns = 32;

std::vector<std::string> algorithm_names() {
  return list_of<std::string>(algorithms(), &Algorithm::name);
}

// "KILL, TERM or STOP"
std::string alternatives(const std::vector<std::string>& choices, Language language) {
  std::string all = joined(choices, ", ");
  const std::size_t last = all.rfind(", ");
  if (last == std::string::npos) return all;
  return all.replace(last, 2, ' ' + std::string(text(Text::list_or, language)) + ' ');
}

}  // namespace

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> found;
  std::istringstream rest(list + ',');  // without it, an empty part at the end would be none
  for (std::string part; std::getline(rest, part, ',');) found.push_back(part);
  return found;
}

Language language_of(const std::vector<std::string>& arguments) {
  constexpr std::string_view begin = "--lang=";
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    std::string code;
    if (arguments[i] == "--lang" && i + 1 < arguments.size()) code = arguments[i + 1];
    if (arguments[i].starts_with(begin)) code = arguments[i].substr(begin.size());
    if (const auto language = language_named(code)) return *language;
  }
  return language_of_environment();
}

void Options::flag(std::string_view name, bool& target, Text help) {
  add({name, "", "", help, [&target](const std::string&) { return target = true; }});
}

void Options::value(std::string_view name, std::string_view shown, std::string& target, Text help) {
  const auto set = [&target](const std::string& given) {
    target = given;
    return !given.empty();
  };
  add({name, std::string(shown), target, help, set});
}

void Options::files(std::string_view name, std::vector<std::string>& targets, Text help) {
  const auto set = [&targets](const std::string& given) {
    targets.push_back(given);
    return !given.empty();
  };
  add({name, file_value(), "", help, set});
}

void Options::duration(std::string_view name, nanoseconds& target, nanoseconds least, Text help) {
  const auto set = [least, &target](const std::string& given) {
    const std::optional<nanoseconds> parsed = parse_duration(given);
    target = parsed.value_or(target);
    return parsed && *parsed >= least;
  };
  add({name, invocation_.say(Text::help_time_value), duration_text(target), help, set,
       Text::usage_not_a_duration, duration_text(least), duration_text(longest_duration)});
}

void Options::share(std::string_view name, std::uint32_t& parts_per_million, Text help) {
  const auto set = [&parts_per_million](const std::string& given) {
    std::string_view rest = given;
    const std::optional<double> percent = take_decimal(rest);
    if (!percent || rest != "%" || !(*percent <= 100)) return false;
    parts_per_million = static_cast<std::uint32_t>(std::lround(*percent * ppm_per_percent));
    return parts_per_million > 0 || *percent == 0;  // or it would be lost by rounding
  };
  const std::string standard = std::to_string(parts_per_million / ppm_per_percent) + "%";
  add({name, "P%", standard, help, set, Text::usage_not_a_share, "0%", "100%"});
}

void Options::add_choice(std::string_view name, const std::vector<std::string>& choices,
                         const std::string& standard, Text help,
                         const std::function<bool(const std::string&)>& set) {
  add({name, joined(choices, "|"), standard, help, set, Text::usage_not_one_of,
       alternatives(choices, invocation_.language)});
}

const Variant* variant_of(const Algorithm& algorithm, const std::string& protocol,
                          const Invocation& invocation) {
  if (protocol.empty() || protocol == algorithm.name) return nullptr;
  if (const Variant* found = algorithm.find_variant(protocol)) return found;
  std::string all(algorithm.name);
  for (const Variant& each : algorithm.variants) all.append(", ").append(each.name);
  invocation.fail(Text::usage_no_protocol, {protocol, algorithm.name, all});
}

// By name; or, with a slash, the rules of the program at that path, which is started.
static const Algorithm* algorithm_given(const std::string& given, Language language) {
  if (given.find('/') != std::string::npos) {
    return &algorithm_named(load_rules(given).description().name);
  }
  const Algorithm* found = find_algorithm(given);
  std::error_code ignored;
  if (found == nullptr && std::filesystem::is_regular_file(given, ignored)) {
    throw UsageError(text(Text::usage_needs_slash, language, {given}));
  }
  return found;
}

void Options::algorithm(const Algorithm*& target, Text help) {
  const std::string standard(target == nullptr ? "" : target->name);
  add_choice("--algorithm", algorithm_names(), standard, help,
             [this, &target](const std::string& given) {
               const Algorithm* found = algorithm_given(given, invocation_.language);
               if (found != nullptr) target = found;
               return found != nullptr;
             });
}

void Options::rules(const Algorithm** target) {
  const auto set = [this, target](const std::string& given) {
    const Algorithm* found = algorithm_given(given, invocation_.language);
    if (found == nullptr || rules_of(*found) == nullptr) return false;
    if (target != nullptr) *target = found;
    return true;
  };
  add({"--algorithm", file_value(), "", Text::option_rules, set, Text::usage_no_rules});
}

void Options::algorithms(std::vector<const Algorithm*>& targets) {
  for (const Algorithm& algorithm : bully::algorithms()) targets.push_back(&algorithm);
  const auto set = [this, &targets](const std::string& given) {
    targets.clear();
    for (const std::string& name : split(given)) {
      const Algorithm* algorithm = algorithm_given(name, invocation_.language);
      if (algorithm == nullptr) return false;
      if (std::ranges::find(targets, algorithm) == targets.end()) targets.push_back(algorithm);
    }
    return true;
  };
  const std::vector<std::string> names = algorithm_names();
  add_choice("--algorithms", names, joined(names, ","), Text::option_algorithms, set);
  rows_.back().shown = "A,B";
}

void Options::language() {
  const std::vector<std::string> codes(language_codes.begin(), language_codes.end());
  // Also a code without its country, or a locale.
  const auto check = [](const std::string& given) { return language_named(given).has_value(); };
  add_choice("--lang", codes, std::string(code_of(invocation_.language)), Text::option_lang, check);
}

void Options::add_common() {
  group(Text::help_other_options);
  flag("--version", shows_version_, Text::option_version);
  flag("--help", shows_help_, Text::option_help);
  alias("-v", "--version");
  alias("-h", "--help");
}

void Options::refuse(const std::string& name) const {
  invocation_.fail(Text::usage_unknown_option,
                   {name, invocation_.meant(name, list_of(rows_, &Row::name))});
}

void Options::read(const std::vector<std::string>& words) {
  add_common();
  bool only_arguments = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto alias = aliases_.find(words[i]);
    const std::string& word = alias == aliases_.end() ? words[i] : alias->second;
    if (only_arguments || !word.starts_with("-") || word == "-") {
      const bool fits = arguments_ != nullptr && arguments_->size() < max_arguments_;
      if (!fits) invocation_.fail(Text::usage_unexpected_argument, {word});
      arguments_->push_back(word);
      continue;
    }
    only_arguments = word == "--";
    if (only_arguments) continue;
    if (const auto unlisted = unlisted_.find(word); unlisted != unlisted_.end()) {
      *unlisted->second = true;
      invocation_.given.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const bool has_value = equals != std::string::npos;
    const std::string name = word.substr(0, equals);
    const auto row = std::ranges::find(rows_, name, &Row::name);
    if (row == rows_.end()) refuse(name);
    const bool is_flag = row->shown.empty();
    if (is_flag && has_value) invocation_.fail(Text::usage_takes_no_value, {name});
    std::string value = has_value ? word.substr(equals + 1) : "";
    if (!is_flag && !has_value) {
      // An option that follows is no value: `--dir --help` is not a directory called --help.
      const bool is_missing = i + 1 == words.size() || words[i + 1].starts_with("--");
      if (is_missing) invocation_.fail(Text::usage_needs_value, {name});
      value = words[++i];
    }
    if (!row->set(value)) invocation_.fail(row->error, {name, value, row->least, row->most});
    invocation_.given.push_back(is_flag ? name : name + '=' + value);
  }
  if (!shows_help_ && !shows_version_) refuse_ignored();
}

void Options::refuse_ignored() const {
  for (const Row& row : rows_) {
    if (!invocation_.gives(row.name)) continue;
    for (const Limit& limit : row.limits) {
      if (limit.mode.is_on() != limit.ignores_when) continue;
      const bool is_by_default =
          limit.words == Text::usage_no_effect_with &&
          !invocation_.gives(limit.mode.words.substr(0, limit.mode.words.find('=')));
      invocation_.fail(is_by_default ? Text::usage_no_effect_by_default : limit.words,
                       {row.name, limit.mode.words});
    }
  }
}

void Options::refuse_on_terminal() const {
  if (isatty(STDOUT_FILENO) != 1 || invocation_.gives("--output")) return;
  for (const Row& row : rows_) {
    for (const auto& [choice, file] : row.files) {
      const std::string option = std::string(row.name) + '=' + choice;
      const bool is_given = std::ranges::count(invocation_.given, option) > 0;
      if (is_given) invocation_.fail(Text::usage_redirect, {option, file});
    }
  }
}

void Options::no_effect_with_elections(const Algorithm* const& chosen,
                                       bool (*lacks)(const Algorithm&), const Names& names) {
  const auto mode = [&](std::string_view name, auto is_on) {
    no_effect_with({"--algorithm=" + std::string(name), is_on}, names);
  };
  for (const Algorithm& each : bully::algorithms()) {
    if (lacks(each)) mode(each.name, [&] { return chosen == &each; });
  }
  mode(file_value(), [&chosen, lacks] { return rules_of(*chosen) != nullptr && lacks(*chosen); });
}

// What is wider than `columns`, over several lines: broken behind a bar or a comma.
static std::vector<std::string> lines_of(std::string shown, std::size_t columns,
                                         std::string_view margin = "") {
  std::vector<std::string> lines;
  while (width(shown) > columns) {
    const std::size_t mark = shown.find_last_of("|,", columns - 1);
    if (mark == std::string::npos) break;
    lines.push_back(shown.substr(0, mark + 1));
    shown.replace(0, mark + 1, margin);
  }
  lines.push_back(shown);
  return lines;
}

std::string Options::help() const {
  const auto label = [](const Row& row) {
    return "  " + std::string(row.name) + (row.shown.empty() ? "" : "=" + row.shown);
  };
  std::size_t column = 0;
  for (const Row& row : rows_) {
    const std::size_t columns = width(label(row));
    if (columns <= max_label_columns) column = std::max(column, columns + 2);
  }
  std::string page;
  std::optional<Text> group;
  for (const Row& row : rows_) {
    if (row.group != group) page.append("\n").append(text(row.group, invocation_.language)) += '\n';
    group = row.group;
    std::vector<std::string> labels = lines_of(label(row), max_columns, "      ");
    std::string about(text(row.help, invocation_.language));
    if (!row.standard.empty()) about += " [" + harmless(row.standard) + "]";
    if (width(labels.back()) + 2 > column) labels.emplace_back();
    for (; labels.size() > 1; labels.erase(labels.begin())) page += labels.front() + '\n';
    for (const std::string& words : wrapped(about, max_columns - column)) {
      for (const std::string& line : lines_of(words, max_columns - column)) {
        page += padded(std::exchange(labels.front(), ""), column) + line + '\n';
      }
    }
  }
  return page;
}

}  // namespace bully
