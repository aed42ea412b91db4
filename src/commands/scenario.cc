// scenario.cc: `bully scenario`, a lesson or a script, in virtual time or on real processes.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <variant>

#include "base/carried.h"
#include "base/json.h"
#include "commands/commands.h"
#include "commands/reports.h"
#include "commands/terminal.h"
#include "stage/real_backend.h"

namespace bully {

namespace {

// Prints a play; decides nothing.
class PlayPrinter : public Listener, public Sink {
 public:
  PlayPrinter(const Scenario& scenario, const PlayStyle& style)
      : scenario_(scenario),
        style_(style),
        log_(style_.log, seconds_since(style_.log.simulated ? 0 : monotonic_now().count()),
             [this](std::string_view lines) {
               blank_ = false;
               style_.output(lines);
             }) {}

  void begin() {
    const std::string& title = text_for(scenario_.title, style_.log.language);
    print("\n" + title_text(title.empty() ? harmless(scenario_.name) : title, style_.log));
    const std::string& watch = text_for(scenario_.watch, style_.log.language);
    if (!watch.empty()) print(explanation_text(say(Text::play_watch, {watch}), style_.log));
  }

  void end(const PlayResult& result) {
    finish_explanation();
    print("\n");
    if (result.kept + result.broken == 0) {
      print("  " + say(Text::play_no_expectation) + '\n');
    } else {
      print_verdict(result.broken == 0, say(Text::play_summary, {result.kept, result.broken}));
    }
    const std::string& question = text_for(scenario_.question, style_.log.language);
    if (question.empty()) return;
    const std::string& answer = text_for(scenario_.answer, style_.log.language);
    std::string words = say(Text::play_question, {question});
    if (!style_.answers && !answer.empty()) words += ' ' + say(Text::play_ask_answer);
    print(explanation_text(words, style_.log));
    if (style_.answers) print(explanation_text(say(Text::play_answer, {answer}), style_.log));
  }

  void record(const Record& record) override {
    arrows_.record(record);
    learn(nodes_[record.node], record);
    if (is_about_ping(record)) return;
    if (!founding_ || record.event == TraceEvent::start) log_.record(record);
  }

  void flush() override { log_.flush(); }

  void on_step(const Step& step) override {
    log_.flush();
    finish_founding();
    if (style_.on_step) style_.on_step(step);
    if (step.verb != Verb::say) finish_explanation();
    founding_ = step.verb == Verb::nodes;
    // All other steps show by their effects.
    if (step.verb < Verb::say) print_line("▸", Color::bold, step.text);
  }

  void on_say(Language language, std::string_view words) override {
    if (language != style_.log.language) return;
    explanation_.append(explanation_.empty() ? "" : " ").append(words);
  }

  void on_frame(const Texts& label, std::span<const Snapshot> nodes) override {
    print(frame_text(text_for(label, style_.log.language), nodes, arrows_.take(), style_.log));
  }

  void on_kept(const Step& step) override {
    print_verdict(true, step.text + ": " + say(Text::play_kept));
  }

  void on_broken(const Step& step, std::span<const Problem> wrong) override {
    const std::string place = harmless(scenario_.name) + ":" + std::to_string(step.line);
    print_verdict(false, place + ": " + step.text + ": " + words_of(wrong, style_.log.language));
  }

 private:
  // Leaves out how the processes came to agree: shows only them and their coordinator.
  void finish_founding() {
    if (!std::exchange(founding_, false)) return;
    arrows_.clear();
    if (nodes_.empty()) return;
    const NodeId followed = nodes_.begin()->second.coordinator.value_or(nodes_.begin()->first);
    print_line("*", Color::green, say(Text::play_preset, {followed}));
  }

  void finish_explanation() {
    if (!explanation_.empty()) print(explanation_text(explanation_, style_.log));
    explanation_.clear();
  }

  void print(const std::string& text) {
    log_.flush();
    // Never two empty lines in a row.
    std::string_view shown = text;
    if (blank_ && shown.starts_with("\n")) shown.remove_prefix(1);
    blank_ = shown.ends_with("\n\n");
    style_.output(shown);
  }

  void print_verdict(bool is_right, const std::string& words) {
    print_line(is_right ? "✓" : "✗", is_right ? Color::green : Color::bold_red, words);
  }

  void print_line(std::string_view sign, Color color, const std::string& words) {
    for (const std::string& line : wrapped(words, narration_columns - 4)) {
      print("  " + colored(color, std::string(sign) + ' ' + line, style_.log.color) + "\n");
      sign = " ";
    }
  }

  std::string say(Text key, Values values = {}) const {
    return text(key, style_.log.language, values);
  }

  const Scenario& scenario_;
  const PlayStyle& style_;
  Log log_;
  bool blank_ = false;       // the last line printed was empty
  bool founding_ = false;    // the processes are starting: this is no part of the lesson
  std::string explanation_;  // lines of the script that make one paragraph
  ArrowBook arrows_;
  Snapshots nodes_;
};

// Reads a line after the prompt; the user's Enter has already moved a terminal to the next line.
// False at `q`, and at the end of the input.
bool goes_on(const std::string& prompt, std::string& line) {
  narrate(prompt + ' ');
  const bool is_there = static_cast<bool>(std::getline(std::cin, line));
  if (isatty(STDIN_FILENO) != 1) narrate("\n");
  return is_there && line != "q";
}

std::string question(const Step& expected, const Invocation& invocation) {
  const std::string nodes = ranges_of(expected.ids);
  switch (expected.verb) {
    case Verb::expect_messages: {
      const std::string types = joined(expected.sent, ", ", [&](const auto& counted) {
        return name_of(counted.first, invocation.language);
      });
      if (types.empty()) return invocation.say(Text::ask_messages_all);
      return invocation.say(Text::ask_messages, {types});
    }
    case Verb::expect_coordinators: return invocation.say(Text::ask_coordinators);
    case Verb::expect_coordinator:
      return nodes.empty() ? invocation.say(Text::ask_coordinator)
                           : invocation.say(Text::ask_followed, {nodes});
    case Verb::expect_state: return invocation.say(Text::ask_state, {nodes});
    default: return invocation.say(Text::ask_other);
  }
}

// A play in portions, one for each step of its script: by a key, or with a question before each
// expectation of a lesson.
class Pages {
 public:
  bool steps = false;  // Enter shows the next one
  bool asks = false;   // an expectation is guessed before it is shown

  // True if the play is shown in portions.
  bool any() const { return steps || asks; }

  // During the play: a step begins, with its text.
  void begin(const Step& step) {
    const bool is_own = step.verb < Verb::say || (asks && step.is_expectation());
    if (!is_own) return;
    pages_.emplace_back();
    if (step.is_expectation()) pages_.back().asked = step;
  }
  void add(std::string_view text) { pages_.back().text += text; }

  // Shows all portions, and reads lines of standard input. Returns when the last was shown, at `q`,
  // or at the end of the input.
  void show(const Invocation& invocation) const {
    std::string line;
    std::size_t at = 0;
    const auto is_back = [&] { return steps && line == "b"; };
    while (true) {
      const Page& page = pages_[at];
      if (page.asked && !goes_on("\n  ? " + question(*page.asked, invocation), line)) return;
      if (!page.asked || !is_back()) {
        narrate(page.text);
        if (++at == pages_.size()) return;
        if (!steps || pages_[at].asked) continue;
        if (!goes_on("  " + invocation.say(Text::pages_keys), line)) return;
      }
      // Shown again: the page before the latest.
      if (is_back()) at = at > 1 ? at - 2 : 0;
    }
  }

 private:
  struct Page {
    std::string text;
    std::optional<Step> asked = {};  // the expectation of the question
  };
  std::vector<Page> pages_ = {{}};
};

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
      list = lists.insert(list, {key, std::string(word(key, language)) + '\n'});
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
    options.file("--trace", trace, Text::option_trace);
    options.flag("--answer", style.answers, Text::option_answer);
    options.flag("--step", pages.steps, Text::option_step);
    options.flag("--ask", pages.asks, Text::option_ask);
    options.log_style();
    const std::string argument = options.shown_arguments();
    options.needs({argument, [this] { return !names.empty(); }},
                  {"--real", "--algorithm", "--trace", "--answer", "--step", "--ask", "--explain",
                   "--color"});
    options.not_together({"--real", [this] { return real; }}, {"--step", "--ask"});
  }

  int run() override {
    if (names.empty()) {
      write_to_stdout(list_of_lessons(language()));
      return exit_ok;
    }
    complain(words_if_appended(trace, invocation()));
    if (names[0] != "all") return play_script(names[0], script_of(names[0]));
    // Plays them in turn. The first that cannot be played ends it; a failed expectation does not.
    int status = exit_ok;
    for (const CarriedText& lesson : lessons()) {
      const int played = play_script(lesson.name, lesson.text);
      if (played == exit_usage || played >= exit_by_signal) return played;
      status = std::max(status, played);
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
    if (portions.any()) {
      style.output = [&](std::string_view text) { portions.add(text); };
      style.on_step = [&](const Step& step) { portions.begin(step); };
    }
    std::optional<TeeSink> recorder;
    try {
      std::optional<LocalCluster> cluster;
      if (real) cluster.emplace(Guard::Manner::kill);
      const PlayResult result = show_play(scenario, style, [&](Sink& shown) {
        recorder.emplace(&shown, trace);
        return real ? make_real_backend(scenario, *cluster, own_program(invocation().program),
                                        *recorder)
                    : std::make_unique<SimulatedBackend>(scenario, &*recorder);
      });
      if (portions.any()) portions.show(invocation());
      const bool is_right = !recorder->has_failed(invocation()) && result.broken == 0;
      return is_right ? exit_ok : exit_failed;
    } catch (const Interrupted& interrupted) {
      write_to_stderr("\nbully: " + say(Text::play_interrupted) + '\n');
      return exit_by_signal + interrupted.signal;
    }
  }

  std::vector<std::string> names;
  std::string trace;
  const Algorithm* algorithm = nullptr;  // nothing: the scenario's
  bool real = false;
  Pages pages;
  PlayStyle style = {.output = write_to_stdout};
};

}  // namespace

PlayResult show_play(const Scenario& scenario, const PlayStyle& style,
                     const std::function<std::unique_ptr<Backend>(Sink&)>& make_stage) {
  PlayPrinter printer(scenario, style);
  std::unique_ptr<Backend> stage = make_stage(printer);
  printer.begin();
  const PlayResult result = play(scenario, *stage, printer);
  stage.reset();
  printer.end(result);
  return result;
}

const CommandKind scenario_command = {"scenario", Text::command_scenario, Text::help_scenario_intro,
                                      make_command<ScenarioCommand>};

}  // namespace bully
