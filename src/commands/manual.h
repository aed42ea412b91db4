// manual.h: what each command can do, as other programs want to read it: a manual page, and the
// completions of three shells. All of it is made from the tables that `--help` shows, so none can
// say what the others do not. Read next: manual.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/commands.h"

namespace bully {

// A command with its options, in the language of an invocation.
struct Manual {
  std::string_view name;  // empty for the node's, which goes without
  std::string summary;    // in a few words
  std::string arguments;  // such as "[ID]"; empty if it takes none
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
std::string man_page(const std::vector<Manual>& manuals, const Invocation& invocation);
// Scripts for the shells: commands, options, and the values of those that are one of a few.
std::string bash_completion(const std::vector<Manual>& manuals);
std::string zsh_completion(const std::vector<Manual>& manuals, Language language);
std::string fish_completion(const std::vector<Manual>& manuals, Language language);

}  // namespace bully
