// verify.cc: `bully verify`, every interleaving of an election within bounds.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>

#include "commands/commands.h"
#include "commands/terminal.h"
#include "commands/verify_report.h"
#include "node/setup_error.h"
#include "node/signals.h"
#include "sim/explorer.h"
#include "sim/explorer_scenario.h"
#include "sim/simulated_stage.h"
#include "trace/writer.h"

namespace bully {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t default_nodes = 3;
// --delivery: the first three are those of Delivery.
constexpr std::size_t as_the_algorithm_asks = 3;

struct VerifyCommand {
  std::optional<std::uint64_t> nodes;
  std::uint64_t crashes = 2;
  std::uint64_t restarts = 1;
  std::size_t timing = 0;
  std::uint64_t false_alarms = 1;
  std::size_t delivery = as_the_algorithm_asks;
  std::size_t beginning = 0;
  std::string detectors;
  std::uint64_t max_states = ExploreOptions{}.max_states;
  bool no_reduction = false;
  std::string counterexample;
  std::string trace;
  bool brief = false;
  bool help = false;
  const Algorithm* algorithm = &default_algorithm();
  std::string arrangement;
};

void declare(Options& options, VerifyCommand& command) {
  options.group(Text::help_verify_bounds);
  options.algorithm(command.algorithm);
  options.number("--nodes", command.nodes, 1, max_explored_nodes, Text::option_verify_nodes);
  options.number("--crashes", command.crashes, 0, max_explored_faults, Text::option_verify_crashes);
  options.number("--restarts", command.restarts, 0, max_explored_faults,
                 Text::option_verify_restarts);
  options.choice("--timing", {"synchronous", "asynchronous"}, command.timing, Text::option_timing);
  options.number("--false-alarms", command.false_alarms, 0, max_explored_faults,
                 Text::option_false_alarms);
  options.choice("--delivery", {"any", "pair", "arrival", "auto"}, command.delivery,
                 Text::option_delivery);
  options.value("--arrangement", "ID,…", command.arrangement, Text::option_arrangement);
  options.choice("--beginning", {"agreed", "leaderless", "starting"}, command.beginning,
                 Text::option_beginning);
  options.value("--detectors", "ID,…", command.detectors, Text::option_detectors);
  options.group(Text::help_verify_search);
  options.number("--max-states", command.max_states, 1, std::numeric_limits<std::uint32_t>::max(),
                 Text::option_max_states);
  options.flag("--no-reduction", command.no_reduction, Text::option_no_reduction);
  options.group(Text::help_output_options);
  options.flag("--brief", command.brief, Text::option_brief);
  options.value("--counterexample", "FILE", command.counterexample, Text::option_counterexample);
  options.value("--trace", "FILE", command.trace, Text::option_verify_trace);
  options.language();
  options.group(Text::help_other_options);
  options.flag("--help", command.help, Text::option_help);
}

// "1,3": these ids, or nothing where a word is none.
std::optional<std::vector<NodeId>> ids_of(std::string_view list) {
  std::vector<NodeId> ids;
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    const std::optional<NodeId> id = parse_id(word);
    if (!id) return std::nullopt;
    ids.push_back(*id);
    list.remove_prefix(std::min(word.size() + 1, list.size()));
  }
  return ids;
}

// Who stands where, each of the nodes once.
std::vector<NodeId> arrangement_of(const VerifyCommand& command, const Options& options) {
  std::vector<NodeId> ring = ids_of(command.arrangement).value_or(std::vector<NodeId>{});
  std::vector<NodeId> sorted = ring;
  std::sort(sorted.begin(), sorted.end());
  bool each_once = ring.empty() == command.arrangement.empty();
  for (std::size_t i = 0; i < sorted.size(); ++i) each_once = each_once && sorted[i] == i + 1;
  if (!each_once || ring.size() > max_explored_nodes) {
    const std::string all = std::to_string(ring.empty() ? default_nodes : ring.size());
    options.fail(Text::usage_arrangement, {command.arrangement, all});
  }
  if (!ring.empty() && command.nodes.value_or(ring.size()) != ring.size()) {
    options.fail(Text::usage_nodes_of_ring,
                 {std::to_string(ring.size()), std::to_string(*command.nodes)});
  }
  return ring;
}

// "1,3": which of the nodes 1 to `nodes`.
std::vector<NodeId> detectors_of(const VerifyCommand& command, std::size_t nodes,
                                 const Options& options) {
  const auto ids = ids_of(command.detectors);
  const auto is_none = [&](NodeId id) { return id == 0 || id > nodes; };
  if (!ids || std::any_of(ids->begin(), ids->end(), is_none)) {
    options.fail(Text::usage_no_such_node,
                 {"--detectors", command.detectors, std::to_string(nodes)});
  }
  return *ids;
}

ExploreOptions explore_options(const VerifyCommand& command, const Options& options) {
  ExploreOptions explore;
  explore.algorithm = command.algorithm;
  explore.arrangement = arrangement_of(command, options);
  const bool arranged = !explore.arrangement.empty();
  explore.nodes = command.nodes.value_or(arranged ? explore.arrangement.size() : default_nodes);
  explore.crashes = static_cast<unsigned>(command.crashes);
  explore.restarts = static_cast<unsigned>(command.restarts);
  explore.timing = static_cast<Timing>(command.timing);
  explore.false_alarms = static_cast<unsigned>(command.false_alarms);
  const Delivery asked = command.algorithm->is_ring ? Delivery::pair_order : Delivery::any_order;
  const bool given = command.delivery != as_the_algorithm_asks;
  explore.delivery = given ? static_cast<Delivery>(command.delivery) : asked;
  explore.beginning = static_cast<Beginning>(command.beginning);
  explore.detectors = detectors_of(command, explore.nodes, options);
  explore.max_states = command.max_states;
  if (!command.no_reduction && command.algorithm->forget_idle_words != nullptr) {
    explore.reduction = command.algorithm->forget_idle_words;
  }
  return explore;
}

// Shows on a terminal how far the search has come, and ends it at Ctrl-C.
class Watcher {
 public:
  explicit Watcher(Language language) : language_(language), shows_(isatty(STDERR_FILENO) == 1) {}
  ~Watcher() { wipe(); }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  bool operator()(const ExploreProgress& progress) {
    if (shows_) show(progress);
    while (const std::optional<int> signal = signals_.next()) {
      if (*signal == SIGINT || *signal == SIGTERM || *signal == SIGHUP) return false;
    }
    return true;
  }

 private:
  static constexpr auto interval = std::chrono::milliseconds(200);
  static constexpr std::string_view line_start = "\r\x1b[K";

  void show(const ExploreProgress& progress) {
    if (Clock::now() - shown_at_ < interval) return;
    shown_at_ = Clock::now();
    std::cerr << line_start << explore_progress_text(progress, language_) << std::flush;
    shown_ = true;
  }
  void wipe() {
    if (shown_) std::cerr << line_start << std::flush;
  }

  Language language_;
  SignalPipe signals_;
  bool shows_;
  bool shown_ = false;
  Clock::time_point shown_at_ = Clock::now();
};

std::optional<TraceFile> open_trace(const std::string& path) {
  if (path.empty()) return std::nullopt;
  try {
    return std::optional<TraceFile>(std::in_place, path);
  } catch (const std::system_error& error) {
    throw SetupError(error.code().value(), "open " + path, Advice::choose_trace);
  }
}

// Written whole, in place of what was there.
void write_script(const std::string& path, const std::string& script) {
  errno = 0;
  std::ofstream file(path, std::ios::trunc);
  file << script << std::flush;
  if (!file) throw SetupError(errno != 0 ? errno : EIO, "write " + path, Advice::none);
}

int status_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return exit_ok;
    case Verdict::violated:
      return exit_failed;
    case Verdict::unfinished:
      return exit_unknown;
  }
  return exit_unknown;
}

// The counterexample is a script like any other: played in the simulator, it leaves a trace.
void play_for_trace(const std::string& script, const ProtocolMaker& make, Sink& trace) {
  const Scenario scenario = std::get<Scenario>(parse_scenario("counterexample", script));
  SimulatedStage stage(scenario, &trace, make);
  Audience nobody;
  play(scenario, stage, nobody);
}

int verify(const VerifyCommand& command, const ExploreOptions& options, Language language) {
  const ProtocolMaker make = command.algorithm->make;
  std::optional<TraceFile> trace = open_trace(command.trace);  // before the search, which is long
  ExploreResult result;
  const Clock::time_point begin = Clock::now();
  {
    Watcher watcher(language);
    result = explore(options, make, std::ref(watcher));
  }
  const auto report = command.brief && !result.violation ? explore_brief : explore_report;
  write_to_stdout(report(options, result, Clock::now() - begin, language));
  if (result.violation) {
    const std::string script = counterexample_scenario(options, make, *result.violation);
    if (!command.counterexample.empty()) write_script(command.counterexample, script);
    if (trace) {
      play_for_trace(script, make, *trace);
      say_if_trace_ended(trace->error(), language);
    }
  }
  return status_of(result.verdict);
}

}  // namespace

int run_verify(const Invocation& invocation) {
  const Language language = invocation.language;
  VerifyCommand command;
  Options options(language);
  declare(options, command);
  options.parse(invocation.arguments);
  if (command.help) {
    write_to_stdout(options.page("bully verify", Text::help_verify_intro, Text::help_verify_exit));
    return exit_ok;
  }
  return verify(command, explore_options(command, options), language);
}

}  // namespace bully
