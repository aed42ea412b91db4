#include "commands/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "trace/harmless.h"

namespace bully {

namespace {

using std::chrono::nanoseconds;
constexpr nanoseconds max_duration = std::chrono::hours(1);
constexpr double ns_per_ms = 1e6;
constexpr double ns_per_s = 1e9;

// Takes "1.5" off the front: digits, with a point among them or around them. By hand, since not
// every C++20 library reads numbers with a point, and strtod() heeds the locale.
std::optional<double> take_decimal(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, size);
  const std::size_t point = number.find('.');
  const bool has_digit = number.find_first_not_of('.') != std::string_view::npos;
  if (!has_digit || point != number.rfind('.')) return std::nullopt;
  double digits = 0;
  double scale = 1;
  for (std::size_t i = 0; i < size; ++i) {
    if (i == point) continue;
    digits = digits * 10 + (number[i] - '0');
    if (i > point) scale *= 10;
  }
  text.remove_prefix(size);
  return digits / scale;
}

std::optional<nanoseconds> parse_duration(std::string_view text) {
  const std::optional<double> number = take_decimal(text);
  if (!number || (text != "ms" && text != "s")) return std::nullopt;
  const double ns = *number * (text == "ms" ? ns_per_ms : ns_per_s);
  if (!(ns <= static_cast<double>(max_duration.count()))) return std::nullopt;
  return nanoseconds(static_cast<std::int64_t>(ns));
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string all;
  for (const std::string& word : words) all.append(all.empty() ? "" : between).append(word);
  return all;
}

}  // namespace

std::string duration_text(nanoseconds duration) {
  const auto ms = duration / std::chrono::milliseconds(1);
  if (ms % 1000 == 0 && ms > 0) return std::to_string(ms / 1000) + "s";
  return std::to_string(ms) + "ms";
}

Language language_of(const std::vector<std::string>& arguments) {
  constexpr std::string_view name = "--lang";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view value = arguments[i];
    if (value == "--") break;
    if (value == name && i + 1 < arguments.size()) {
      value = arguments[i + 1];
    } else if (value.starts_with(name) && value.substr(name.size()).starts_with('=')) {
      value.remove_prefix(name.size() + 1);
    } else {
      continue;
    }
    if (const auto language = language_named(value)) return *language;
  }
  return language_of_environment();
}

void Options::group(Text heading) {
  next_heading_ = text(heading, language_);
}

void Options::add(Option option) {
  option.heading = std::exchange(next_heading_, {});
  options_.push_back(std::move(option));
}

void Options::flag(std::string_view name, bool& target, Text help) {
  add({std::string(name), "", "", help, [&target](const std::string&) { target = true; }, ""});
}

void Options::value(std::string_view name, std::string_view metavar, std::string& target,
                    Text help) {
  const auto set = [this, name, &target](const std::string& given) {
    if (given.empty()) fail(Text::usage_needs_value, {name});
    target = given;
  };
  add({std::string(name), std::string(metavar), target, help, set, ""});
}

void Options::values(std::string_view name, std::string_view metavar,
                     std::vector<std::string>& targets, Text help) {
  const auto set = [this, name, &targets](const std::string& given) {
    if (given.empty()) fail(Text::usage_needs_value, {name});
    targets.push_back(given);
  };
  add({std::string(name), std::string(metavar), "", help, set, ""});
}

void Options::duration(std::string_view name, nanoseconds& target, nanoseconds least, Text help) {
  const auto set = [this, name, least, &target](const std::string& given) {
    const std::optional<nanoseconds> parsed = parse_duration(given);
    if (!parsed || *parsed < least) {
      fail(Text::usage_not_a_duration,
           {name, given, duration_text(least), duration_text(max_duration)});
    }
    target = *parsed;
  };
  const std::string metavar = language_ == Language::english ? "TIME" : "TEMPO";
  add({std::string(name), metavar, duration_text(target), help, set, ""});
}

std::uint64_t Options::parse_number(std::string_view name, const std::string& given,
                                    std::uint64_t least, std::uint64_t most) const {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(given.data(), given.data() + given.size(), number);
  const bool whole = error == std::errc() && stop == given.data() + given.size();
  if (!whole || number < least || number > most) {
    fail(Text::usage_not_a_number, {name, given, std::to_string(least), std::to_string(most)});
  }
  return number;
}

void Options::number(std::string_view name, std::uint64_t& target, std::uint64_t least,
                     std::uint64_t most, Text help) {
  const auto set = [this, name, least, most, &target](const std::string& given) {
    target = parse_number(name, given, least, most);
  };
  add({std::string(name), "N", std::to_string(target), help, set, ""});
}

void Options::number(std::string_view name, std::optional<std::uint64_t>& target,
                     std::uint64_t least, std::uint64_t most, Text help) {
  const auto set = [this, name, least, most, &target](const std::string& given) {
    target = parse_number(name, given, least, most);
  };
  add({std::string(name), "N", "", help, set, ""});
}

void Options::share(std::string_view name, std::uint32_t& parts_per_million, Text help) {
  constexpr double ppm_per_percent = 1e4;
  const auto set = [this, name, &parts_per_million](const std::string& given) {
    std::string_view rest = given;
    const std::optional<double> percent = take_decimal(rest);
    if (!percent || rest != "%" || !(*percent <= 100)) fail(Text::usage_not_a_share, {name, given});
    parts_per_million = static_cast<std::uint32_t>(std::lround(*percent * ppm_per_percent));
  };
  add({std::string(name), "P%", std::to_string(parts_per_million / 10'000) + "%", help, set, ""});
}

void Options::choice(std::string_view name, std::vector<std::string> choices, std::size_t& target,
                     Text help) {
  const std::string all = joined(choices, "|");
  const std::string standard = choices.at(target);
  const auto set = [this, name, choices = std::move(choices), &target](const std::string& given) {
    const auto found = std::find(choices.begin(), choices.end(), given);
    if (found == choices.end()) {
      fail(Text::usage_not_one_of, {name, given, joined(choices, ", ")});
    }
    target = static_cast<std::size_t>(found - choices.begin());
  };
  add({std::string(name), all, standard, help, set, ""});
}

void Options::algorithm(const Algorithm*& target, Text help) {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms()) names.emplace_back(algorithm.name);
  const auto set = [this, names, &target](const std::string& given) {
    target = find_algorithm(given);
    if (target == nullptr) {
      fail(Text::usage_not_one_of, {"--algorithm", given, joined(names, ", ")});
    }
  };
  const std::string standard(target == nullptr ? "" : target->name);
  add({"--algorithm", joined(names, "|"), standard, help, set, ""});
}

void Options::language() {
  const auto check = [this](const std::string& given) {
    if (!language_named(given)) fail(Text::usage_not_one_of, {"--lang", given, "en, pt-BR"});
  };
  const std::string standard = language_ == Language::english ? "en" : "pt-BR";
  add({"--lang", "en|pt-BR", standard, Text::option_lang, check, ""});
}

void Options::argument(std::function<void(const std::string&)> take) {
  take_argument_ = std::move(take);
}

void Options::parse(const std::vector<std::string>& arguments) {
  bool only_arguments = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& given = arguments[i];
    if (only_arguments || !given.starts_with("-") || given == "-") {
      if (!take_argument_) fail(Text::usage_unexpected_argument, {given});
      take_argument_(given);
      continue;
    }
    only_arguments = given == "--";
    if (only_arguments) continue;
    const std::size_t equals = given.find('=');
    const std::string name = given.substr(0, equals);
    const auto option = std::find_if(options_.begin(), options_.end(),
                                     [&](const Option& known) { return known.name == name; });
    if (option == options_.end()) fail(Text::usage_unknown_option, {name});
    if (option->metavar.empty()) {
      if (equals != std::string::npos) fail(Text::usage_takes_no_value, {name});
      option->set("");
    } else if (equals != std::string::npos) {
      option->set(given.substr(equals + 1));
    } else {
      // An option that follows is no value: `--dir --help` is not a directory called --help.
      if (i + 1 == arguments.size() || arguments[i + 1].starts_with("--"))
        fail(Text::usage_needs_value, {name});
      option->set(arguments[++i]);
    }
  }
}

std::string Options::help() const {
  const auto left = [](const Option& option) {
    return "  " + option.name + (option.metavar.empty() ? "" : "=" + option.metavar);
  };
  std::size_t columns = 0;
  for (const Option& option : options_) columns = std::max(columns, width(left(option)));
  std::string shown;
  for (const Option& option : options_) {
    if (!option.heading.empty()) shown += "\n" + option.heading + "\n";
    shown += padded(left(option), columns + 2);
    shown += text(option.help, language_);
    if (!option.standard.empty()) shown += " [" + harmless(option.standard) + "]";
    shown += '\n';
  }
  return shown;
}

std::string Options::page(std::string_view usage, Text intro, std::optional<Text> closing) const {
  const auto say = [this](Text name) { return std::string(text(name, language_)); };
  std::string shown = say(Text::help_usage) + ' ' + std::string(usage) + ' ' +
                      say(Text::help_usage_options) + "\n\n" + say(intro) + '\n' + help();
  if (closing) shown += '\n' + say(*closing) + '\n';
  return shown;
}

void Options::fail(Text words, std::initializer_list<std::string_view> values) const {
  throw UsageError(text(words, language_, values));
}

}  // namespace bully
