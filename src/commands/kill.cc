// kill.cc: `bully kill`, a signal to a node, by its part in the election.
#include <signal.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <iostream>
#include <random>

#include "commands/commands.h"
#include "commands/refusal.h"
#include "commands/terminal.h"
#include "node/peer_process.h"
#include "node/query.h"
#include "node/setup_error.h"
#include "node/target.h"

namespace bully {

namespace {

// A node replies within microseconds; one that has not by then is stopped, or none of ours.
constexpr auto patience = std::chrono::milliseconds(500);
// One that was silent just now is not waited for as long again.
constexpr auto short_patience = std::chrono::milliseconds(50);

struct Signal {
  std::string_view name;
  int number;
};
constexpr std::array signals = {Signal{"KILL", SIGKILL}, Signal{"TERM", SIGTERM},
                                Signal{"STOP", SIGSTOP}, Signal{"CONT", SIGCONT}};

struct KillCommand {
  std::string directory = default_directory();
  std::optional<NodeId> id;
  bool lowest = false;
  bool random = false;
  bool all = false;
  std::string signal_name = std::string(signals[0].name);
  bool force = false;
  bool help = false;
};

void declare(Options& options, KillCommand& command) {
  options.argument([&](const std::string& given) {
    NodeId id = 0;
    const auto [stop, error] = std::from_chars(given.data(), given.data() + given.size(), id);
    if (error != std::errc() || stop != given.data() + given.size()) {
      options.fail(Text::usage_not_a_node, {given});
    }
    if (command.id) options.fail(Text::usage_only_one, {given, std::to_string(*command.id)});
    command.id = id;
  });
  options.group(Text::help_other_options);
  options.flag("--lowest", command.lowest, Text::option_lowest);
  options.flag("--random", command.random, Text::option_random);
  options.flag("--all", command.all, Text::option_all);
  options.value("--signal", "KILL|TERM|STOP|CONT", command.signal_name, Text::option_signal);
  options.value("--dir", "DIR", command.directory, Text::option_dir);
  options.flag("--force", command.force, Text::option_force);
  options.language();
  options.flag("--help", command.help, Text::option_help);
}

// Throws UsageError where more than one target was given.
Target target_of(const Options& options, const KillCommand& command) {
  std::vector<std::string> given;
  if (command.id) given.push_back(std::to_string(*command.id));
  if (command.lowest) given.emplace_back("--lowest");
  if (command.random) given.emplace_back("--random");
  if (command.all) given.emplace_back("--all");
  if (given.size() > 1) options.fail(Text::usage_only_one, {given[1], given[0]});
  if (command.lowest) return Target::lowest;
  if (command.random) return Target::random;
  return command.all ? Target::all : Target::coordinator;
}

// With or without SIG before it. Throws UsageError.
Signal signal_of(const Options& options, std::string_view given) {
  const std::string_view name = given.starts_with("SIG") ? given.substr(3) : given;
  const auto found = std::find_if(signals.begin(), signals.end(),
                                  [name](const Signal& signal) { return signal.name == name; });
  if (found == signals.end()) {
    options.fail(Text::usage_not_one_of, {"--signal", given, "KILL, TERM, STOP, CONT"});
  }
  return *found;
}

std::size_t draw(std::size_t n) {
  std::random_device device;
  return std::uniform_int_distribution<std::size_t>(0, n - 1)(device);
}

// No directory, no nodes.
std::optional<Directory> open_directory(const std::string& path) {
  try {
    return std::optional<Directory>(std::in_place, path, false);
  } catch (const SetupError& error) {
    if (error.code().value() == ENOENT) return std::nullopt;
    throw;
  }
}

class Killer {
 public:
  Killer(const Directory& directory, Signal signal, bool force, Language language)
      : directory_(directory), signal_(signal), force_(force), language_(language) {
    for (PeerStatus& peer : query_status(directory, patience)) {
      const bool proven = std::holds_alternative<Proven>(judge(peer, force));
      candidates_.push_back({std::move(peer), proven});
    }
  }

  bool has_nodes() const { return !candidates_.empty(); }

  // False where not everybody who was meant got the signal.
  bool signal_by_choice(Target target) {
    const Choice choice = choose(target, candidates_, draw);
    switch (choice.outcome) {
      case Choice::Outcome::nobody:
        complain(text(Text::kill_nobody, language_, {directory_.path()}));
        explain_contradictions();
        return false;
      case Choice::Outcome::no_coordinator:
        complain(say(Text::kill_no_coordinator));
        return false;
      case Choice::Outcome::coordinator_gone:
        complain(text(Text::kill_coordinator_gone, language_, {std::to_string(choice.ids.at(0))}));
        return false;
      case Choice::Outcome::chosen:
        break;
    }
    bool all = true;
    for (const NodeId id : choice.ids) all = signal_node(id, reason(target, choice.of)) && all;
    return all;
  }

  // `why`: the reason for choosing this one. False where it did not get the signal.
  bool signal_node(NodeId id, const std::string& why) {
    const auto found = identify(directory_, id, patience_for(id), force_);
    if (const Refused* refused = std::get_if<Refused>(&found)) {
      explain(*refused, id);
      return false;
    }
    const auto& process = std::get<PeerProcess>(found);
    if (const int error = process.signal(signal_.number); error != 0) {
      complain(text(Text::watch_not_signalled, language_,
                    {"SIG" + std::string(signal_.name), std::to_string(id), std::strerror(error)}));
      return false;
    }
    write_to_stdout(text(Text::kill_sent, language_,
                         {signal_.name, std::to_string(id), std::to_string(process.pid()), why}) +
                    doubt(process.proof()) + '\n');
    return true;
  }

  std::string say(Text words) const { return std::string(text(words, language_)); }

 private:
  static void complain(const std::string& words) { std::cerr << "bully: " << words << '\n'; }

  Duration patience_for(NodeId id) const {
    const bool silent = std::any_of(candidates_.begin(), candidates_.end(), [id](const auto& c) {
      return c.peer.status.id == id && c.peer.kind == PeerStatus::Kind::no_answer;
    });
    return silent ? short_patience : patience;
  }

  std::string reason(Target target, std::size_t of) const {
    const std::string count = std::to_string(of);
    switch (target) {
      case Target::coordinator:
        break;
      case Target::lowest:
        return text(Text::kill_lowest, language_, {count});
      case Target::random:
        return text(Text::kill_drawn, language_, {count});
      case Target::all:
        return text(Text::kill_all, language_, {count});
    }
    return say(Text::kill_coordinator);
  }

  std::string doubt(Proof proof) const {
    if (proof == Proof::replied) return "";
    return say(proof == Proof::named ? Text::kill_doubt_named : Text::kill_doubt_forced);
  }

  void explain(const Refused& refused, NodeId id) const {
    complain(refusal_words(refused, id, directory_.path(), language_));
    if (const auto advice = refusal_advice(refused)) complain(say(*advice));
    if (refused.why != Refused::Why::unknown) return;
    // A process that came back under an old id has another PID.
    const auto pid = static_cast<std::int64_t>(id);
    for (const Candidate& candidate : candidates_) {
      if (candidate.peer.status.pid != pid) continue;
      complain(text(Text::kill_pid_of_node, language_,
                    {std::to_string(id), std::to_string(candidate.peer.status.id)}));
    }
  }

  // Why those that did reply have shown nothing.
  void explain_contradictions() const {
    for (const Candidate& candidate : candidates_) {
      if (candidate.peer.kind != PeerStatus::Kind::ok) continue;
      const auto verdict = judge(candidate.peer, force_);
      if (const auto* why = std::get_if<Refused>(&verdict)) explain(*why, candidate.peer.status.id);
    }
  }

  const Directory& directory_;
  Signal signal_;
  bool force_;
  Language language_;
  std::vector<Candidate> candidates_;
};

}  // namespace

int run_kill(const Invocation& invocation) {
  const Language language = invocation.language;
  KillCommand command;
  Options options(language);
  declare(options, command);
  options.parse(invocation.arguments);
  if (command.help) {
    write_to_stdout(options.page("bully kill [ID]", Text::help_kill_intro, Text::help_kill_rules));
    return exit_ok;
  }
  const Target target = target_of(options, command);
  const Signal signal = signal_of(options, command.signal_name);
  if (const auto directory = open_directory(command.directory)) {
    Killer killer(*directory, signal, command.force, language);
    if (killer.has_nodes()) {
      const bool done = command.id ? killer.signal_node(*command.id, killer.say(Text::kill_named))
                                   : killer.signal_by_choice(target);
      return done ? exit_ok : exit_failed;
    }
  }
  throw std::runtime_error(text(Text::kill_no_node, language, {command.directory}));
}

}  // namespace bully
