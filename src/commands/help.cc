// help.cc: `bully help`, texts about elections by topic; and the manual page and the shells'
// completions, which the build requests.
#include "commands/help.h"

#include <algorithm>
#include <cstdlib>

#include "base/carried.h"
#include "base/layout.h"
#include "base/list.h"
#include "election/algorithm.h"
#include "terminal/output.h"

namespace bully {

std::string_view help_topic(std::string_view name, Language language) {
  return find_carried(help_topics(), name, code_of(language)).value_or("");
}

namespace {

// True if `text` has `word`, and not only as a part of another.
bool has_whole(std::string_view text, std::string_view word) {
  constexpr std::string_view ends = " \n.,:;?()[]`\"/";
  const auto is_end = [&](std::size_t at) {
    return at >= text.size() || ends.find(text[at]) != std::string_view::npos;
  };
  std::size_t at = text.find(word);
  while (at != std::string_view::npos && !(is_end(at - 1) && is_end(at + word.size()))) {
    at = text.find(word, at + 1);
  }
  return at != std::string_view::npos;
}

// Joins the lines of a paragraph, which the files of words break elsewhere.
std::string laid_out(const std::string& page) {
  std::string shown;
  bool is_paragraph = false;
  for (const std::string& line : lines_in(page)) {
    const bool is_prose = !line.empty() && line.find("  ") == std::string::npos;
    if (!shown.empty()) shown += is_paragraph && is_prose ? ' ' : '\n';
    shown += line;
    is_paragraph = is_prose;
  }
  return rewrapped(shown + '\n');
}

std::string_view summary_of(const CarriedText& topic) {
  return topic.text.substr(0, topic.text.find('\n'));
}

struct HelpCommand : Subcommand {
  void declare(Options& options) override {
    const auto is_english = [](const CarriedText& topic) { return topic.kind == "en"; };
    options.arguments(Text::help_topic_argument, names, 1,
                      list_of<std::string>(help_topics(), is_english, &CarriedText::name));
    options.choice("--format", {"text", "man", "bash", "zsh", "fish"}, format,
                   Text::option_help_format);
    std::vector<std::string> languages = {"none"};
    for (const CarriedText& each : rule_examples()) {
      languages.emplace_back(each.kind == "py" ? "python" : "javascript");
    }
    options.choice("--example", languages, example, Text::option_example);
    options.language();
    options.needs({"--format=text", [this] { return format == 0; }}, {"--example"});
  }

  int run() override {
    write_to_stdout(page());
    return exit_ok;
  }

  std::string page() const {
    Invocation own = invocation();
    constexpr std::array pages = {man_page, bash_completion, zsh_completion, fish_completion};
    if (!names.empty() && example > 0 && names[0] != "rules") {
      fail(Text::usage_no_example, {names[0]});
    }
    if (!names.empty() && format > 0) fail(Text::usage_unexpected_argument, {names[0]});
    if (format > 0) {
      // For the reader's machine, not for the builder's.
      unsetenv("BULLY_DIR");
      unsetenv("BULLY_TRACE");
      return pages.at(format - 1)(manuals_of_all(own), language());
    }
    if (example > 0) return std::string(rule_examples()[example - 1].text);
    if (names.empty()) return list_of_topics();
    const std::vector<Manual> manuals = manuals_of_all(own);
    const auto commands = std::span(manuals).subspan(1);
    const auto command = std::ranges::find(commands, names[0], &Manual::name);
    if (command != commands.end()) return help_page(command->kind, command->options, own);
    const std::string_view topic = help_topic(names[0], language());
    if (!topic.empty()) return std::string(topic);
    auto known = list_of(help_topics(), &CarriedText::name);
    for (const Manual& manual : commands) known.push_back(manual.name());
    std::string meant = invocation().meant(names[0], known);
    const Algorithm* election = find_algorithm(names[0]);
    if (election != nullptr && election != &default_algorithm()) {
      meant = say(Text::usage_plays_election, {names[0]});
    } else if (find_carried(lessons(), names[0])) {
      meant = say(Text::usage_plays_lesson, {names[0]});
    } else if (meant.empty()) {
      const auto begins_so = [this](std::string_view name) { return name.starts_with(names[0]); };
      const auto found = std::ranges::find_if(known, begins_so);
      const std::string_view place = found != known.end() ? *found : topic_about(names[0]);
      if (!place.empty()) meant = say(Text::usage_did_you_mean, {place});
    }
    fail(Text::usage_no_such_topic, {names[0], meant});
  }

  // The first topic that has this word in its summary, also as a plural; or anywhere; or none.
  std::string_view topic_about(std::string_view word) const {
    const auto topic_with = [&](auto part_of, const std::string& wanted) {
      const auto found = std::ranges::find_if(help_topics(), [&](const CarriedText& topic) {
        return topic.kind == code_of(language()) && has_whole(part_of(topic), wanted);
      });
      return found == help_topics().end() ? "" : found->name;
    };
    const std::string one(word);
    for (const auto found : {topic_with(summary_of, one), topic_with(summary_of, one + 's')}) {
      if (!found.empty()) return found;
    }
    return topic_with([](const CarriedText& topic) { return topic.text; }, one);
  }

  std::string list_of_topics() const {
    std::string list;
    for (const CarriedText& topic : help_topics()) {
      if (topic.kind != code_of(language())) continue;
      list += beside(padded("  " + std::string(topic.name), 19), summary_of(topic));
    }
    const std::string commands =
        joined(all_commands, ", ", [](const CommandKind* each) { return each->name; });
    return say(Text::help_topics) + '\n' + list + '\n' +
           beside("  ", say(Text::help_commands) + ' ' + commands.substr(2)) + '\n' +
           rewrapped(say(Text::help_more)) + '\n';
  }

  std::vector<std::string> names;
  std::size_t format = 0;   // text, or a kind of page
  std::size_t example = 0;  // its index in rule_examples(), from 1
};

}  // namespace

std::string closing_of(const CommandKind& command, Language language) {
  std::string closing;
  for (const std::optional<Text>& part : command.closing) {
    if (part) closing.append(closing.empty() ? "" : "\n").append(text(*part, language));
  }
  return closing.empty() ? std::string(help_topic(command.name, language)) : closing;
}

std::string help_page(const CommandKind& command, const Options& options,
                      const Invocation& invocation) {
  const bool is_main = command.name.empty();
  const std::string any_options = ' ' + invocation.say(Text::help_usage_options) + '\n';
  const auto row = [&](std::string_view name, Text words) {
    return beside(padded("  " + std::string(name), 16), invocation.say(words));
  };
  const std::string usage = invocation.say(Text::help_usage);
  std::string page = usage + " bully";
  for (const std::string_view word : {command.name, std::string_view(options.shown_arguments())}) {
    if (!word.empty()) page.append(" ").append(word);
  }
  page += any_options;
  const std::string margin(usage.size() + 1, ' ');
  if (is_main) page += margin + "bully " + invocation.say(Text::help_command_value) + any_options;
  page += '\n' + invocation.say(command.intro) + '\n';
  if (is_main) {
    page += '\n' + invocation.say(Text::help_commands) + '\n';
    for (const CommandKind* each : all_commands) {
      page += row(each->name.empty() ? "[ID]" : each->name, each->summary);
    }
  }
  page += options.help();
  if (is_main) {
    page += '\n' + invocation.say(Text::help_duration) + "\n\n" +
            invocation.say(Text::help_environment) + '\n';
    for (const auto& [name, words] : environment) page += row(name, words);
  }
  const std::string closing = closing_of(command, invocation.language);
  if (!closing.empty()) page.append("\n").append(closing);
  return laid_out(page);
}

std::vector<Manual> manuals_of_all(Invocation& invocation) {
  std::vector<Manual> manuals;
  for (const CommandKind* kind : all_commands) {
    Options options(invocation);
    kind->make(invocation)->declare(options);
    options.add_common();
    manuals.push_back({*kind, std::move(options)});
  }
  return manuals;
}

const CommandKind help_command = {"help", Text::command_help, Text::help_help_intro,
                                  make_command<HelpCommand>};

}  // namespace bully
