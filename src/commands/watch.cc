// watch.cc: the nodes of a directory: `bully ps` once, `bully watch` live in a terminal.
#include <algorithm>

#include "commands/commands.h"
#include "node/peer_process.h"
#include "node/status_reply.h"
#include "terminal/hold_session.h"
#include "terminal/output.h"
#include "terminal/traces.h"
#include "terminal/watch_session.h"
#include "view/ps_table.h"
#include "view/watch_screen.h"

namespace bully {

namespace {

struct PsCommand : Subcommand {
  void declare(Options& options) override {
    options.value("--dir", "DIR", directory, Text::option_dir);
    options.rules();
    options.flag("--json", json, Text::option_json);
    options.language();
  }

  int run() override {
    std::vector<NodeStatus> peers;
    if (const auto opened = existing_directory(directory, invocation())) {
      peers = query_status(*opened, reply_patience);
    }
    write_to_stdout(json            ? encode(peers) + '\n'
                    : peers.empty() ? say(Text::ps_nobody, {directory}) + '\n'
                                    : ps_table(peers, language()));
    return exit_ok;
  }

  std::string directory = default_directory();
  bool json = false;
};

struct Watching : Subcommand {
  void declare(Options& options) override {
    auto& [view, traces, interval, starting] = settings;
    view.place = default_directory();
    options.group(Text::help_hold_options);
    options.flag("--hold", hold, Text::option_hold);
    options.file("--save", save, Text::option_save);
    options.group(Text::help_output_options);
    options.value("--dir", "DIR", view.place, Text::option_dir);
    options.files("--trace", traces, Text::option_watch_trace);
    options.rules();
    options.duration("--interval", interval, std::chrono::milliseconds(10), Text::option_interval);
    options.style();
    options.arguments(Text::help_watch_arguments, starting);
    options.needs({"--hold", [this] { return hold; }}, {"--save"});
  }

  int run() override {
    for (const std::string& option : settings.starting) {
      if (!option.starts_with("--")) fail(Text::usage_unexpected_argument, {option});
    }
    const std::string trace = standard_trace();
    if (settings.traces.empty() && !trace.empty()) settings.traces.push_back(trace);
    // What the processes did until now is read at once.
    const std::uint64_t bytes = bytes_of(settings.traces);
    if (bytes > most_trace_bytes) fail_as_too_large(settings.traces, bytes, invocation());
    if (!hold) return run_watch(settings, invocation(), nullptr);
    require_for_hold(invocation(), save);
    const std::string written = settings.traces.empty() ? "" : settings.traces.front();
    HoldSession held(settings.view.place, written, invocation());
    const SignalPipe until_saved({SIGQUIT});  // a second signal loses no script
    int status = exit_failed;
    try {
      status = run_watch(settings, invocation(), &held);
    } catch (...) {
      held.save(save);  // whatever went wrong, keep the script
      throw;
    }
    return std::max(status, held.save(save));
  }

  WatchSettings settings;
  bool hold = false;
  std::string save = standard_script;
};

}  // namespace

const CommandKind ps_command = {"ps", Text::command_ps, Text::help_ps_intro,
                                make_command<PsCommand>};
const CommandKind watch_command = {"watch",
                                   Text::command_watch,
                                   Text::help_watch_intro,
                                   make_command<Watching>,
                                   {Text::watch_help_keys, Text::hold_help_keys}};

}  // namespace bully
