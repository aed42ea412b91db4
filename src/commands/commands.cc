// Finds the command, runs it or shows its help, and says what went wrong.
#include "commands/commands.h"

#include <array>
#include <cerrno>
#include <exception>
#include <span>
#include <sstream>
#include <system_error>

#include "commands/help.h"
#include "commands/reports.h"
#include "commands/terminal.h"
#include "node/system.h"
#include "trace/trace.h"
#include "view/style.h"
#include "wire/relay.h"

namespace bully {

namespace {

// A command as the help shows it.
struct Command {
  std::string_view name;  // empty for the node's, which goes without
  Text summary;           // in a few words
  Text intro;
  std::optional<Text> closing;
  int (*run)(Options& options);
};

// The node's first.
constexpr auto every_command = std::to_array<Command>({
    {"", Text::command_node, Text::help_intro, Text::help_exit, run_node},
    {"ps", Text::command_ps, Text::help_ps_intro, {}, run_ps},
    {"scenario", Text::command_scenario, Text::help_scenario_intro, {}, run_scenario},
    {"simulate", Text::command_simulate, Text::help_simulate_intro, {}, run_simulate},
    {"verify", Text::command_verify, Text::help_verify_intro, Text::help_verify_exit, run_verify},
    {"check", Text::command_check, Text::help_check_intro, Text::help_check_exit, run_check},
    {"diagram", Text::command_diagram, Text::help_diagram_intro, {}, run_diagram},
    {"watch", Text::command_watch, Text::help_watch_intro, Text::watch_keys, run_watch},
    {"record", Text::command_record, Text::help_record_intro, {}, run_record},
    {"kill", Text::command_kill, Text::help_kill_intro, Text::help_kill_rules, run_kill},
    {"compare", Text::command_compare, Text::help_compare_intro, {}, run_compare},
    {"cluster", Text::command_cluster, Text::help_cluster_intro, Text::help_cluster_exit,
     [](Options& options) { return run_cluster_or_demo(options, false); }},
    {"demo", Text::command_demo, Text::help_cluster_intro, Text::help_cluster_exit,
     [](Options& options) { return run_cluster_or_demo(options, true); }},
    {"lab", Text::command_lab, Text::help_lab_intro, {}, run_lab},
    {"help", Text::command_help, Text::help_help_intro, {}, run_help},
});

std::string_view closing_of(const Command& command, Language language) {
  // The language of scripts is a topic of its own.
  if (command.run == run_scenario) return help_topic("scenario", language);
  return command.closing ? text(*command.closing, language) : std::string_view();
}

// Paragraphs anew, for the columns of a terminal; tables stay as they are.
std::string laid_out(const std::string& page) {
  std::string shown;
  std::string paragraph;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.find("  ") == std::string::npos) {
      paragraph.append(paragraph.empty() ? "" : " ").append(line);
      continue;
    }
    for (const std::string& part : wrapped(std::exchange(paragraph, ""), narration_columns)) {
      shown += part + '\n';
    }
    shown += line + '\n';
  }
  for (const std::string& part : wrapped(paragraph, narration_columns)) shown += part + '\n';
  return shown;
}

std::string help_page(const Command& command, const Options& options,
                      const Invocation& invocation) {
  const bool is_main = command.name.empty();
  const std::string any_options = ' ' + invocation.say(Text::help_usage_options) + '\n';
  const auto row = [&](std::string_view name, Text words) {
    constexpr std::size_t columns = 16;
    const auto lines = wrapped(invocation.say(words), narration_columns - columns);
    return padded("  " + std::string(name), columns) +
           joined(lines, '\n' + repeated(" ", columns)) + '\n';
  };
  std::string page = invocation.say(Text::help_usage) + " bully";
  for (const std::string_view word : {command.name, std::string_view(options.shown_arguments())}) {
    if (!word.empty()) page.append(" ").append(word);
  }
  page += any_options;
  if (is_main) page += "       bully COMMAND" + any_options;
  page += '\n' + invocation.say(command.intro) + '\n';
  if (is_main) {
    page += '\n' + invocation.say(Text::help_commands) + '\n';
    for (const Command& each : every_command)
      page += row(each.name.empty() ? "[ID]" : each.name, each.summary);
  }
  page += options.help();
  if (is_main) {
    page += '\n' + invocation.say(Text::help_duration) + "\n\n" +
            invocation.say(Text::help_environment) + '\n';
    for (const auto& [name, words] : environment) page += row(name, words);
  }
  const std::string_view closing = closing_of(command, invocation.language);
  if (!closing.empty()) page.append("\n").append(closing);
  return laid_out(page);
}

// What the user can do about a failure, in the order of enum Advice from the first but `none` on.
constexpr std::array advices = {
    Text::advice_choose_directory, Text::advice_shorten_directory, Text::advice_tighten_directory,
    Text::advice_make_parent,      Text::advice_free_disk,         Text::advice_id_in_use,
    Text::advice_name_in_the_way,  Text::advice_raise_descriptors, Text::advice_raise_processes,
    Text::advice_choose_trace,     Text::advice_choose_ring,       Text::advice_try_again,
    Text::advice_choose_parent,    Text::advice_stand_in_at_work};

// A first argument that is neither an option nor an id names a command. Without one, the node.
const Command& command_of(std::vector<std::string>& words, const Invocation& invocation) {
  if (words.empty() || words[0].starts_with('-')) return every_command[0];
  const auto named = std::span(every_command).subspan(1);
  const auto found = std::ranges::find(named, words[0], &Command::name);
  if (found != named.end()) {
    words.erase(words.begin());
    return *found;
  }
  if (words[0].find_first_not_of("0123456789+-.") == std::string::npos) return every_command[0];
  invocation.fail(Text::usage_unknown_command,
                  {words[0], nearest(words[0], named, &Command::name)});
}

}  // namespace

std::vector<Manual> manuals_of_all(const Invocation& invocation) {
  std::vector<Manual> manuals;
  for (const Command& command : every_command) {
    Invocation asked = invocation;
    Options options(asked, {"--help"});
    try {
      command.run(options);
    } catch (const HelpWanted&) {
      manuals.push_back({.name = command.name,
                         .summary = invocation.say(command.summary),
                         .arguments = options.shown_arguments(),
                         .intro = invocation.say(command.intro),
                         .closing = std::string(closing_of(command, invocation.language)),
                         .options = options.rows()});
    }
  }
  return manuals;
}

int run(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  Invocation invocation{.program = argv[0], .language = language_of(words)};
  std::string called = invocation.program;
  try {
    prepare_standard_streams();
    const Command& command = command_of(words, invocation);
    if (!command.name.empty()) called.append(" ").append(command.name);
    Options options(invocation, words);
    int status = exit_ok;
    try {
      status = command.run(options);
    } catch (const HelpWanted&) {
      write_to_stdout(help_page(command, options, invocation));
    }
    if (output_error() == 0 || output_error() == EPIPE) return status;
    throw std::system_error(output_error(), std::generic_category(), "write standard output");
  } catch (const UsageError& error) {
    complain(error.what());
    complain(invocation.say(Text::usage_try_help, {called}));
    return exit_usage;
  } catch (const Refusal& refusal) {
    complain(refusal.what());
    complain(refusal.advice);
  } catch (const TooFewDescriptors& error) {
    complain(invocation.say(Text::error_too_few_descriptors,
                            {error.processes, error.needed, error.allowed}));
    complain(invocation.say(Text::advice_descriptors_for_links, {error.needed}));
  } catch (const SetupError& error) {
    complain(error.what());
    const auto advice = static_cast<std::size_t>(error.advice());
    if (advice != 0) complain(invocation.say(advices.at(advice - 1)));
  } catch (const TraceError& error) {
    complain(words_of(error, invocation.language));
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return exit_failed;
}

}  // namespace bully
