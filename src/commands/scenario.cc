// scenario.cc: `bully scenario`, a lesson or a script, in virtual time or on real processes.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <variant>

#include "base/carried.h"
#include "base/list.h"
#include "base/text.h"
#include "commands/commands.h"
#include "stage/real_backend.h"
#include "terminal/lesson_page.h"
#include "terminal/output.h"
#include "terminal/pages.h"
#include "terminal/traces.h"
#include "view/errors.h"
#include "view/play_printer.h"

namespace bully {

namespace {

std::string list_of_lessons(Language language) {
  // By concept, in the order in which lessons first come under it.
  std::vector<std::pair<std::string, std::string>> lists;
  for (const CarriedText& lesson : lessons()) {
    const auto read = parse_scenario(lesson.name, lesson.text);
    const auto& scenario = std::get<Scenario>(read);  // a test reads them all
    const std::string key =
        "concept_" + (scenario.concept_name.empty() ? "own" : scenario.concept_name);
    auto list = std::ranges::find(lists, key, &decltype(lists)::value_type::first);
    if (list == lists.end()) {
      list = lists.insert(list, {key, word(key, language) + '\n'});
    }
    list->second +=
        beside(padded("  " + std::string(lesson.name), 25), text_for(scenario.title, language));
  }
  return joined(lists, "\n", &decltype(lists)::value_type::second);
}

struct ScenarioCommand : Subcommand {
  void declare(Options& options) override {
    std::vector<std::string> known = {"all"};
    for (const CarriedText& lesson : lessons()) known.emplace_back(lesson.name);
    options.arguments(Text::help_scenario_arguments, names, 1, std::move(known));
    options.group(Text::help_play_options);
    options.flag("--real", real, Text::option_real);
    options.algorithm(algorithm, Text::option_play_algorithm);
    options.group(Text::help_output_options);
    options.choice("--format", {"text", "html"}, format, Text::option_format);
    options.for_files({{"html", "page.html"}});
    options.file("--trace", trace, Text::option_trace);
    options.flag("--answer", style.answers, Text::option_answer);
    options.flag("--step", pages.steps, Text::option_step);
    options.flag("--ask", pages.asks, Text::option_ask);
    options.log_style();
    const std::string argument = options.shown_arguments();
    options.needs({argument, [this] { return !names.empty(); }},
                  {"--real", "--algorithm", "--format", "--trace", "--answer", "--step", "--ask",
                   "--explain", "--color"});
    const auto is_page = [this] { return format == Format::html; };
    options.not_together({"--format=html", is_page}, {"--real", "--step", "--ask"});
    options.no_effect_with({"--format=html", is_page}, {"--answer", "--explain", "--color"});
    options.not_together({"--real", [this] { return real; }}, {"--step", "--ask"});
  }

  int run() override {
    if (names.empty()) {
      write_to_stdout(list_of_lessons(language()));
      return exit_ok;
    }
    is_last = names[0] != "all";
    if (!is_last && format == Format::html) fail(Text::usage_one_page);
    if (!is_last && !trace.empty()) fail(Text::usage_one_trace);
    complain(words_if_appended(trace, invocation()));
    if (is_last) return play_script(names[0], script_of(names[0]));
    // Plays them in turn. The first that cannot be played ends it; a failed expectation does not.
    int status = exit_ok;
    for (const CarriedText& lesson : lessons()) {
      is_last = &lesson == &lessons().back();
      const int played = play_script(lesson.name, lesson.text);
      if (played == exit_usage || played >= exit_by_signal) return played;
      status = std::max(status, played);
      if (is_over) break;
    }
    return status;
  }

  std::string script_of(const std::string& name) const {
    if (const auto lesson = find_carried(lessons(), name)) return std::string(*lesson);
    std::ifstream file(name, std::ios::binary);
    std::ostringstream script;
    std::error_code ignored;
    // An empty file yields nothing, and so does a directory, which can be opened, but not read.
    if (!file || (!(script << file.rdbuf()) && std::filesystem::is_directory(name, ignored))) {
      fail(Text::usage_no_such_scenario,
           {name, invocation().meant(name, list_of(lessons(), &CarriedText::name))});
    }
    return script.str();
  }

  int play_script(std::string_view name, std::string_view script) {
    const auto read = parse_scenario(name, script, algorithm);
    if (const auto* error = std::get_if<ScenarioError>(&read)) {
      write_to_stderr(harmless(words_of(*error, language())) + '\n');
      return exit_usage;
    }
    const auto& scenario = std::get<Scenario>(read);
    style.log = log_style(invocation());
    style.log.simulated = !real;
    Pages portions = pages;
    if (portions.any()) portions.take(style);
    std::optional<TeeSink> recorder;
    try {
      if (format == Format::html) return write_page(scenario);
      std::optional<LocalCluster> cluster;
      if (real) cluster.emplace(Guard::Ending::kill);
      style.began_ns = real ? monotonic_now().count() : 0;
      PlayPrinter printer(scenario, style);
      recorder.emplace(&printer, trace);
      std::unique_ptr<Backend> stage =
          real ? make_real_backend(scenario, *cluster, own_program(invocation().program), *recorder)
               : std::make_unique<SimulatedBackend>(scenario, &*recorder);
      printer.begin();
      const PlayResult result = play(scenario, *stage, printer);
      stage.reset();
      printer.end(result);
      is_over = portions.any() && !portions.show(invocation(), is_last);
      return recorder->status_of_run(result.broken == 0, invocation());
    } catch (const Interrupted& interrupted) {
      write_to_stderr(real ? "\nbully: " + say(Text::play_interrupted) + '\n' : "\n");
      return exit_by_signal + interrupted.signal;
    }
  }

  int write_page(const Scenario& scenario) {
    LessonPage page(scenario, language());
    TeeSink recorder(&page, trace);
    SimulatedBackend stage(scenario, &recorder);
    const PlayResult result = play(scenario, stage, page);
    write_to_stdout(page.html());
    return recorder.status_of_run(result.broken == 0, invocation());
  }

  enum class Format : std::uint8_t { text, html };
  Format format = Format::text;
  std::vector<std::string> names;
  std::string trace;
  const Algorithm* algorithm = nullptr;  // nothing: the scenario's
  bool real = false;
  bool is_last = true;   // of the lessons to play
  bool is_over = false;  // by a key
  Pages pages;
  PlayStyle style = {.output = write_to_stdout};
};

}  // namespace

const CommandKind scenario_command = {.name = "scenario",
                                      .summary = Text::command_scenario,
                                      .intro = Text::help_scenario_intro,
                                      .make = make_command<ScenarioCommand>,
                                      .judges = true};

}  // namespace bully
