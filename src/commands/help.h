// help.h: the texts of `bully help`. Its topics are data, one file for each topic and language in
// ../help; the build embeds them. The manual page and the completions of three shells are made from
// the tables that `--help` shows, so they always agree.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/commands.h"

namespace bully {

// The text of a topic in that language; nothing for an unknown topic.
std::string_view help_topic(std::string_view name, Language language);

// A command with its options. It never runs.
struct Manual {
  const CommandKind& kind;
  Options options;

  std::string_view name() const { return kind.name; }
};

// The output of `bully NAME --help`.
std::string help_page(const CommandKind& command, const Options& options,
                      const Invocation& invocation);
// The end of that: the topic of its name, unless it has another. Or nothing.
std::string closing_of(const CommandKind& command, Language language);

// The environment variables, with their purpose.
inline constexpr auto environment = std::to_array<std::pair<std::string_view, Text>>({
    {"BULLY_DIR", Text::help_environment_dir},
    {"BULLY_TRACE", Text::help_environment_trace},
    {"LC_ALL, LANG", Text::help_environment_lang},
    {"NO_COLOR", Text::help_environment_color},
});

// The node's first.
inline constexpr std::array all_commands = {
    &node_command,  &ps_command,      &scenario_command, &simulate_command, &verify_command,
    &check_command, &diagram_command, &watch_command,    &record_command,   &grade_command,
    &kill_command,  &compare_command, &cluster_command,  &demo_command,     &lab_command,
    &rules_command, &help_command};
// In the same order. `invocation` outlives them.
std::vector<Manual> manuals_of_all(Invocation& invocation);

std::string man_page(const std::vector<Manual>& manuals, Language language);
// Scripts for the shells: commands, options, and the values of options with choices.
std::string bash_completion(const std::vector<Manual>& manuals, Language language);
std::string zsh_completion(const std::vector<Manual>& manuals, Language language);
std::string fish_completion(const std::vector<Manual>& manuals, Language language);

}  // namespace bully
