// kill.cc: `bully kill`, a signal to a node, by its part in the election.
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>

#include "base/list.h"
#include "base/text.h"
#include "commands/commands.h"
#include "node/peer_process.h"
#include "node/registry.h"
#include "terminal/output.h"
#include "terminal/traces.h"
#include "view/errors.h"

namespace bully {

namespace {

const std::vector<std::string> signal_names = {"KILL", "TERM", "STOP", "CONT"};
constexpr std::array signal_numbers = {SIGKILL, SIGTERM, SIGSTOP, SIGCONT};

constexpr int sweep_interval_ms = 10;

// A way to choose the target: by an option, or by the default without one.
struct Way {
  std::string_view option;  // or empty
  Text help;
  Target target;
  Text reason;  // the reason shown for each chosen process
};
constexpr auto ways = std::to_array<Way>({
    {"", {}, Target::coordinator, Text::kill_coordinator},
    {"", {}, Target::stopped, Text::kill_stopped},
    {"--lowest", Text::option_lowest, Target::lowest, Text::kill_lowest},
    {"--random", Text::option_random, Target::random, Text::kill_drawn},
    {"--all", Text::option_all, Target::all, Text::kill_all},
});

struct KillCommand : Subcommand {
  void declare(Options& options) override {
    options.arguments(Text::help_id_argument, ids);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (!ways[i].option.empty()) options.flag(ways[i].option, wanted[i], ways[i].help);
    }
    options.choice("--signal", signal_names, signal, Text::option_signal, "SIG");
    // The signals as typed for kill(1).
    for (std::size_t i = 0; i < signal_names.size(); ++i) {
      for (const std::string& name : {signal_names[i], std::to_string(signal_numbers.at(i))}) {
        options.alias('-' + name, "--signal=" + signal_names[i]);
      }
    }
    options.value("--dir", "DIR", directory, Text::option_dir);
    options.file("--trace", trace, Text::option_trace);
    options.language();
  }

  int run() override {
    const std::optional<NodeId> id = ids.empty() ? std::nullopt : std::optional(id_from(ids[0]));
    // A running coordinator need not be continued.
    const Way* way = &ways[signal_numbers.at(signal) == SIGCONT ? 1 : 0];
    std::vector<std::string> given = ids;  // one at most
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (!wanted[i]) continue;
      given.emplace_back(ways[i].option);
      way = &ways[i];
    }
    if (given.size() > 1) fail(Text::usage_only_one, {given[1], given[0]});
    const int number = signal_numbers.at(signal);
    const bool ends_all = way->target == Target::all && (number == SIGKILL || number == SIGTERM);
    raise_descriptor_limit();
    const auto opened = existing_directory(directory, invocation());
    if (opened) asked = identify(*opened, opened->ids(), reply_patience);
    if (asked.empty()) throw std::runtime_error(say(Text::kill_no_node, {directory}));
    directory = opened->path();
    const Choice choice = id ? Choice{.ids = {*id}} : choose_by(way->target);
    if (choice.outcome != Choice::Outcome::chosen) {
      return ends_all && remove_names_of_dead(*opened) ? exit_ok : exit_failed;
    }
    const Text reason = id ? Text::kill_named : way->reason;
    // Opened before any act that it could not record.
    TeeSink acts(nullptr, trace);
    int status = exit_ok;
    for (const NodeId node : choice.ids) {
      const bool is_signalled = signal_node(node, say(reason, {choice.of}), acts);
      if (!is_signalled && !(ends_all && has_just_ended({node}))) status = exit_failed;
    }
    if (ends_all) {
      for (const Asked& each : asked) {
        // A stopped process leaves when it goes on.
        const bool will_end = each.process && (number == SIGKILL || !each.may_be_stopped());
        if (will_end) each.process->ends_within(reply_patience);
      }
      remove_names_of_dead(*opened);
      if (has_just_ended(opened->ids())) status = exit_failed;
    }
    return acts.has_failed(invocation()) ? exit_failed : status;
  }

  // Nobody is left who would. True if there were any. A child of a process that has just been
  // killed may keep its socket for a moment.
  bool remove_names_of_dead(const Directory& place) {
    std::vector<NodeId> removed = place.ids();
    const Time deadline = monotonic_now() + reply_patience;
    do {
      Registry(place.path(), false).sweep_up_to_a_live_one();
    } while (has_just_ended(place.ids()) && monotonic_now() < deadline &&
             poll(nullptr, 0, sweep_interval_ms) == 0);
    const std::vector<NodeId> kept = place.ids();
    std::erase_if(removed, [&](NodeId id) { return std::ranges::count(kept, id) > 0; });
    if (removed.empty()) return false;
    write_to_stdout(say(Text::kill_removed, {joined(removed, ", "), directory}) + '\n');
    return true;
  }

  // Among these, any that took the query, and has ended since.
  bool has_just_ended(const std::vector<NodeId>& among) const {
    return std::ranges::any_of(asked, [&](const Asked& each) {
      return each.refused.why == Refused::Why::dead &&
             each.status.condition != Condition::crashed &&
             std::ranges::count(among, each.status.id) > 0;
    });
  }

  Choice choose_by(Target target) const {
    const auto draw = [](std::size_t n) {
      std::random_device device;
      return std::uniform_int_distribution<std::size_t>(0, n - 1)(device);
    };
    Choice choice = choose(target, asked, draw, signal_numbers.at(signal) == SIGCONT);
    using enum Choice::Outcome;
    if (choice.outcome == none_stopped) complain(say(Text::kill_none_stopped));
    if (choice.outcome == no_coordinator) {
      const bool replies = std::ranges::any_of(
          asked, [](const Asked& each) { return each.status.condition == Condition::running; });
      complain(say(replies ? Text::kill_no_coordinator : Text::kill_none_replies));
    }
    if (choice.outcome == coordinator_gone) {
      complain(say(Text::kill_coordinator_gone, {choice.ids.at(0)}));
    }
    if (choice.outcome != nobody) return choice;
    complain(say(Text::kill_nobody, {directory}));
    // Finds why the nodes that replied were no help.
    for (const Asked& each : asked) {
      if (each.status.condition == Condition::running) explain(each.refused, each.status.id);
    }
    return choice;
  }

  // `why`: the reason for choosing this process. False if it did not get the signal.
  bool signal_node(NodeId id, const std::string& why, Sink& acts) const {
    const auto found =
        std::ranges::find(asked, id, [](const Asked& each) { return each.status.id; });
    if (found == asked.end() || !found->process) {
      explain(found == asked.end() ? Refused{} : found->refused, id);
      return false;
    }
    const std::string& name = signal_names[signal];
    const int number = signal_numbers.at(signal);
    if (number == SIGCONT && !found->may_be_stopped()) {
      complain(say(Text::kill_not_stopped, {id}));
      return false;
    }
    if (const int error = found->act_on(number, &acts); error != 0) {
      complain(say(Text::watch_not_signalled, {"SIG" + name, id, error_words(error, language())}));
      return false;
    }
    std::string words = say(Text::kill_sent, {name, id, found->process->pid(), why});
    if (found->may_be_stopped()) {
      words += say(number == SIGTERM ? Text::kill_leaves_later : Text::kill_doubt_stopped);
    }
    write_to_stdout(words + '\n');
    return true;
  }

  void explain(const Refused& refused, NodeId id) const {
    complain(words_of(refused, id, directory, language()));
    if (const auto advice = advice_on(refused)) complain(say(*advice));
    if (refused.why != Refused::Why::unknown) return;
    // A process that came back under an old id has another PID.
    for (const Asked& each : asked) {
      if (each.status.pid != static_cast<std::int64_t>(id)) continue;
      complain(say(Text::kill_pid_of_node, {id, each.status.id}));
    }
  }

  std::vector<std::string> ids;
  std::string directory = default_directory();
  std::string trace = standard_trace();
  std::array<bool, ways.size()> wanted{};
  std::size_t signal = 0;  // its index
  std::vector<Asked> asked = {};
};

}  // namespace

const CommandKind kill_command = {"kill",
                                  Text::command_kill,
                                  Text::help_kill_intro,
                                  make_command<KillCommand>,
                                  {Text::help_kill_rules}};

}  // namespace bully
