// simulate.cc: `bully simulate`, many elections under random faults, each of them judged.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <memory>
#include <optional>

#include "commands/commands.h"
#include "commands/terminal.h"
#include "node/clock.h"
#include "node/setup_error.h"
#include "node/signals.h"
#include "sim/sweep.h"
#include "sim/sweep_report.h"
#include "trace/writer.h"
#include "view/log.h"
#include "view/looks.h"

namespace bully {

namespace {

// The simulator's own bounds: more nodes than this do not fit into a common machine's memory, as
// all of them may hold an election at the same time.
constexpr std::uint64_t most_nodes = 10'000;
constexpr std::uint64_t most_seeds = 100'000'000;
constexpr std::uint64_t most_faults = 100'000;
constexpr auto progress_interval = std::chrono::milliseconds(200);

struct SimulateCommand {
  SweepOptions sweep;
  std::uint64_t nodes = 5;
  std::uint64_t crashes = 2;
  std::uint64_t restarts = 1;
  std::uint64_t pauses = 0;
  std::optional<std::uint64_t> seed;
  std::size_t arrangement = 0;
  std::size_t detector = 0;
  std::size_t delay_shape = 0;
  std::size_t color = 0;
  std::string trace;
  bool csv = false;
  bool quiet = false;
  bool help = false;
};

void declare(Options& options, SimulateCommand& command) {
  using std::chrono::milliseconds;
  SweepOptions& sweep = command.sweep;
  WorldOptions& world = sweep.world;
  const milliseconds least(1);
  constexpr std::uint64_t any = UINT64_MAX;
  options.group(Text::help_election);
  options.algorithm(sweep.algorithm);
  options.choice("--arrangement", {"ids", "random"}, command.arrangement,
                 Text::option_simulate_arrangement);
  options.group(Text::help_faults);
  options.number("--nodes", command.nodes, 1, most_nodes, Text::option_nodes);
  options.number("--seeds", sweep.seeds, 1, most_seeds, Text::option_seeds);
  options.number("--first-seed", sweep.first_seed, 0, any, Text::option_first_seed);
  options.number("--crashes", command.crashes, 0, most_faults, Text::option_crashes);
  options.number("--restarts", command.restarts, 0, most_faults, Text::option_restarts);
  options.number("--pauses", command.pauses, 0, most_faults, Text::option_pauses);
  options.share("--loss", sweep.loss_ppm, Text::option_loss);
  options.duration("--faults-last", sweep.faults_last, least, Text::option_faults_last);
  options.duration("--bound", sweep.bound, least, Text::option_bound);
  options.group(Text::help_network);
  options.duration("--delay", world.delay.shortest, milliseconds(0), Text::option_delay);
  options.duration("--delay-longest", world.delay.longest, milliseconds(0),
                   Text::option_delay_longest);
  options.choice("--delay-shape", {"fixed", "uniform", "long"}, command.delay_shape,
                 Text::option_delay_shape);
  options.choice("--detector", {"ping", "eof"}, command.detector, Text::option_sim_detector);
  options.duration("--ping-interval", world.ping_interval, least, Text::option_ping_interval);
  options.duration("--ping-timeout", world.ping_timeout, least, Text::option_ping_timeout);
  options.duration("--answer-timeout", world.answer_timeout, least, Text::option_answer_timeout);
  options.duration("--coordinator-timeout", world.coordinator_timeout, least,
                   Text::option_coordinator_timeout);
  options.group(Text::help_output_options);
  options.number("--seed", command.seed, 0, any, Text::option_seed);
  options.value("--trace", "FILE", command.trace, Text::option_play_trace);
  options.flag("--csv", command.csv, Text::option_csv);
  options.flag("--quiet", command.quiet, Text::option_simulate_quiet);
  options.language();
  options.choice("--color", {"auto", "always", "never"}, command.color, Text::option_color);
  options.group(Text::help_other_options);
  options.flag("--help", command.help, Text::option_help);
}

bool gives(const std::vector<std::string>& arguments, std::string_view name) {
  return std::any_of(arguments.begin(), arguments.end(), [&](std::string_view given) {
    return given == name || (given.starts_with(name) && given.substr(name.size()).starts_with("="));
  });
}

SweepOptions sweep_options(const SimulateCommand& command) {
  SweepOptions sweep = command.sweep;
  sweep.random_arrangement = command.arrangement != 0;
  sweep.nodes = static_cast<std::uint32_t>(command.nodes);
  sweep.crashes = static_cast<std::uint32_t>(command.crashes);
  sweep.restarts = static_cast<std::uint32_t>(command.restarts);
  sweep.pauses = static_cast<std::uint32_t>(command.pauses);
  sweep.world.detection = command.detector == 0 ? Detection::ping : Detection::eof;
  Delay& delay = sweep.world.delay;
  delay.shape = static_cast<Delay::Shape>(command.delay_shape);
  if (delay.shape == Delay::Shape::fixed) delay.longest = delay.shortest;
  return sweep;
}

// The command as given, but for one run.
std::string replay_command(const Invocation& invocation, std::uint64_t seed) {
  std::string command = invocation.program + " simulate";
  for (std::size_t i = 0; i < invocation.arguments.size(); ++i) {
    const std::string& given = invocation.arguments[i];
    if (given == "--csv" || given == "--quiet") continue;
    if (given.starts_with("--seeds") || given.starts_with("--first-seed")) {
      if (given.find('=') == std::string::npos) ++i;
      continue;
    }
    command += " " + given;
  }
  return command + " --seed=" + std::to_string(seed);
}

// One run's log and trace.
class OneRun : public Sink {
 public:
  OneRun(const SimulateCommand& command, Language language)
      : log_({language, use_color(command.color)}, seconds_since(0), write_to_stdout),
        quiet_(command.quiet) {
    if (command.trace.empty()) return;
    try {
      trace_ = std::make_unique<TraceFile>(command.trace);
    } catch (const std::system_error& error) {
      throw SetupError(error.code().value(), "open " + command.trace, Advice::choose_trace);
    }
  }
  void record(const Record& record) override {
    if (!quiet_) log_.record(record);
    if (trace_) trace_->record(record);
  }
  void flush() override { log_.flush(); }
  int error() const { return trace_ ? trace_->error() : 0; }

 private:
  Log log_;
  bool quiet_;
  std::unique_ptr<TraceFile> trace_;
};

int play_seed(const SimulateCommand& command, Language language) {
  const SweepOptions options = sweep_options(command);
  OneRun sink(command, language);
  const SweepRun run = sweep_one(options, *command.seed, &sink);
  sink.flush();
  const std::string verdict =
      run.agreed ? text(Text::sweep_agreed, language, {duration_text(run.time_to_agree)})
                 : text(Text::sweep_did_not_agree, language, {duration_text(options.bound)});
  write_to_stdout('\n' + verdict + '\n');
  if (say_if_trace_ended(sink.error(), language)) return exit_failed;
  return run.agreed ? exit_ok : exit_failed;
}

// Whoever waits sees how far it is, and may end it with Ctrl-C.
class Progress {
 public:
  Progress(std::uint64_t runs, Language language, bool quiet)
      : runs_(runs), language_(language), shown_(!quiet && isatty(STDERR_FILENO) == 1) {}

  // Whether to go on.
  bool operator()(const SweepRun& run) {
    ++done_;
    if (!run.agreed) {
      ++failed_;
      if (!first_failed_) first_failed_ = run.seed;
    }
    while (const std::optional<int> number = signals_.next()) {
      interrupted_ |= *number != SIGCHLD && *number != SIGCONT;
    }
    if (shown_ && monotonic_now() >= next_) show();
    return !interrupted_;
  }
  void clear() const {
    if (shown_) std::cerr << "\r\033[K" << std::flush;
  }
  bool interrupted() const { return interrupted_ && done_ < runs_; }
  std::uint64_t done() const { return done_; }
  std::optional<std::uint64_t> first_failed() const { return first_failed_; }

 private:
  void show() {
    next_ = monotonic_now() + progress_interval;
    std::cerr << "\r\033[K"
              << text(Text::sweep_progress, language_,
                      {std::to_string(done_), std::to_string(runs_), std::to_string(failed_)})
              << std::flush;
  }

  std::uint64_t runs_;
  Language language_;
  bool shown_;
  SignalPipe signals_;
  std::uint64_t done_ = 0;
  std::uint64_t failed_ = 0;
  std::optional<std::uint64_t> first_failed_;
  bool interrupted_ = false;
  Time next_{};
};

SweepWords sweep_words(const std::vector<SweepRun>& runs, std::uint32_t nodes, Language language) {
  const auto say = [language](Text name) { return std::string(text(name, language)); };
  const auto agreed =
      std::count_if(runs.begin(), runs.end(), [](const SweepRun& run) { return run.agreed; });
  SweepWords words;
  words.agreed =
      text(Text::sweep_agreed_of, language, {std::to_string(agreed), std::to_string(runs.size())});
  words.least = say(Text::sweep_least);
  words.median = say(Text::sweep_median);
  words.most = say(Text::sweep_most);
  words.time_to_agree = say(Text::sweep_time_to_agree);
  words.contested = say(Text::sweep_contested);
  words.message_name = [language](MessageType type) { return name_of(type, language); };
  words.at_worst = [language, nodes](const std::string& counts) {
    return text(Text::sweep_at_worst, language, {std::to_string(nodes), counts});
  };
  return words;
}

int play_seeds(const SimulateCommand& command, const Invocation& invocation) {
  const Language language = invocation.language;
  const SweepOptions options = sweep_options(command);
  Progress progress(options.seeds, language, command.quiet);
  const std::vector<SweepRun> runs =
      sweep(options, [&progress](const SweepRun& run) { return progress(run); });
  progress.clear();
  if (command.csv) {
    write_to_stdout(sweep_csv(runs, *options.algorithm));
  } else {
    const SweepWords words = sweep_words(runs, options.nodes, language);
    write_to_stdout(sweep_table(runs, options, words) + '\n' + sweep_histogram(runs));
  }
  if (progress.interrupted()) {
    std::cerr << "bully: "
              << text(Text::sweep_interrupted, language,
                      {std::to_string(progress.done()), std::to_string(options.seeds)})
              << '\n';
  }
  if (const auto seed = progress.first_failed()) {
    std::cerr << "bully: " << text(Text::sweep_failed_seed, language, {std::to_string(*seed)})
              << "\n    " << replay_command(invocation, *seed) << '\n';
    return exit_failed;
  }
  return progress.interrupted() ? exit_usage : exit_ok;
}

}  // namespace

int run_simulate(const Invocation& invocation) {
  const Language language = invocation.language;
  SimulateCommand command;
  Options options(language);
  declare(options, command);
  options.parse(invocation.arguments);
  if (command.help) {
    write_to_stdout(options.page("bully simulate", Text::help_simulate_intro));
    return exit_ok;
  }
  const bool one = command.seed.has_value();
  const bool many = gives(invocation.arguments, "--seeds") || command.csv;
  if (one && many) options.fail(Text::usage_seed_alone, {});
  if (!one && !command.trace.empty()) options.fail(Text::usage_trace_needs_seed, {});
  const Delay& delay = command.sweep.world.delay;
  if (command.delay_shape != 0 && delay.longest < delay.shortest) {
    options.fail(Text::usage_longest_below_delay, {});
  }
  return one ? play_seed(command, language) : play_seeds(command, invocation);
}

}  // namespace bully
