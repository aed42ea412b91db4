// scenario.cc: `bully scenario`, a lesson or a script of one's own, in virtual time or for real.
#include <algorithm>
#include <iostream>
#include <memory>
#include <system_error>
#include <variant>

#include "commands/commands.h"
#include "commands/play_printer.h"
#include "commands/terminal.h"
#include "node/clock.h"
#include "node/setup_error.h"
#include "sim/lessons.h"
#include "sim/simulated_stage.h"
#include "stage/program.h"
#include "stage/real_stage.h"
#include "trace/harmless.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace bully {

namespace {

// In place of a name.
constexpr std::string_view all_lessons = "all";

struct ScenarioCommand {
  std::string scenario;
  std::string trace;
  const Algorithm* algorithm = nullptr;  // nothing: the scenario's
  std::size_t color = 0;
  bool real = false;
  bool list = false;
  bool quiet = false;
  bool help = false;
};

// To the terminal and, where one is wanted, to the trace.
class Both : public Sink {
 public:
  explicit Both(Sink& printer) : printer_(printer) {}

  void open(const std::string& path) {
    try {
      trace_ = std::make_unique<TraceFile>(path);
    } catch (const std::system_error& error) {
      throw SetupError(error.code().value(), "open " + path, Advice::choose_trace);
    }
  }
  void record(const Record& record) override {
    printer_.record(record);
    if (trace_) trace_->record(record);
  }
  void flush() override { printer_.flush(); }
  int error() const { return trace_ ? trace_->error() : 0; }

 private:
  Sink& printer_;
  std::unique_ptr<TraceFile> trace_;
};

std::string list_of_lessons(Language language) {
  std::size_t columns = 0;
  for (const Lesson& lesson : lessons()) columns = std::max(columns, lesson.name.size());
  std::string list;
  for (const Lesson& lesson : lessons()) {
    const auto read = parse_scenario(lesson.name, lesson.text);
    const auto& scenario = std::get<Scenario>(read);  // a test reads them all
    list += "  " + padded(lesson.name, columns + 2) +
            (language == Language::english ? scenario.title_en : scenario.title_pt) + '\n';
  }
  return list;
}

std::string script_of(const Options& options, const std::string& name) {
  if (const auto lesson = find_lesson(name)) return std::string(*lesson);
  try {
    return read_file(name);
  } catch (const std::system_error&) {
    options.fail(Text::usage_no_such_scenario, {name});
  }
}

int play_it(const Scenario& scenario, const ScenarioCommand& command,
            const Invocation& invocation) {
  const std::int64_t start_ns = command.real ? monotonic_now().count() : 0;
  PlayPrinter printer({.log = {invocation.language, use_color(command.color)},
                       .quiet = command.quiet,
                       .start_ns = start_ns,
                       .file = scenario.name,
                       .output = write_to_stdout});
  Both sink(printer);
  if (!command.trace.empty()) sink.open(command.trace);
  printer.begin(scenario);
  Performance performance;
  try {
    std::unique_ptr<Stage> stage;
    if (command.real) {
      stage = std::make_unique<RealStage>(scenario, own_program(invocation.program), sink);
    } else {
      stage = std::make_unique<SimulatedStage>(scenario, &sink);
    }
    performance = play(scenario, *stage, printer);
  } catch (const Interrupted& interrupted) {
    std::cerr << "\nbully: " << text(Text::play_interrupted, invocation.language) << '\n';
    return exit_by_signal + interrupted.signal;
  }
  printer.end(performance);
  if (say_if_trace_ended(sink.error(), invocation.language)) return exit_failed;
  return performance.broken == 0 ? exit_ok : exit_failed;
}

// A script, or the exit status where it is none.
std::variant<Scenario, int> read(const ScenarioCommand& command, const std::string& name,
                                 const std::string& script) {
  auto result = parse_scenario(name, script, command.algorithm);
  if (auto* scenario = std::get_if<Scenario>(&result)) return std::move(*scenario);
  std::cerr << harmless(std::get<ScenarioError>(result).message()) << '\n';
  return exit_usage;
}

// One after the other. The first that cannot be played ends it; a broken expectation does not.
int play_all(const ScenarioCommand& command, const Invocation& invocation) {
  int status = exit_ok;
  for (const Lesson& lesson : lessons()) {
    const auto scenario = read(command, std::string(lesson.name), std::string(lesson.text));
    if (const int* wrong = std::get_if<int>(&scenario)) return *wrong;
    const int played = play_it(std::get<Scenario>(scenario), command, invocation);
    if (played >= exit_by_signal) return played;
    status = std::max(status, played);
  }
  return status;
}

}  // namespace

int run_scenario(const Invocation& invocation) {
  const Language language = invocation.language;
  ScenarioCommand command;
  Options options(language);
  options.group(Text::help_play_options);
  options.flag("--real", command.real, Text::option_real);
  options.algorithm(command.algorithm, Text::option_play_algorithm);
  options.group(Text::help_output_options);
  options.value("--trace", "FILE", command.trace, Text::option_play_trace);
  options.flag("--quiet", command.quiet, Text::option_play_quiet);
  options.language();
  options.choice("--color", {"auto", "always", "never"}, command.color, Text::option_color);
  options.group(Text::help_other_options);
  options.flag("--list", command.list, Text::option_list);
  options.flag("--help", command.help, Text::option_help);
  options.argument([&](const std::string& given) {
    if (!command.scenario.empty()) options.fail(Text::usage_unexpected_argument, {given});
    command.scenario = given;
  });
  options.parse(invocation.arguments);
  if (command.help) {
    write_to_stdout(
        options.page(text(Text::help_scenario_usage, language), Text::help_scenario_intro));
    return exit_ok;
  }
  if (command.list && !command.scenario.empty()) options.fail(Text::usage_list_alone, {});
  if (command.list || command.scenario.empty()) {
    write_to_stdout(list_of_lessons(language));
    return exit_ok;
  }
  if (command.scenario == all_lessons) return play_all(command, invocation);
  const auto scenario = read(command, command.scenario, script_of(options, command.scenario));
  if (const int* wrong = std::get_if<int>(&scenario)) return *wrong;
  return play_it(std::get<Scenario>(scenario), command, invocation);
}

}  // namespace bully
