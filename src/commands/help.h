// help.h: what `bully help` tells. The texts of its topics are data, one file for each topic and
// language in ../help; the build embeds them. What each command can do, as other programs want to
// read it, is made from the tables that `--help` shows: a manual page, and the completions of three
// shells. So none can say what the others do not.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/commands.h"

namespace bully {

struct HelpTopic {
  std::string_view name;
  std::string_view language;  // its code
  std::string_view text;      // the first line is a summary
};

// All of them, in the order in which a reader would want them. The Makefile writes this function.
std::span<const HelpTopic> help_topics();
// The text of a topic in that language, or nothing if there is no such topic.
std::string_view help_topic(std::string_view name, Language language);

// What `bully NAME --help` shows; nothing if there is no such command.
std::string help_of_command(std::string_view name, const Invocation& invocation);

// A command with its options, in the language of an invocation.
struct Manual {
  std::string_view name;  // empty for the node's, which goes without
  std::string summary;    // in a few words
  std::string arguments;  // such as "[ID]"; empty if it takes none
  std::string known;      // what these may be, with spaces between, where that is known
  std::string intro;
  std::string closing;  // or empty
  std::vector<Options::Row> options;
};

// The variables that it reads, and what for.
inline constexpr auto environment = std::to_array<std::pair<std::string_view, Text>>({
    {"BULLY_DIR", Text::help_environment_dir},
    {"BULLY_TRACE", Text::help_environment_trace},
    {"LC_ALL, LANG", Text::help_environment_lang},
    {"NO_COLOR", Text::help_environment_color},
});

// The node's first. Nothing runs.
std::vector<Manual> manuals_of_all(const Invocation& invocation);

// A page for man(1), in roff.
std::string man_page(const std::vector<Manual>& manuals, Language language);
// Scripts for the shells: commands, options, and the values of those that are one of a few.
std::string bash_completion(const std::vector<Manual>& manuals, Language language);
std::string zsh_completion(const std::vector<Manual>& manuals, Language language);
std::string fish_completion(const std::vector<Manual>& manuals, Language language);

}  // namespace bully
