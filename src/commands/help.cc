// help.cc: `bully help`, what a course says about elections, by topic; and the manual page and the
// shells' completions, which the build asks for.
#include "commands/help.h"

#include <algorithm>

#include "commands/commands.h"
#include "commands/terminal.h"
#include "view/style.h"

namespace bully {

std::string_view help_topic(std::string_view name, Language language) {
  const auto found = std::ranges::find_if(help_topics(), [&](const HelpTopic& topic) {
    return topic.name == name && topic.language == code_of(language);
  });
  return found == help_topics().end() ? std::string_view() : found->text;
}

static std::string list_of_topics(const Invocation& invocation) {
  Table rows;
  for (const HelpTopic& topic : help_topics()) {
    if (topic.language != code_of(invocation.language)) continue;
    const std::string_view summary = topic.text.substr(0, topic.text.find('\n'));
    rows.push_back({"  " + std::string(topic.name), std::string(summary)});
  }
  return invocation.say(Text::help_topics) + '\n' + joined(aligned(rows, "l"), "\n") + "\n\n" +
         invocation.say(Text::help_more) + '\n';
}

int run_help(Options& options) {
  enum class Format : std::uint8_t { text, man, bash, zsh, fish };
  std::vector<std::string> names;
  Format format = Format::text;
  options.arguments(Text::help_topic_argument, names, 1);
  options.choice("--format", {"text", "man", "bash", "zsh", "fish"}, format,
                 Text::option_help_format);
  options.language();
  const Invocation& invocation = options.read();

  if (format != Format::text) {
    if (!names.empty()) invocation.fail(Text::usage_unexpected_argument, {names[0]});
    const std::vector<Manual> manuals = manuals_of_all(invocation);
    write_to_stdout(format == Format::man    ? man_page(manuals, invocation)
                    : format == Format::bash ? bash_completion(manuals)
                    : format == Format::zsh  ? zsh_completion(manuals, invocation.language)
                                             : fish_completion(manuals, invocation.language));
    return exit_ok;
  }
  if (names.empty()) {
    write_to_stdout(list_of_topics(invocation));
    return exit_ok;
  }
  const std::string_view text = help_topic(names[0], invocation.language);
  if (text.empty()) {
    invocation.fail(Text::usage_no_such_topic,
                    {names[0], nearest(names[0], help_topics(), &HelpTopic::name)});
  }
  write_to_stdout(text);
  return exit_ok;
}

}  // namespace bully
