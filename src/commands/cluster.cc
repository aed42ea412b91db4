// cluster.cc: `bully cluster`, several nodes that start together and end together: in this
// terminal, or behind `bully watch`; and `bully demo`. run_cluster.sh runs it.
#include "terminal/cluster_session.h"

#include <signal.h>

#include "base/text.h"
#include "commands/commands.h"
#include "terminal/demo.h"
#include "terminal/hold_session.h"

namespace bully {

namespace {

constexpr std::size_t max_count = 200;  // a larger number is a typing mistake

template <bool is_demo>
struct ClusterCommand : Subcommand {
  ClusterCommand() { settings.demo = is_demo; }

  void declare(Options& options) override {
    options.arguments(Text::help_count_argument, counts, 1);
    if (!is_demo) {
      options.group(Text::help_cluster_options);
      options.flag("--demo", settings.demo, Text::option_demo);
      options.flag("--ids", settings.ids, Text::option_ids);
      options.flag("--watch", settings.watch, Text::option_cluster_watch);
      options.flag("--hold", settings.hold, Text::option_cluster_hold);
      options.file("--save", save, Text::option_save);
    }
    declare_node(options, settings.nodes);
    if (!is_demo) declare_modes(options);
    options.needs({"--trace", [this] { return settings.watch || !settings.nodes.trace.empty(); }},
                  {"--trace-pings"});
  }

  int run() override {
    settings.invocation = invocation();
    settings.program = own_program(invocation().program);
    if (!counts.empty()) settings.count = parse_number(counts[0]).value_or(0);
    if (settings.count < 1 || settings.count > max_count) {
      fail(Text::usage_not_a_count, {counts[0], max_count});
    }
    if (settings.hold) require_for_hold(invocation(), save);
    if (settings.demo && settings.count < 2)
      fail(Text::usage_demo_count, {is_demo ? "bully demo" : "--demo"});
    try {
      if (settings.demo) return play_demo(settings);
      return settings.watch ? run_watched(settings) : run_in_terminal(settings);
    } catch (const NodeFailed& failed) {
      return failed.status;
    } catch (const Interrupted& interrupted) {
      // Ctrl-C is the intended end of a cluster.
      const bool is_meant = interrupted.signal == SIGINT && !settings.demo;
      return is_meant ? exit_ok : exit_by_signal + interrupted.signal;
    }
  }

  void declare_modes(Options& options) {
    const Options::Mode demo = {"--demo", [this] { return settings.demo; }};
    const Options::Mode watch = {"--watch", [this] { return settings.watch; }};
    const Options::Mode hold = {"--hold", [this] { return settings.hold; }};
    options.no_effect_with(demo, {"--ids"});
    options.not_together(demo, {"--watch", "--hold"});
    options.no_effect_with(watch, {"--quiet", "--explain"});
    options.needs(watch, {"--hold"});
    options.needs(hold, {"--save"});
    // The processes have no timers of their own, no monitors, and the ids 1 to N.
    options.no_effect_with(
        hold, {"--ids", "--detector", "--ping-interval", "--ping-timeout", "--answer-timeout",
               "--coordinator-timeout", "--pace", "--trace-pings"});
    // The script does not support a variant, or a ring's order.
    options.not_together(hold, {"--protocol", "--ring"});
    options.no_effect_with({"--quiet", [this] { return settings.nodes.quiet && !settings.demo; }},
                           {"--color"});
  }

  ClusterSettings settings;
  std::vector<std::string> counts;  // none or one
  std::string save = standard_script;
};

}  // namespace

const CommandKind cluster_command = {"cluster",
                                     Text::command_cluster,
                                     Text::help_cluster_intro,
                                     make_command<ClusterCommand<false>>,
                                     {Text::help_cluster_exit}};
const CommandKind demo_command = {"demo",
                                  Text::command_demo,
                                  Text::help_demo_intro,
                                  make_command<ClusterCommand<true>>,
                                  {Text::help_demo_exit}};

}  // namespace bully
