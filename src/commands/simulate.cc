// simulate.cc: `bully simulate`, many elections under random faults, each of them judged.
#include <algorithm>

#include "base/text.h"
#include "commands/commands.h"
#include "sim/experiments.h"
#include "terminal/output.h"
#include "terminal/traces.h"
#include "values/script_step.h"
#include "view/errors.h"
#include "view/sweep_report.h"

namespace bully {

namespace {

// The simulator's own bounds: a common machine's memory has no room for more nodes, as all of them
// may start an election at the same time.
constexpr std::uint64_t max_nodes = 10'000;
constexpr std::uint64_t max_seeds = 100'000'000;
constexpr std::uint64_t max_faults = 100'000;

struct SimulateCommand : Subcommand {
  void declare(Options& options) override {
    WorldOptions& world = setup.world;
    options.group(Text::help_election);
    options.algorithm(world.algorithm);
    options.choice("--detector", {"ping", "eof"}, world.detection, Text::option_sim_detector);
    options.choice("--arrangement", {"ids", "random"}, setup.random_arrangement,
                   Text::option_simulate_arrangement);
    options.group(Text::help_faults);
    options.number("--nodes", setup.nodes, 1, max_nodes, Text::option_nodes);
    options.number("--seeds", setup.seeds, 1, max_seeds, Text::option_seeds);
    options.number("--crashes", setup.crashes, 0, max_faults, Text::option_crashes);
    options.number("--restarts", setup.restarts, 0, max_faults, Text::option_restarts);
    options.share("--loss", world.loss_ppm, Text::option_loss);
    options.group(Text::help_output_options);
    options.number("--seed", seed, 0, UINT64_MAX, Text::option_seed);
    options.file("--trace", trace, Text::option_trace);
    options.flag("--csv", csv, Text::option_csv);
    options.log_style();
    const Options::Mode one = {"--seed", [this] { return seed.has_value(); }};
    options.no_effect_with(one, {"--seeds", "--csv"});
    options.needs(one, {"--trace", "--explain", "--color"});
    options.no_effect_with_elections(world.algorithm, has_no_ring, {"--arrangement"});
  }

  int run() override { return seed ? play_seed() : play_seeds(); }

  // The command as given, for one run alone.
  std::string replay_command(std::uint64_t run_seed) const {
    std::string command = typed(invocation().program) + " simulate";
    const auto options = invocation().given_of({"--csv", "--seeds"}, true);
    for (const std::string& option : options) command += ' ' + typed(option);
    return command + " --seed=" + std::to_string(run_seed);
  }

  int play_seed() const {
    LogStyle style = log_style(invocation());
    style.simulated = true;
    Log log(style, seconds_since(0), write_to_stdout);
    complain(words_if_appended(trace, invocation()));
    TeeSink recorder(&log, trace);
    SweepRun run;
    try {
      run = sweep_one(setup, *seed, &recorder);
    } catch (const EndlessElection& error) {
      log.flush();
      complain(words_of(error, language()));
      return recorder.status_of_run(false, invocation());
    }
    log.flush();
    const Duration time = run.agreed ? run.time_to_agree : setup.bound;
    write_to_stdout('\n' +
                    say(run.agreed ? Text::sweep_agreed : Text::sweep_did_not_agree,
                        {time_text(time.count(), language())}) +
                    '\n');
    return recorder.status_of_run(run.agreed, invocation());
  }

  int play_seeds() const {
    const std::string all = grouped(setup.seeds, language());
    std::vector<SweepRun> runs;
    std::string endless;  // why the next run has no figures
    {
      Progress progress;
      std::uint64_t failed = 0;
      bool goes_on = true;
      while (goes_on && runs.size() < setup.seeds) {
        try {
          runs.push_back(sweep_one(setup, runs.size() + 1));
        } catch (const Interrupted&) {
          break;
        } catch (const EndlessElection& error) {
          endless = words_of(error, language());
          break;
        }
        if (!runs.back().agreed) ++failed;
        goes_on = progress([&] {
          return say(Text::sweep_progress,
                     {grouped(runs.size(), language()), all, grouped(failed, language())});
        });
      }
    }
    if (!runs.empty())
      write_to_stdout(csv ? sweep_csv(runs, *setup.world.algorithm)
                          : sweep_table(runs, setup, language()) +
                                sweep_histogram(runs, language()));
    if (!endless.empty()) {
      complain(endless);
      return failed_at(runs.size() + 1);
    }
    const bool is_interrupted = runs.size() < setup.seeds;
    if (is_interrupted)
      complain(say(Text::sweep_interrupted, {grouped(runs.size(), language()), all}));
    const auto failed = std::ranges::find(runs, false, &SweepRun::agreed);
    if (failed == runs.end()) return is_interrupted ? exit_unknown : exit_ok;
    return failed_at(failed->seed);
  }

  int failed_at(std::uint64_t failed) const {
    complain(say(Text::sweep_failed_seed, {failed}));
    write_to_stderr("    " + replay_command(failed) + '\n');
    return exit_failed;
  }

  SweepOptions setup;
  std::optional<std::uint64_t> seed;
  std::string trace;
  bool csv = false;
};

}  // namespace

const CommandKind simulate_command = {.name = "simulate",
                                      .summary = Text::command_simulate,
                                      .intro = Text::help_simulate_intro,
                                      .make = make_command<SimulateCommand>,
                                      .judges = true};

}  // namespace bully
