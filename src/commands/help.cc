// help.cc: `bully help`, what a course says about elections, by topic; and the manual page and the
// shells' completions, which the build asks for.
#include "commands/help.h"

#include <algorithm>

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
  constexpr std::array pages = {man_page, bash_completion, zsh_completion, fish_completion};
  std::vector<std::string> names;
  std::size_t format = 0;  // text, or one of the pages
  options.arguments(Text::help_topic_argument, names, 1);
  options.choice("--format", {"text", "man", "bash", "zsh", "fish"}, format,
                 Text::option_help_format);
  options.language();
  const Invocation& invocation = options.read();

  if (format > 0) {
    if (!names.empty()) invocation.fail(Text::usage_unexpected_argument, {names[0]});
    write_to_stdout(pages.at(format - 1)(manuals_of_all(invocation), invocation.language));
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
