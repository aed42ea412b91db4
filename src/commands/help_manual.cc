// help_manual.cc: the manual page, and the completions of three shells, from the tables of options.
#include "commands/help.h"

#include <algorithm>

#include "base/list.h"
#include "base/text.h"

namespace bully {

namespace {

// --- roff ---

// A line that begins with a point or a quote would be a command of roff.
std::string roff(std::string_view text) {
  std::string page = replaced('\n' + std::string(text), "\\", "\\e");
  for (const char* const sign : {"\n.", "\n'"}) {
    page = replaced(page, sign, std::string("\n\\&") + sign[1]);
  }
  return replaced(page, "-", "\\-").substr(1);
}

std::string bold(std::string_view text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string synopsis(const Manual& manual, std::string_view any_options) {
  std::string line = bold("bully");
  const std::string_view name = manual.name();
  for (const std::string_view part : {name, std::string_view(manual.options.shown_arguments())}) {
    if (!part.empty()) line += ' ' + (part == name ? bold(part) : roff(part));
  }
  return line + ' ' + roff(any_options) + '\n';
}

std::string roff_options(const Manual& manual, Language language) {
  std::string page;
  std::optional<Text> group;
  for (const Options::Row& row : manual.options.rows()) {
    if (group != row.group) page += ".PP\n" + bold(text(row.group, language)) + '\n';
    group = row.group;
    page += ".TP\n" + bold(row.name);
    if (!row.shown.empty()) page += "=\\fI" + roff(row.shown) + "\\fR";
    page += '\n' + roff(text(row.help, language));
    if (!row.standard.empty()) page += " [" + roff(row.standard) + ']';
    page += '\n';
  }
  return page;
}

// --- Shells ---

// The values of an option with choices.
std::string choices_of(const Options::Row& row) {
  std::string choices = row.shown;
  if (choices.find('|') == std::string::npos) return "";
  std::ranges::replace(choices, '|', ' ');
  return choices;
}

std::string commands_of(const std::vector<Manual>& manuals, std::string_view between = " ") {
  return joined(std::span(manuals).subspan(1), between, &Manual::name);  // without the node's
}

// In a _arguments specification a bracket ends the description, a colon a part.
std::string zsh_words(std::string_view text) {
  std::string escaped(text);
  for (const std::string sign : {"\\", "[", "]", ":"}) {
    escaped = replaced(escaped, sign, '\\' + sign);
  }
  return escaped;
}

}  // namespace

std::string man_page(const std::vector<Manual>& manuals, Language language) {
  const auto say = [=](Text words) { return std::string(text(words, language)); };
  const auto section = [&](Text heading) { return ".SH " + say(heading) + '\n'; };
  const std::string any_options = say(Text::help_usage_options);
  std::string page = ".TH BULLY 1 \"\" \"bully " + std::string(version) + "\"\n";
  page += section(Text::man_name) + "bully \\- " + roff(say(Text::man_summary)) + '\n';
  page += section(Text::man_synopsis);
  for (const Manual& manual : manuals) page += synopsis(manual, any_options) + ".br\n";
  page += section(Text::man_description);
  std::string commands;
  for (const Manual& manual : manuals) {
    std::string about = roff(say(manual.kind.intro)) + '\n' + roff_options(manual, language);
    const std::string closing = closing_of(manual.kind, language);
    if (!closing.empty()) about += ".PP\n.nf\n" + roff(closing) + "\n.fi\n";
    if (manual.name().empty()) {
      page += about;
    } else {
      commands += ".SS bully " + std::string(manual.name()) + '\n' + about;
    }
  }
  page += section(Text::man_commands) + commands;
  page += section(Text::man_environment);
  for (const auto& [name, words] : environment) {
    page += ".TP\n" + bold(name) + '\n' + roff(say(words)) + '\n';
  }
  return page + section(Text::man_see_also) + bold("bully help") + '\n';
}

// Bash splits a word at `=`, so the option and its value are two words.
std::string bash_completion(const std::vector<Manual>& manuals, Language /*language*/) {
  std::string page =
      "# bash completion for bully\n"
      "_bully() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command=${COMP_WORDS[1]} option= words=\n"
      "  if [[ $current == '=' ]]; then option=$before current=\n"
      "  elif [[ $before == '=' ]]; then option=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  fi\n"
      "  case $command in " +
      commands_of(manuals, "|") +
      ") ;; *) command= ;; esac\n"
      "  case $command:$option in\n";
  for (const Manual& manual : manuals) {
    const std::string name(manual.name());
    std::string options = name.empty() ? commands_of(manuals) : "";
    for (const Options::Row& row : manual.options.rows()) {
      options.append(options.empty() ? "" : " ").append(row.name) += row.shown.empty() ? "" : "=";
      const std::string choices = choices_of(row);
      if (!choices.empty()) {
        page +=
            "    " + name + ':' + std::string(row.name) + ") words=" + in_quotes(choices) + " ;;\n";
      }
    }
    const std::string known = manual.options.known_arguments();
    if (!known.empty()) options += ' ' + known;
    page += "    " + name + ":) words=" + in_quotes(options) + " ;;\n";
  }
  return page +
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "  [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
         "  return 0\n"
         "}\n"
         "complete -o default -F _bully bully ./bully\n";
}

std::string zsh_completion(const std::vector<Manual>& manuals, Language language) {
  const auto arguments_of = [&](const Manual& manual) {
    std::string page;
    for (const Options::Row& row : manual.options.rows()) {
      std::string row_words = std::string(row.name) + (row.shown.empty() ? "" : "=") + '[' +
                              zsh_words(text(row.help, language)) + ']';
      const std::string choices = choices_of(row);
      if (!choices.empty()) {
        row_words += ":value:(" + choices + ')';
      } else if (!row.shown.empty()) {
        row_words += ':' + zsh_words(row.shown) + ":_files";
      }
      page += " \\\n      " + in_quotes(row_words);
    }
    return page + '\n';
  };
  std::string page = "#compdef bully\n\ncase ${words[2]} in\n";
  std::string commands;
  for (const Manual& manual : manuals) {
    const std::string name(manual.name());
    if (name.empty()) continue;
    commands += ' ' + name + "\\:" + in_quotes(zsh_words(text(manual.kind.summary, language)));
    std::string known = manual.options.known_arguments();
    if (!known.empty()) known = "compadd " + known + "; ";
    page += "  " + name + ")\n    shift words; (( CURRENT-- ))\n    _arguments '*:file:{ " + known +
            "_files }'" + arguments_of(manual) + "    ;;\n";
  }
  return page + "  *)\n    _arguments " + in_quotes("1:command:((" + commands + " ))") +
         arguments_of(manuals.front()) + "    ;;\nesac\n";
}

std::string fish_completion(const std::vector<Manual>& manuals, Language language) {
  std::string page;
  for (const Manual& manual : manuals) {
    const std::string name(manual.name());
    if (!name.empty()) {
      page += "complete -c bully -n __fish_use_subcommand -a " + name + " -d " +
              in_quotes(text(manual.kind.summary, language)) + '\n';
    }
    const std::string when =
        name.empty() ? "__fish_use_subcommand" : "'__fish_seen_subcommand_from " + name + '\'';
    const std::string known = manual.options.known_arguments();
    if (!known.empty()) page += "complete -c bully -n " + when + " -a " + in_quotes(known) + '\n';
    for (const Options::Row& row : manual.options.rows()) {
      page += "complete -c bully -n " + when + " -l " + std::string(row.name.substr(2));
      const std::string choices = choices_of(row);
      if (!choices.empty()) page += " -x -a " + in_quotes(choices);
      if (choices.empty() && !row.shown.empty()) page += " -r";
      page += " -d " + in_quotes(text(row.help, language)) + '\n';
    }
  }
  return page;
}

}  // namespace bully
