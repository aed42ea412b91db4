// commands.cc: finds the command, runs it or shows its help, and reports errors.
#include "commands/commands.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <new>
#include <span>
#include <stdexcept>
#include <system_error>

#include "base/list.h"
#include "commands/help.h"
#include "node/listing.h"
#include "node/system.h"
#include "terminal/output.h"
#include "trace/trace.h"
#include "view/errors.h"
#include "wire/link_proxy.h"
#include "words/names.h"

namespace bully {

namespace {

// In the order of Advice, without the first, which is none.
constexpr auto advice_words = std::to_array<Text>(
    {Text::advice_choose_directory, Text::advice_shorten_directory, Text::advice_tighten_directory,
     Text::advice_make_parent, Text::advice_free_disk, Text::advice_id_in_use,
     Text::advice_name_in_the_way, Text::advice_raise_descriptors, Text::advice_raise_processes,
     Text::advice_choose_trace, Text::advice_choose_ring, Text::advice_try_again,
     Text::advice_choose_parent, Text::advice_proxy_at_work, Text::advice_leave_place});
static_assert(advice_words.size() == static_cast<std::size_t>(Advice::leave_place));

// True if the command has this option, and the next word is its value.
bool takes_value(const CommandKind& kind, const std::string& word, Invocation& invocation) {
  Options options(invocation);
  const std::unique_ptr<Subcommand> command = kind.make(invocation);
  command->declare(options);
  const auto row = std::ranges::find(options.rows(), word, &Options::Row::name);
  return row != options.rows().end() && !row->shown.empty();
}

// `bully --dir X ps`: refuses a command behind its options.
void refuse_late_command(const std::vector<std::string>& words, Invocation invocation) {
  const auto named = std::span(all_commands).subspan(1);
  for (std::size_t i = 1; i < words.size() && words[i - 1] != "--"; ++i) {
    const auto found = std::ranges::find(named, words[i], &CommandKind::name);
    if (found == named.end() || takes_value(**found, words[i - 1], invocation) ||
        takes_value(node_command, words[i - 1], invocation)) {
      continue;
    }
    std::vector<std::string> right = words;
    std::rotate(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(i),
                right.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    invocation.fail(Text::usage_command_first, {joined(right, " ")});
  }
}

// A first argument that is neither an option nor an id names a command. Without one, the command is
// the node's.
const CommandKind& command_of(std::vector<std::string>& words, const Invocation& invocation) {
  if (words.empty()) return node_command;
  const auto named = std::span(all_commands).subspan(1);
  if (words[0].starts_with('-')) {
    refuse_late_command(words, invocation);
    return node_command;
  }
  const auto found = std::ranges::find(named, words[0], &CommandKind::name);
  if (found != named.end()) {
    words.erase(words.begin());
    return **found;
  }
  if (words[0].find_first_not_of("0123456789+-.") == std::string::npos) return node_command;
  invocation.fail(Text::usage_unknown_command,
                  {words[0], invocation.meant(words[0], list_of(named, &CommandKind::name))});
}

}  // namespace

std::optional<Directory> existing_directory(const std::string& path, const Invocation& invocation) {
  std::optional<Directory> opened = Directory::existing(path);
  if (!opened && invocation.gives("--dir")) {
    throw std::runtime_error(invocation.say(Text::ps_no_directory, {path}));
  }
  return opened;
}

int run(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  Invocation invocation{.program = argv[0], .language = language_of(words)};
  std::string called = invocation.program;
  int failed = exit_failed;
  try {
    prepare_standard_streams();
    signal(SIGCHLD, SIG_DFL);  // if it was ignored, a child that ends would give up its PID at once
    const CommandKind& kind = command_of(words, invocation);
    if (kind.judges) failed = exit_unknown;
    if (!kind.name.empty()) called.append(" ").append(kind.name);
    const std::unique_ptr<Subcommand> command = kind.make(invocation);
    // A node that runs for hours does not keep the table of its options.
    auto options = std::make_unique<Options>(invocation);
    command->declare(*options);
    options->read(words);
    const bool runs = !options->shows_help() && !options->shows_version();
    if (options->shows_help()) {
      write_to_stdout(help_page(kind, *options, invocation));
    } else if (options->shows_version()) {
      write_to_stdout("bully " + std::string(version) + '\n');
    } else {
      options->refuse_on_terminal();
    }
    options.reset();
    const int status = runs ? command->run() : exit_ok;
    // Processes that take part in elections run without an output as well.
    const bool runs_nodes = runs && (&kind == &node_command || &kind == &cluster_command);
    if (output_error() == 0 || output_error() == EPIPE) return status;
    if (output_error() == EBADF && runs_nodes) return status;
    throw std::system_error(output_error(), std::generic_category(), "write standard output");
  } catch (const UsageError& error) {
    complain(error.what());
    complain(invocation.say(Text::usage_try_help, {called}));
    return exit_usage;
  } catch (const Interrupted& interrupted) {
    return exit_by_signal + interrupted.signal;
  } catch (const Refusal& refusal) {
    complain(refusal.what());
    complain(refusal.advice);
  } catch (const TooFewDescriptors& error) {
    complain(invocation.say(Text::error_too_few_descriptors,
                            {error.processes, error.needed, error.allowed}));
    complain(invocation.say(Text::advice_descriptors_for_links, {error.needed}));
  } catch (const SetupError& error) {
    complain(error_words(error, invocation.language));
    const auto advice = static_cast<std::size_t>(error.advice());
    if (advice > 0) complain(invocation.say(advice_words[advice - 1]));
  } catch (const WrongRing& error) {
    complain(error.path + ": " + words_of(error.problem, invocation.language));
    complain(invocation.say(Text::advice_choose_ring));
  } catch (const TraceError& error) {
    complain(words_of(error, invocation.language));
  } catch (const EndlessElection& error) {
    complain(words_of(error, invocation.language));
    complain(invocation.say(Text::advice_endless_election));
  } catch (const NoRules& error) {
    complain(words_of(error, invocation.language));
    return exit_usage;
  } catch (const RulesError& error) {
    complain(words_of(error, invocation.language));
    write_to_stderr(rules_exchange(error.question, error.answer, error.path, invocation.language));
  } catch (const std::system_error& error) {
    complain(error_words(error, invocation.language));
  } catch (const std::bad_alloc&) {
    complain(invocation.say(Text::error_out_of_memory, {called}));
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return failed;
}

}  // namespace bully
