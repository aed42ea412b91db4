// main.cc: finds the subcommand, runs it, and says what went wrong.
#include <array>
#include <exception>
#include <system_error>

#include "commands/commands.h"
#include "commands/terminal.h"
#include "node/setup_error.h"
#include "trace/harmless.h"

namespace {

using namespace bully;

struct Command {
  std::string_view name;
  int (*run)(const Invocation&);
};
constexpr std::array commands = {
    Command{"ps", run_ps},
    Command{"scenario", run_scenario},
    Command{"simulate", run_simulate},
    Command{"verify", run_verify},
    Command{"check", run_check},
    Command{"diagram", run_diagram},
    Command{"watch", run_watch},
    Command{"kill", run_kill},
    Command{"compare", run_compare},
    Command{"guard", run_guard},
};

// What the user can do about a failure.
std::optional<Text> words_of(Advice advice) {
  switch (advice) {
    case Advice::none:
      return std::nullopt;
    case Advice::choose_directory:
      return Text::advice_choose_directory;
    case Advice::shorten_directory:
      return Text::advice_shorten_directory;
    case Advice::tighten_directory:
      return Text::advice_tighten_directory;
    case Advice::make_parent:
      return Text::advice_make_parent;
    case Advice::free_disk:
      return Text::advice_free_disk;
    case Advice::id_in_use:
      return Text::advice_id_in_use;
    case Advice::name_in_the_way:
      return Text::advice_name_in_the_way;
    case Advice::raise_descriptors:
      return Text::advice_raise_descriptors;
    case Advice::raise_processes:
      return Text::advice_raise_processes;
    case Advice::choose_trace:
      return Text::advice_choose_trace;
    case Advice::try_again:
      return Text::advice_try_again;
  }
  return std::nullopt;
}

const Command* command_of(const Invocation& invocation) {
  for (const Command& command : commands) {
    if (!invocation.arguments.empty() && invocation.arguments[0] == command.name) return &command;
  }
  return nullptr;
}

// A first argument that is neither an option nor an id names a command. Without one, the node.
int run(Invocation invocation) {
  std::vector<std::string>& arguments = invocation.arguments;
  if (arguments.empty() || arguments[0].starts_with('-')) return run_node(invocation);
  if (const Command* command = command_of(invocation)) {
    arguments.erase(arguments.begin());
    return command->run(invocation);
  }
  if (arguments[0].find_first_not_of("0123456789+-.") != std::string::npos) {
    throw UsageError(text(Text::usage_unknown_command, invocation.language, {arguments[0]}));
  }
  return run_node(invocation);
}

// What went wrong names what it happened to, as somebody else has written it.
void say(std::string_view what) {
  write_to_stderr("bully: " + harmless(what) + '\n');
}

}  // namespace

int main(int argc, char** argv) {
  Invocation invocation{argv[0], {argv + 1, argv + argc}, Language::english};
  invocation.language = language_of(invocation.arguments);
  const Language language = invocation.language;
  try {
    prepare_standard_streams();
    const int status = run(invocation);
    if (output_error() == 0) return status;
    throw std::system_error(output_error(), std::generic_category(), "write standard output");
  } catch (const UsageError& error) {
    std::string asked = invocation.program;
    if (const Command* command = command_of(invocation)) asked.append(" ").append(command->name);
    say(error.what());
    say(text(Text::usage_try_help, language, {asked}));
    return exit_usage;
  } catch (const Refusal& refusal) {
    say(refusal.what());
    say(refusal.advice());
    return exit_failed;
  } catch (const SetupError& error) {
    say(error.what());
    if (const auto words = words_of(error.advice())) say(text(*words, language));
    return exit_failed;
  } catch (const std::exception& error) {
    say(error.what());
    return exit_failed;
  }
}
