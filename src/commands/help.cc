// help.cc: `bully help`, texts about elections by topic; and the manual page and the shells'
// completions, which the build requests.
#include "commands/help.h"

#include <algorithm>
#include <cstdlib>

#include "base/carried.h"
#include "base/layout.h"
#include "base/list.h"
#include "terminal/output.h"

namespace bully {

std::string_view help_topic(std::string_view name, Language language) {
  return find_carried(help_topics(), name, code_of(language)).value_or("");
}

namespace {

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
    if (format > 0) {
      if (!names.empty()) fail(Text::usage_unexpected_argument, {names[0]});
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
    fail(Text::usage_no_such_topic, {names[0], invocation().meant(names[0], known)});
  }

  std::string list_of_topics() const {
    std::string list;
    for (const CarriedText& topic : help_topics()) {
      if (topic.kind != code_of(language())) continue;
      const std::string_view summary = topic.text.substr(0, topic.text.find('\n'));
      list += beside(padded("  " + std::string(topic.name), 19), summary);
    }
    return say(Text::help_topics) + '\n' + list + '\n' + rewrapped(say(Text::help_more)) + '\n';
  }

  std::vector<std::string> names;
  std::size_t format = 0;   // text, or a kind of page
  std::size_t example = 0;  // its index in rule_examples(), from 1
};

}  // namespace

const CommandKind help_command = {"help", Text::command_help, Text::help_help_intro,
                                  make_command<HelpCommand>};

}  // namespace bully
