// lab.cc: `bully lab`, the list of exercises, or one of them.
#include <signal.h>

#include "base/text.h"
#include "commands/commands.h"
#include "node/directory.h"
#include "terminal/exercises.h"
#include "terminal/lab_session.h"
#include "terminal/output.h"
#include "words/names.h"

namespace bully {

namespace {

using std::to_string;

struct LabCommand : Subcommand {
  void declare(Options& options) override {
    std::vector<std::string> known;
    for (std::size_t i = 1; i <= exercises().size(); ++i) known.push_back(to_string(i));
    options.arguments(Text::help_count_argument, numbers, 1, std::move(known));
    options.value("--dir", "DIR", directory, Text::option_dir);
    options.duration("--interval", interval, std::chrono::milliseconds(10), Text::option_interval);
    options.style();
    options.needs({"lab N", [this] { return !numbers.empty(); }},
                  {"--dir", "--interval", "--color"});
  }

  int run() override {
    if (numbers.empty()) {
      const std::string type = name_of(first_type(default_algorithm()), language());
      std::string list = say(Text::lab_list) + '\n';
      for (std::size_t i = 0; i < exercises().size(); ++i) {
        list += "  " + to_string(i + 1) + "  " + say(exercises()[i].title, {type}) + '\n';
      }
      narrate(list + '\n' + say(Text::lab_list_end, {typed(invocation().program)}) + '\n');
      return exit_ok;
    }
    const auto number = parse_number(numbers[0]);
    if (!number || *number < 1 || *number > exercises().size()) {
      fail(Text::usage_not_an_exercise, {numbers[0], exercises().size()});
    }
    try {
      run_exercise(*number, directory, interval, invocation());
    } catch (const Interrupted& interrupted) {
      if (interrupted.signal != SIGINT) return exit_by_signal + interrupted.signal;
      write_to_stdout("\n");  // the terminal shows ^C on this line
    }
    return exit_ok;
  }

  std::string directory = default_directory();
  Duration interval = std::chrono::milliseconds(250);
  std::vector<std::string> numbers;
};

}  // namespace

const CommandKind lab_command = {"lab", Text::command_lab, Text::help_lab_intro,
                                 make_command<LabCommand>};

}  // namespace bully
